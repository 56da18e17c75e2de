import Foundation
import Synchronization
import Testing

@testable import LatchkeyBluetoothTransports

struct SnoopFormatTests {
  @Test("The file begins with name, version and link type") func theFileBeginsWithNameVersionAndLinkType() {
    #expect(
      SnoopFormat.fileHeader(.h4) == [
        0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00,  // "btsnoop"
        0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x03, 0xEA,
      ])
  }

  @Test("A record has the expected bytes") func aRecordToTheByte() {
    // 1970-01-01T00:00:01.5Z is 0x00DCDDB30F2F8000 + 1 500 000 microseconds.
    let record = SnoopFormat.record([0x01, 0x03, 0x0C, 0x00], .toController, time: .milliseconds(1500))
    #expect(
      record == [
        0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,
        0x00, 0xDC, 0xDD, 0xB3, 0x0F, 0x46, 0x63, 0x60, 0x01, 0x03, 0x0C, 0x00,
      ])
  }

  @Test(
    "The flags contain direction and kind",
    arguments: [
      ([0x01, 0x03, 0x0C, 0x00], PacketDirection.toController, 2),
      ([0x04, 0x10, 0x01, 0x00], .fromController, 3),
      ([0x02, 0x40, 0x00, 0x00, 0x00], .toController, 0),
      ([0x02, 0x40, 0x20, 0x00, 0x00], .fromController, 1),
      ([0x05, 0x40, 0x00, 0x00, 0x00], .toController, 0),
      ([], .fromController, 1),
    ] as [([UInt8], PacketDirection, UInt8)])
  func flags(packet: [UInt8], direction: PacketDirection, flags: UInt8) {
    #expect(Array(SnoopFormat.record(packet, direction, time: .zero)[8..<12]) == [0, 0, 0, flags])
  }
}

struct PacketTraceTests {
  private let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).btsnoop").path
  private let event: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

  private func contents() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

  @Test("Each packet is in the file at once") func eachPacketIsInTheFileAtOnce() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let time = Mutex(Duration.seconds(1))
    let trace = try PacketTrace(path: path) { time.withLock { $0 } }
    #expect(try contents() == SnoopFormat.fileHeader(.h4))
    trace.record(event, .fromController)
    time.withLock { $0 = .seconds(2) }
    trace.record([0x01, 0x03, 0x0C, 0x00], .toController)
    let expected =
      SnoopFormat.fileHeader(.h4) + SnoopFormat.record(event, .fromController, time: .seconds(1))
      + SnoopFormat.record([0x01, 0x03, 0x0C, 0x00], .toController, time: .seconds(2))
    #expect(try contents() == expected)
    trace.close()
    trace.record(event, .fromController)
    #expect(try contents() == expected)
  }

  @Test("Only its owner may read the file") func onlyItsOwnerMayReadIt() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try PacketTrace(path: path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test("A path that cannot be written is named in the error") func aPathThatCannotBeWrittenIsNamed() {
    let error = #expect(throws: PacketTraceError.self) { try PacketTrace(path: "/nonexistent/trace") }
    #expect(error?.description == "cannot write /nonexistent/trace: No such file or directory")
  }

  @Test("A full device ends the capture and nothing else") func aFullDeviceEndsTheCaptureAndNothingElse() {
    #expect(throws: PacketTraceError.self) { try PacketTrace(path: "/dev/full") }
  }
}
