import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// The link of a couple's peripheral, whose peer is played by hand: PDUs go in as text, what the host sends and reports
/// comes out as text.
struct RawLink {
  let couple: Couple
  let psm: UInt16

  /// - Parameter needsEncryption: whether the service with channels needs an encrypted link.
  init(needsEncryption: Bool = false) throws {
    couple = try Couple()
    let device = couple.device
    psm = try #require(
      couple.peripheral.with { host, _ in
        host.publishChannel(device, ChannelSecurity(needsEncryption: needsEncryption))
      })
    couple.peripheral.isConsuming = false
  }

  /// The host receives a PDU on a channel; answers and events are returned, each frame as `channel:payload`.
  @discardableResult
  func receive(_ channel: UInt16, _ hexadecimal: String) throws -> [String] {
    try receive(channel, bytes: Hexadecimal.decode(hexadecimal.filter { $0 != " " }))
  }

  @discardableResult
  func receive(_ channel: UInt16, bytes: [UInt8]) throws -> [String] {
    var writer = ByteWriter()
    writer.uint8(0x02)
    writer.uint16(0x2001)
    writer.uint16(UInt16(bytes.count + 4))
    writer.uint16(UInt16(bytes.count))
    writer.uint16(channel)
    writer.append(bytes)
    let packet = writer.bytes
    return perform { host, now in host.receive(packet, now: now) }
  }

  /// Lets the host do something, and returns what it sends and reports. Its controller sends each packet at once.
  @discardableResult
  func perform(_ body: (inout Host, Duration) -> Void) -> [String] {
    couple.peripheral.with { host, now in
      body(&host, now)
      var words: [String] = []
      var reassembler = ACLReassembler()
      while true {
        let outputs = host.dequeueOutputs()
        guard !outputs.isEmpty else { return words }
        var packets: UInt8 = 0
        for output in outputs {
          switch output {
          case .event(let event, _): words.append(Actor.words(event))
          case .packet(let packet):
            guard packet.first == 0x02, let data = try? ACLPacket(decoding: packet) else { continue }
            packets += 1
            guard var frame = reassembler.receive(data) else { continue }
            words.append("\(frame.channel.rawValue):" + Hexadecimal.encode(frame.payload.remainingBytes()))
          default: break
          }
        }
        if packets > 0 { host.receive([0x04, 0x13, 0x05, 0x01, 0x01, 0x00, packets, 0x00], now: now) }
      }
    }
  }

  /// Opens a channel from the peer's identifier 0x0040, with these limits of the peer.
  func open(source: UInt16 = 0x0040, mtu: UInt16 = 100, mps: UInt16 = 50, credits: UInt16 = 10) throws -> [String] {
    var writer = ByteWriter()
    writer.append([0x14, 0x01, 0x0A, 0x00])
    for field in [psm, source, mtu, mps, credits] { writer.uint16(field) }
    return try receive(5, bytes: writer.bytes)
  }

  /// The channel that was opened last.
  var channel: ChannelID? { couple.peripheral.with { host, _ in host.links.first?.channels.all.last?.id } }
}
