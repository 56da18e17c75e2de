import Foundation
import Testing

@testable import LatchkeyBluetoothTransports

/// A record of a capture of several controllers, as it stands in the file.
struct MonitorRecord: Equatable {
  let index: UInt16
  let opcode: UInt16
  let data: [UInt8]

  /// All records of the file, which must be whole and of link type 2001.
  static func all(in path: String) throws -> [MonitorRecord] {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    try #require(Array(bytes.prefix(16)) == Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x07, 0xD1])
    var records: [MonitorRecord] = []
    var place = 16
    func word(_ at: Int) -> Int { bytes[place + at..<place + at + 4].reduce(0) { $0 << 8 | Int($1) } }
    while place < bytes.count {
      try #require(place + 24 <= bytes.count)
      let (original, included, flags) = (word(0), word(4), word(8))
      try #require(original == included && place + 24 + included <= bytes.count)
      records.append(
        MonitorRecord(
          index: UInt16(flags >> 16), opcode: UInt16(flags & 0xFFFF),
          data: Array(bytes[place + 24..<place + 24 + included])))
      place += 24 + included
    }
    return records
  }
}

/// One file for the traffic of several controllers.
@Suite("A capture of several controllers") struct RadioCaptureTests {
  private let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).btsnoop").path

  @Test("Packets stand without their indicator, by kind, direction and controller")
  func opcodes() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let capture = try RadioCapture(path: path)
    let one = try #require(capture.begin("one"))
    let two = try #require(capture.begin("a long name"))
    let packets: [([UInt8], PacketDirection, UInt16)] = [
      ([1, 9], .toController, 2), ([4, 9], .fromController, 3), ([2, 9], .toController, 4),
      ([2, 9], .fromController, 5),
      ([3, 9], .toController, 6), ([3, 9], .fromController, 7), ([5, 9], .toController, 18),
      ([5, 9], .fromController, 19),
    ]
    for (packet, direction, _) in packets { two.record(packet, direction) }
    one.record([0x77, 9], .toController)
    one.record([], .fromController)
    let records = try MonitorRecord.all(in: path)
    let none = [UInt8](repeating: 0, count: 8)
    #expect(
      records.prefix(2) == [
        MonitorRecord(index: 0, opcode: 0, data: none + Array("one\0\0\0\0\0".utf8)),
        MonitorRecord(index: 1, opcode: 0, data: none + Array("a long n".utf8)),
      ])
    #expect(Array(records.dropFirst(2).dropLast(2)) == packets.map { MonitorRecord(index: 1, opcode: $0.2, data: [9]) })
    // Packets of unknown type are recorded unchanged.
    #expect(
      records.suffix(2) == [
        MonitorRecord(index: 0, opcode: 11, data: [0x77, 9]), MonitorRecord(index: 0, opcode: 11, data: []),
      ])
  }

  @Test("A controller that is gone says so once, records nothing more, and its number is free again")
  func numbers() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let capture = try RadioCapture(path: path)
    var traces = try (0..<3).map { try #require(capture.begin("\($0)")) }
    traces[1].close()
    traces[1].close()
    traces[1].record([4, 1], .fromController)
    traces.append(try #require(capture.begin("3")))
    traces[1].record([4, 2], .fromController)
    traces[3].record([4, 3], .fromController)
    let reported = try MonitorRecord.all(in: path).map { [$0.index, $0.opcode] }
    #expect(reported == [[0, 0], [1, 0], [2, 0], [1, 1], [1, 0], [1, 3]])
  }

  @Test("Only its owner may read it") func mode() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try RadioCapture(path: path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }
}
