import LatchkeyByteCoding

/// Splits a byte stream into HCI packets (Core 6.0 Vol 4 Part A 2: one indicator byte, then the packet with its length
/// in the header).
///
/// A stream out of step cannot resynchronize, so the first wrong indicator is final: every later call throws the same
/// error. At most one packet is buffered, whose length its header bounds, and the bytes that arrived with its end.
struct H4Framer: Sendable {
  /// The writer of the stream: only hosts send commands, only controllers send events.
  enum Origin: Sendable {
    case host
    case controller
  }

  /// The longest packet: an indicator, the header of ACL data and a length of 16 bits.
  static let maximumPacketLength = 5 + 0xFFFF

  private let origin: Origin
  /// The beginning of a packet whose end has not arrived.
  private var pending: [UInt8] = []
  /// How many bytes `pending` needs before it is examined again.
  private var needed = 1
  private var failure: H4FramingError?

  init(from origin: Origin) { self.origin = origin }

  /// Whether the stream is between two packets.
  var isAtBoundary: Bool { pending.isEmpty && failure == nil }

  /// Handles the next bytes of the stream, split anywhere, and calls `deliver` with each packet that they complete, its
  /// indicator first.
  mutating func receive(_ bytes: [UInt8], deliver: ([UInt8]) -> Void) throws(H4FramingError) {
    if let failure { throw failure }
    if pending.isEmpty { pending = bytes } else { pending.append(contentsOf: bytes) }
    guard pending.count >= needed else { return }
    var reader = ByteReader(pending)
    do throws(ByteCodingError) {
      needed = try count(of: reader)
      while needed <= reader.remaining {
        deliver(try reader.bytes(needed, "H4 packet"))
        needed = try count(of: reader)
      }
      pending = reader.remainingBytes()
    } catch {
      let failure = H4FramingError.unknownIndicator(reader.peek() ?? 0)
      self.failure = failure
      pending = []
      throw failure
    }
  }

  /// The length of the packet at the beginning of `reader`, or a lower bound while its header is incomplete.
  private func count(of reader: ByteReader) throws(ByteCodingError) -> Int {
    guard let indicator = reader.peek() else { return 1 }
    let header = 1 + (try headerLength(of: indicator))
    guard reader.remaining >= header else { return header }
    var reader = reader
    try reader.skip(1, "H4 indicator")
    return header + (try payloadLength(of: indicator, &reader))
  }

  /// The length of the header after `indicator` (Core 6.0 Vol 4 Part E 5.4).
  private func headerLength(of indicator: UInt8) throws(ByteCodingError) -> Int {
    switch (indicator, origin) {
    case (0x01, .host), (0x03, _): 3
    case (0x02, _), (0x05, _): 4
    case (0x04, .controller): 2
    default: throw .invalidValue(field: "H4 indicator")
    }
  }

  /// The length in a header: of ACL data 16 bits, of ISO data 14, of events, commands and SCO data 8.
  private func payloadLength(of indicator: UInt8, _ header: inout ByteReader) throws(ByteCodingError) -> Int {
    try header.skip(indicator == 0x04 ? 1 : 2, "event code, opcode or connection handle")
    return switch indicator {
    case 0x02: Int(try header.uint16("ACL data length"))
    case 0x05: Int(try header.uint16("ISO data length") & 0x3FFF)
    default: Int(try header.uint8("parameter length"))
    }
  }
}

/// Why a byte stream is not a valid H4 stream.
enum H4FramingError: Error, Equatable, CustomStringConvertible {
  /// A packet begins with this byte, which is not a packet type that this side of the stream may send.
  case unknownIndicator(UInt8)

  var description: String {
    switch self {
    case .unknownIndicator(let byte):
      "a packet begins with 0x\(Hexadecimal.encode([byte])), which is no H4 packet indicator from this side"
    }
  }
}
