import LatchkeyByteCoding

/// Cuts a byte stream into HCI packets (Core 6.0 Vol 4 Part A 2: one indicator byte, then the packet; the packet's own
/// header says how long it is).
///
/// A stream that has lost its place cannot find it again, so the first wrong indicator is the end: every call after it
/// throws the same error. No more is kept than one packet, whose length its header bounds, and what came with its end.
struct H4Framer: Sendable {
  /// Who writes the stream: commands come from hosts alone, events from controllers alone.
  enum Origin: Sendable {
    case host
    case controller
  }

  /// The longest packet: an indicator, the header of ACL data and a length of 16 bits.
  static let maximumPacketLength = 5 + 0xFFFF

  private let origin: Origin
  /// The beginning of a packet whose end has not come.
  private var pending: [UInt8] = []
  /// How many bytes `pending` must have before it is worth another look.
  private var needed = 1
  private var failure: H4FramingError?

  init(from origin: Origin) { self.origin = origin }

  /// Whether the stream stands between two packets.
  var isAtBoundary: Bool { pending.isEmpty && failure == nil }

  /// Takes the next bytes of the stream, cut anywhere, and calls `deliver` with each packet that they complete, its
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

  /// How many bytes the packet at the beginning of `reader` has, or at least has as far as can be told.
  private func count(of reader: ByteReader) throws(ByteCodingError) -> Int {
    guard let indicator = reader.peek() else { return 1 }
    let header = 1 + (try headerLength(of: indicator))
    guard reader.remaining >= header else { return header }
    var reader = reader
    try reader.skip(1, "H4 indicator")
    return header + (try payloadLength(of: indicator, &reader))
  }

  /// How long the header after `indicator` is (Core 6.0 Vol 4 Part E 5.4).
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

/// Why a byte stream is no H4 stream.
enum H4FramingError: Error, Equatable, CustomStringConvertible {
  /// A packet begins with this byte, which names no packet that this side of the stream may send.
  case unknownIndicator(UInt8)

  var description: String {
    switch self {
    case .unknownIndicator(let byte):
      "a packet begins with 0x\(Hexadecimal.encode([byte])), which is no H4 packet indicator from this side"
    }
  }
}
