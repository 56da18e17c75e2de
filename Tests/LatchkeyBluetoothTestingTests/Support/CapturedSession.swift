import Foundation

/// The packets of a capture, byte by byte, and the files that hold them.
struct CapturedSession {
  enum Kind: UInt8 { case command = 1, data = 2, event = 4 }

  struct Packet {
    var microseconds: UInt64
    var isReceived: Bool
    var kind: Kind
    var bytes: [UInt8]
  }

  /// C0:FF:EE:12:34:56, as HCI carries it.
  static let address: [UInt8] = [0x56, 0x34, 0x12, 0xEE, 0xFF, 0xC0]
  static let addressText = "C0:FF:EE:12:34:56"

  var packets: [Packet] = []
  /// Milliseconds since the beginning.
  private var now: UInt64 = 0

  private mutating func add(_ kind: Kind, _ bytes: [UInt8], isReceived: Bool) {
    now += 1
    packets.append(Packet(microseconds: now * 1000, isReceived: isReceived, kind: kind, bytes: bytes))
  }

  mutating func pause(milliseconds: UInt64) { now += milliseconds }

  /// LE Advertising Report; event types are those of HCI: 0 connectable, 4 a scan response.
  mutating func advertisement(_ data: [UInt8], from address: [UInt8] = Self.address, type: UInt8 = 0, rssi: Int8 = -50)
  {
    var report: [UInt8] = [0x02, 0x01, type, 0x01]
    report += address
    report.append(UInt8(data.count))
    report += data
    report.append(UInt8(bitPattern: rssi))
    add(.event, [0x3E, UInt8(report.count)] + report, isReceived: true)
  }

  /// LE Connection Complete.
  mutating func connected(_ handle: UInt8 = 0x40, isPeripheral: Bool = false, to address: [UInt8] = Self.address) {
    let role: UInt8 = isPeripheral ? 1 : 0
    var event: [UInt8] = [0x01, 0x00, handle, 0x00, role, 0x01]
    event += address
    event += [24, 0, 0, 0, 0xF4, 1, 0] as [UInt8]
    add(.event, [0x3E, UInt8(event.count)] + event, isReceived: true)
  }

  mutating func disconnected(_ handle: UInt8 = 0x40) {
    add(.event, [0x05, 4, 0, handle, 0, 0x13], isReceived: true)
  }

  /// A PDU that the host sends.
  mutating func sent(_ pdu: [UInt8], on handle: UInt8 = 0x40, channel: UInt8 = 4) {
    frame(pdu, handle, channel, isReceived: false)
  }

  /// A PDU that the host receives, in fragments of 20 bytes.
  mutating func received(_ pdu: [UInt8], on handle: UInt8 = 0x40, channel: UInt8 = 4) {
    frame(pdu, handle, channel, isReceived: true)
  }

  private mutating func frame(_ pdu: [UInt8], _ handle: UInt8, _ channel: UInt8, isReceived: Bool) {
    var rest: [UInt8] = [UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8), channel, 0]
    rest += pdu
    var flags: UInt8 = isReceived ? 0x20 : 0x00
    while !rest.isEmpty {
      let part = Array(rest.prefix(isReceived ? 20 : 251))
      rest = Array(rest.dropFirst(part.count))
      let header: [UInt8] = [handle, flags, UInt8(part.count), 0]
      add(.data, header + part, isReceived: isReceived)
      flags = 0x10
    }
  }

  /// A request and its answer, from the host to the device.
  mutating func exchange(_ request: [UInt8], _ answer: [UInt8]) {
    sent(request)
    received(answer)
  }

  /// Discovers a service FFF0 (1 to 20): FFF1 (3) with a configuration (4) and a user description (5), FFF2 (7), and the serial
  /// number (9).
  mutating func discovers() {
    exchange([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28], [0x11, 6, 1, 0, 20, 0, 0xF0, 0xFF])
    exchange([0x10, 21, 0, 0xFF, 0xFF, 0x00, 0x28], [0x01, 0x10, 21, 0, 0x0A])
    exchange(
      [0x08, 1, 0, 20, 0, 0x03, 0x28],
      [0x09, 7, 2, 0, 0x3A, 3, 0, 0xF1, 0xFF, 6, 0, 0x0E, 7, 0, 0xF2, 0xFF, 8, 0, 0x02, 9, 0, 0x25, 0x2A])
    exchange([0x08, 9, 0, 20, 0, 0x03, 0x28], [0x01, 0x08, 9, 0, 0x0A])
    exchange([0x04, 4, 0, 5, 0], [0x05, 1, 4, 0, 0x02, 0x29, 5, 0, 0x01, 0x29])
  }

  // MARK: Files

  private static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian, Array.init)
  }

  /// A btsnoop file of link type 1001, 1002 or 2001.
  func snoop(_ linkType: UInt32 = 1002) -> Data {
    var file = Array("btsnoop\0".utf8)
    file += Self.bigEndian(1 as UInt32)
    file += Self.bigEndian(linkType)
    for packet in packets {
      let bytes = linkType == 1002 ? [packet.kind.rawValue] + packet.bytes : packet.bytes
      let received: UInt32 = packet.isReceived ? 1 : 0
      let flags: UInt32
      switch packet.kind {
      case .command: flags = linkType == 2001 ? 2 : received | 2
      case .event: flags = linkType == 2001 ? 3 : received | 2
      case .data: flags = linkType == 2001 ? 4 + received : received
      }
      let count = Self.bigEndian(UInt32(bytes.count))
      file += count
      file += count
      file += Self.bigEndian(flags)
      file += Self.bigEndian(0 as UInt32)
      let time: UInt64 = 0x00DC_DDB3_0F2F_8000 + packet.microseconds
      file += Self.bigEndian(time)
      file += bytes
    }
    return Data(file)
  }

  /// A file of PacketLogger, with a note first.
  func packetLogger(isLittleEndian: Bool = false) -> Data {
    func number(_ number: Int) -> [UInt8] {
      let bytes = Self.bigEndian(UInt32(number))
      return isLittleEndian ? bytes.reversed() : bytes
    }
    var file = number(9 + 4)
    file += number(0)
    file += number(0)
    file += [0xFC] + Array("note".utf8)
    for packet in packets {
      let type: UInt8 =
        switch packet.kind {
        case .command: 0
        case .event: 1
        case .data: packet.isReceived ? 3 : 2
        }
      file += number(9 + packet.bytes.count)
      file += number(Int(packet.microseconds / 1_000_000))
      file += number(Int(packet.microseconds % 1_000_000))
      file += [type] + packet.bytes
    }
    return Data(file)
  }
}
