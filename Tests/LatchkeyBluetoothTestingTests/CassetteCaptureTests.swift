import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// Cassettes of captures: what passed byte by byte, and what becomes of it.
struct CassetteCaptureTests {
  private static let value = Cassette.Attribute(service: 0, characteristic: 0)
  private static let other = Cassette.Attribute(service: 0, characteristic: 1)

  /// A session after the discovery.
  private static func discovered() -> CapturedSession {
    var session = CapturedSession()
    session.connected()
    session.discovers()
    return session
  }

  private func events(_ session: CapturedSession) throws -> [Cassette.Event] {
    try Cassette(capture: session.snoop()).steps.map(\.event)
  }

  /// Each kind of step, an advertisement, and a reconnection.
  private static let whole: CapturedSession = {
    var session = CapturedSession()
    session.advertisement([2, 1, 6, 3, 3, 0xF0, 0xFF])
    session.advertisement([5, 9] + Array("Lamp".utf8), type: 4)
    session.advertisement([2, 1, 6, 3, 3, 0xF0, 0xFF], rssi: -70)
    session.connected()
    session.exchange([0x02, 185, 0], [0x03, 100, 0])
    session.discovers()
    session.exchange([0x0A, 3, 0], [0x0B, 0x6F, 0x6E])
    session.exchange([0x12, 4, 0, 1, 0], [0x13])
    session.received([0x1B, 3, 0, 1])
    session.received([0x1D, 3, 0, 2])
    session.sent([0x1E])
    session.exchange([0x12, 7, 0, 9], [0x01, 0x12, 7, 0, 0x80])
    session.sent([0x52, 7, 0, 8])
    session.disconnected()
    session.pause(milliseconds: 1000)
    session.connected(0x41)
    session.sent([0x0A, 5, 0], on: 0x41)
    session.received([0x0B, 0x41], on: 0x41)
    return session
  }()

  @Test("A session becomes a device, its advertisements and steps with their times")
  func session() throws {
    let cassette = try Cassette(capture: Self.whole.snoop())
    let device = cassette.device
    #expect(device.name == "Lamp" && device.advertisement.localName == "Lamp")
    #expect(device.advertisement.services == [CBUUID(string: "FFF0")])
    #expect(device.services.map(\.uuid) == [CBUUID(string: "FFF0")])
    #expect(device.services[0].characteristics.map(\.uuid.uuidString) == ["FFF1", "FFF2", "2A25"])
    #expect(device.services[0].characteristics[0].properties == [.read, .write, .notify, .indicate])
    #expect(device.services[0].characteristics[0].value == Data("on".utf8))
    #expect(device.services[0].characteristics[0].descriptors == [.userDescription("A")])
    #expect(cassette.mtu == 100)
    #expect(cassette.advertisements.map(\.rssi) == [-50, -50])
    #expect(cassette.advertisements.map(\.isScanResponse) == [false, true])
    #expect(cassette.advertisements.map(\.time) == [.zero, .milliseconds(1)])
    let events: [Cassette.Event] = [
      .read(.bytes(Data("on".utf8))), .subscription(.notifications, answer: .success),
      .notification(.bytes(Data([1]))), .indication(.bytes(Data([2]))), .write(.bytes(Data([9])), answer: ._0x80),
      .writeWithoutResponse(.bytes(Data([8]))), .read(.bytes(Data([0x41]))),
    ]
    #expect(cassette.steps.map(\.event) == events)
    #expect(cassette.steps.map(\.attribute).prefix(5) == [Self.value, Self.value, Self.value, Self.value, Self.other])
    #expect(cassette.steps.last?.attribute == Cassette.Attribute(service: 0, characteristic: 0, descriptor: 0))
    #expect(cassette.steps[1].time - cassette.steps[0].time == .milliseconds(2))
    #expect(cassette.steps[6].time - cassette.steps[5].time == .milliseconds(1004))
    #expect(try Cassette(json: cassette.json()) == cassette)
  }

  @Test("All forms of captures make the same cassette")
  func forms() throws {
    let cassette = try Cassette(capture: Self.whole.snoop())
    for linkType: UInt32 in [1001, 2001] { #expect(try Cassette(capture: Self.whole.snoop(linkType)) == cassette) }
    #expect(try Cassette(capture: Self.whole.packetLogger()) == cassette)
    #expect(try Cassette(capture: Self.whole.packetLogger(isLittleEndian: true)) == cassette)
  }

  @Test("A read in parts is one step, which ends with its last part")
  func longReads() throws {
    let part = [UInt8](repeating: 0x61, count: 22)
    var session = Self.discovered()
    session.exchange([0x0A, 3, 0], [0x0B] + part)
    session.exchange([0x0C, 3, 0, 22, 0], [0x0D] + part)
    session.exchange([0x0C, 3, 0, 44, 0], [0x0D, 0x62])
    // A value that ends where an answer does: an empty part, an error, or no further request.
    session.exchange([0x0A, 3, 0], [0x0B] + part)
    session.exchange([0x0C, 3, 0, 22, 0], [0x0D])
    session.exchange([0x0A, 3, 0], [0x0B] + part)
    session.exchange([0x0C, 3, 0, 22, 0], [0x01, 0x0C, 3, 0, 0x07])
    session.exchange([0x0A, 3, 0], [0x0B] + part)
    session.exchange([0x0A, 7, 0], [0x01, 0x0A, 7, 0, 0x02])
    let read = Cassette.Event.read(.bytes(Data(part)))
    let whole = Cassette.Event.read(.bytes(Data(part + part + [0x62])))
    #expect(try events(session) == [whole, read, read, read, .readRefused(.readNotPermitted)])
  }

  @Test("A part that does not follow the one before makes no value")
  func gapsInReads() throws {
    let part = [UInt8](repeating: 0x61, count: 22)
    var session = Self.discovered()
    session.exchange([0x0C, 3, 0, 22, 0], [0x0D, 1])
    session.exchange([0x0A, 3, 0], [0x0B] + part)
    session.exchange([0x0C, 3, 0, 22, 0], [0x01, 0x0C, 3, 0, 0x05])
    session.exchange([0x0A, 3, 0], [0x0B, 1])
    #expect(try events(session) == [.read(.bytes(Data([1])))])
  }

  @Test("Several values that are read at once are a step each")
  func multipleReads() throws {
    var session = Self.discovered()
    session.exchange([0x0A, 3, 0], [0x0B, 1, 2])
    session.exchange([0x0E, 3, 0, 7, 0], [0x0F, 3, 4, 5])
    session.exchange([0x20, 3, 0, 7, 0], [0x21, 1, 0, 6, 2, 0, 7, 8])
    // The length of the first is not known; and the last value is cut.
    session.exchange([0x0E, 5, 0, 7, 0], [0x0F, 3, 4, 5])
    session.exchange([0x20, 3, 0, 7, 0], [0x21, 1, 0, 6, 9, 0, 7])
    session.exchange([0x20, 3, 0, 7, 0], [0x01, 0x20, 7, 0, 0x05])
    let values: [[UInt8]] = [[1, 2], [3, 4], [5], [6], [7, 8], [6]]
    #expect(
      try events(session) == values.map { .read(.bytes(Data($0))) } + [.readRefused(.insufficientAuthentication)])
  }

  @Test("Values that are read by their type are steps, and the Device Name is the name")
  func readByType() throws {
    var session = Self.discovered()
    session.exchange([0x08, 1, 0, 0xFF, 0xFF, 0xF1, 0xFF], [0x09, 3, 3, 0, 7])
    session.exchange([0x08, 1, 0, 0xFF, 0xFF, 0x00, 0x2A], [0x09, 6, 30, 0, 0x52, 0x6F, 0x6F, 0x6D])
    let cassette = try Cassette(capture: session.snoop())
    #expect(cassette.steps.map(\.event) == [.read(.bytes(Data([7])))])
    #expect(cassette.device.name == "Room")
  }

  @Test("A write in parts is one step; a canceled one, and one with a gap, is none")
  func longWrites() throws {
    var session = Self.discovered()
    session.exchange([0x16, 3, 0, 0, 0, 1, 2], [0x17, 3, 0, 0, 0, 1, 2])
    session.exchange([0x16, 3, 0, 2, 0, 3], [0x17, 3, 0, 2, 0, 3])
    session.exchange([0x18, 1], [0x19])
    session.exchange([0x16, 3, 0, 0, 0, 1], [0x17, 3, 0, 0, 0, 1])
    session.exchange([0x18, 0], [0x19])
    session.exchange([0x16, 3, 0, 9, 0, 1], [0x17, 3, 0, 9, 0, 1])
    session.exchange([0x18, 1], [0x19])
    session.exchange([0x16, 3, 0, 0, 0, 5], [0x17, 3, 0, 0, 0, 5])
    session.exchange([0x18, 1], [0x01, 0x18, 3, 0, 0x0D])
    session.exchange([0x16, 7, 0, 0, 0, 6], [0x01, 0x16, 7, 0, 0x08])
    #expect(
      try events(session) == [
        .write(.bytes(Data([1, 2, 3])), answer: .success),
        .write(.bytes(Data([5])), answer: .invalidAttributeValueLength),
        .write(.bytes(Data([6])), answer: .insufficientAuthorization),
      ])
  }

  @Test("Subscriptions are of their characteristic, also where the phone knew the configuration from before")
  func subscriptions() throws {
    var session = CapturedSession()
    session.connected()
    session.discovers()
    session.packets.removeLast(2)  // the descriptors
    session.exchange([0x12, 4, 0, 2, 0], [0x13])
    session.exchange([0x12, 4, 0, 0, 0], [0x13])
    session.exchange([0x12, 4, 0, 3, 0], [0x01, 0x12, 4, 0, 0x0E])
    session.received([0x23, 3, 0, 1, 0, 9, 3, 0, 0, 0])
    let cassette = try Cassette(capture: session.snoop())
    #expect(
      cassette.steps.map(\.event) == [
        .subscription(.indications, answer: .success), .subscription(.none, answer: .success),
        .subscription(.notifications, answer: .unlikelyError), .notification(.bytes(Data([9]))),
        .notification(.bytes(Data())),
      ])
    #expect(cassette.steps.allSatisfy { $0.attribute == Self.value })
  }

  @Test("What was refused until the link was encrypted needs encryption, and the refusals are no steps")
  func encryption() throws {
    var session = Self.discovered()
    session.exchange([0x0A, 3, 0], [0x01, 0x0A, 3, 0, 0x05])
    session.exchange([0x12, 4, 0, 1, 0], [0x01, 0x12, 4, 0, 0x0F])
    session.exchange([0x0A, 7, 0], [0x01, 0x0A, 7, 0, 0x05])
    session.sent([0x03, 0x66, 0x66, 0x66, 0x66], channel: 6)
    session.exchange([0x0A, 3, 0], [0x0B, 1])
    session.exchange([0x12, 4, 0, 1, 0], [0x13])
    let cassette = try Cassette(capture: session.snoop())
    let characteristic = cassette.device.services[0].characteristics[0]
    #expect(characteristic.permissions == [.readEncryptionRequired, .writeable])
    #expect(
      characteristic.properties == [.read, .write, .notifyEncryptionRequired, .indicateEncryptionRequired])
    #expect(
      cassette.steps.map(\.event) == [
        .readRefused(.insufficientAuthentication), .read(.bytes(Data([1]))),
        .subscription(.notifications, answer: .success),
      ])
    #expect(!String(decoding: cassette.json(), as: UTF8.self).contains("66666666"))
  }

  @Test("Serial numbers and addresses are masked, and kept on request")
  func identifiers() throws {
    var session = CapturedSession()
    session.advertisement([9, 0xFF, 0x59, 0] + CapturedSession.address)
    session.advertisement([7, 0x1B] + [1, 2, 3, 4, 5, 6], type: 4)
    session.connected()
    session.discovers()
    session.exchange([0x0A, 9, 0], [0x0B] + Array("SN-1234".utf8))
    session.exchange([0x0A, 3, 0], [0x0B, 1] + CapturedSession.address.reversed() + [2])
    session.exchange([0x12, 7, 0] + Array("id c0ffee123456".utf8), [0x13])
    session.exchange([0x12, 7, 0] + Array("c0-FF-ee-12-34-56".utf8), [0x13])
    session.exchange([0x12, 7, 0] + Array("c0-FF-ee-12-34:56".utf8), [0x13])
    let masked = try Cassette(capture: session.snoop())
    #expect(
      masked.steps.map(\.event) == [
        .read(.masked(count: 7)), .read(.masked(count: 8)), .write(.masked(count: 15), answer: .success),
        .write(.masked(count: 17), answer: .success),
        .write(.bytes(Data("c0-FF-ee-12-34:56".utf8)), answer: .success),
      ])
    #expect(masked.device.services[0].characteristics[2].value == Data(count: 7))
    #expect(masked.advertisements[0].data == Data([9, 0xFF, 0x59, 0] + [UInt8](repeating: 0, count: 6)))
    #expect(masked.advertisements[1].data == Data([7, 0x1B, 0, 0, 0, 0, 0, 0]))
    let kept = try Cassette(capture: session.snoop(), keepsIdentifiers: true)
    #expect(kept.steps[0].event == .read(.bytes(Data("SN-1234".utf8))))
    #expect(kept.steps[1].event == .read(.bytes(Data([1] + CapturedSession.address.reversed() + [2]))))
    #expect(kept.advertisements[1].data == Data([7, 0x1B, 1, 2, 3, 4, 5, 6]))
    let more = try Cassette(capture: session.snoop(), masking: [CBUUID(string: "FFF2")], keepsIdentifiers: true)
    #expect(more.steps[4].event == .write(.masked(count: 17), answer: .success))
    #expect(more.steps[0].event == .read(.bytes(Data("SN-1234".utf8))))
  }

  @Test("The capture of a peripheral's host is of that host's database")
  func peripheralHost() throws {
    var session = CapturedSession()
    session.connected(isPeripheral: true)
    var central = CapturedSession()
    central.discovers()
    central.exchange([0x0A, 3, 0], [0x0B, 1])
    // What the peripheral asks the central is of another database.
    central.received([0x0A, 3, 0])
    central.sent([0x0B, 9])
    for packet in central.packets {
      var packet = packet
      packet.isReceived.toggle()
      packet.bytes[1] ^= packet.bytes[1] & 0x10 == 0 ? 0x20 : 0
      packet.microseconds += 10_000
      session.packets.append(packet)
    }
    #expect(try Cassette(capture: session.snoop()).steps.map(\.event) == [.read(.bytes(Data([1])))])
  }

  @Test("A connection that began before the capture is followed")
  func unknownConnection() throws {
    var session = CapturedSession()
    session.discovers()
    session.exchange([0x0A, 3, 0], [0x0B, 1])
    #expect(try Cassette(capture: session.snoop()).steps.count == 1)
  }

  @Test("An included service with a long UUID is a secondary one")
  func includedServices() throws {
    var session = CapturedSession()
    let uuid = Array(UInt8(1)...16)
    session.connected()
    session.exchange([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28], [0x11, 6, 1, 0, 9, 0, 0xF0, 0xFF])
    session.exchange([0x08, 1, 0, 9, 0, 0x02, 0x28], [0x09, 6, 2, 0, 30, 0, 40, 0])
    session.exchange([0x0A, 30, 0], [0x0B] + uuid)
    session.exchange([0x08, 30, 0, 40, 0, 0x03, 0x28], [0x09, 21, 31, 0, 2, 32, 0] + uuid)
    session.exchange([0x0A, 32, 0], [0x0B, 1])
    let cassette = try Cassette(capture: session.snoop())
    #expect(cassette.device.services.map(\.isPrimary) == [true, false])
    #expect(cassette.device.services[1].uuid.uuidString == "100F0E0D-0C0B-0A09-0807-060504030201")
    #expect(cassette.steps.map(\.attribute) == [Cassette.Attribute(service: 1, characteristic: 0)])
  }

  @Test("The log of an Android phone that drove a model car becomes a cassette")
  func phoneLog() throws {
    let file = try #require(Bundle.module.url(forResource: "Captures/model-car", withExtension: "btsnoop"))
    let cassette = try Cassette(capture: Data(contentsOf: file))
    let services = ["180A", "FFE0", "FFE5", "FFA0", "FF90", "FF30", "FF10"]
    #expect(cassette.device.services.map(\.uuid.uuidString) == services)
    #expect(cassette.device.services[4].characteristics.count == 8 && cassette.mtu == 23)
    #expect(cassette.device.services[0].characteristics[1].value == Data("V0.29_V0.4\0\0".utf8))
    let commands = cassette.steps.filter {
      guard case .writeWithoutResponse = $0.event else { return false }
      return $0.attribute == Cassette.Attribute(service: 2, characteristic: 0)
    }
    #expect(cassette.steps.count == 71 && commands.count == 57)
    #expect(cassette.steps.first { $0.attribute == Self.value }?.event == .read(.masked(count: 8)))
    #expect(try Cassette(json: cassette.json()) == cassette)
  }

  // MARK: Refusals

  private func code(_ capture: Data, device: String? = nil) -> CassetteError.Code? {
    do throws(CassetteError) {
      _ = try Cassette(capture: capture, device: device)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("A capture without a discovery is refused, with what to do")
  func noDatabase() throws {
    var session = CapturedSession()
    session.connected()
    session.exchange([0x0A, 3, 0], [0x0B, 1])
    #expect(code(session.snoop()) == .noDatabase)
    let error = #expect(throws: CassetteError.self) { try Cassette(capture: session.snoop()) }
    #expect(error?.description.contains("record from the first connection on") == true)
  }

  @Test("With several devices one is named, by its address or its name")
  func severalDevices() throws {
    var session = Self.discovered()
    let second: [UInt8] = [1, 0, 0, 0, 0, 0xC0]
    session.advertisement([5, 9] + Array("Lamp".utf8), from: second)
    session.connected(0x41, to: second)
    session.sent([0x0A, 3, 0], on: 0x41)
    #expect(code(session.snoop()) == .severalDevices)
    #expect(code(session.snoop(), device: "Lamp") == .noDatabase)
    #expect(code(session.snoop(), device: "Bulb") == .noDevice)
    #expect(code(session.snoop(), device: CapturedSession.addressText.lowercased()) == nil)
  }

  @Test("A capture of nothing, a text and a damaged one are refused")
  func noCapture() throws {
    #expect(code(CapturedSession().snoop()) == .noExchange)
    #expect(code(Data()) == .notACapture)
    #expect(code(Data("{}".utf8)) == .notACapture)
    #expect(code(Data("btsnoop\0".utf8)) == .notACapture)
    #expect(code(CapturedSession().snoop(1003)) == .notACapture)
    var damaged = Self.whole.snoop()
    damaged[16 + 3] = 0xFF
    damaged[16 + 7] = 0xFF
    damaged[16 + 4] = 0x10
    #expect(code(damaged) == .notACapture)
  }

  @Test("Wherever a capture is cut, what came before is there")
  func cuts() throws {
    let file = Self.whole.snoop()
    let count = try Cassette(capture: file).steps.count
    #expect(try Cassette(capture: file.dropLast(1)).steps.count == count - 1)
    for length in 16..<file.count {
      switch code(file.prefix(length)) {
      case nil, .noExchange?, .noDatabase?: break
      case let code?: Issue.record("\(code) after \(length) bytes")
      }
    }
  }

  @Test("Damaged packets make a cassette that can be read again, or an error")
  func damage() throws {
    var random: UInt64 = 1
    func next(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    var cassettes = 0
    for _ in 0..<2000 {
      var session = Self.whole
      for _ in 0...next(3) {
        let packet = next(session.packets.count)
        let byte = next(session.packets[packet].bytes.count)
        session.packets[packet].bytes[byte] = UInt8(next(256))
      }
      guard let cassette = try? Cassette(capture: session.snoop()) else { continue }
      cassettes += 1
      #expect(try Cassette(json: cassette.json()) == cassette)
    }
    #expect(cassettes > 1000)
  }
}
