import LatchkeyByteCoding

/// The type of a legacy frame, its first byte.
public enum LegacyFrameType: UInt8, Sendable, CaseIterable {
  /// The app's public key, x and y: 48 bytes.
  case appKey = 0x10
  /// The device's public key, x and y: 48 bytes.
  case deviceKey = 0x11
  /// Ciphertext from the app.
  case appData = 0x20
  /// Ciphertext from the device.
  case deviceData = 0x21

  /// Whether the payload is a public key.
  public var isKey: Bool { self == .appKey || self == .deviceKey }
}

/// Why bytes are not a legacy frame.
public enum LegacyFrameError: Error, Equatable, Sendable {
  /// A frame starts with this byte, which is no type.
  case unknownType(UInt8)
  /// A key's payload has, or announces, this many bytes instead of 48.
  case keyLength(Int)
  /// A ciphertext has, or announces, this many bytes: none, or not a multiple of 16.
  case ciphertextLength(Int)
  /// A frame has, or announces, `length` bytes, its header included, and only `maximum` are accepted.
  case tooLong(length: Int, maximum: Int)
}

/// One frame of the legacy protocol: type (1), payload length (2, big-endian), payload.
///
/// A key frame's payload is 48 bytes; a data frame's is a positive multiple of 16.
public struct LegacyFrame: Equatable, Sendable {
  /// The header's length in bytes.
  public static let headerLength = 3
  /// A frame's greatest length in bytes, header included: the greatest multiple of 16 that two bytes can announce.
  public static let greatestLength = headerLength + 0xFFF0

  /// The type of the payload.
  public let type: LegacyFrameType
  /// A public key or a ciphertext.
  public let payload: [UInt8]

  /// A frame of this type and payload.
  ///
  /// - Throws: `keyLength`, `ciphertextLength` or `tooLong`.
  public init(type: LegacyFrameType, payload: [UInt8]) throws(LegacyFrameError) {
    let header = Header(type: type, payloadLength: payload.count)
    try header.check(maximumFrameLength: Self.greatestLength)
    self.init(header, payload: payload)
  }

  init(_ header: Header, payload: [UInt8]) {
    type = header.type
    self.payload = payload
  }

  /// The bytes of the frame.
  public var encoded: [UInt8] {
    var writer = ByteWriter(capacity: Self.headerLength + payload.count)
    writer.uint8(type.rawValue)
    writer.uint16BigEndian(UInt16(truncatingIfNeeded: payload.count))
    writer.append(payload)
    return writer.bytes
  }

  /// `frame` cut into values of at most `maximumLength` bytes, in order; a maximum below 1 counts as 1.
  ///
  /// Each direction is a stream of bytes, so a receiver accepts any cut. A sender's limit is ATT_MTU - 3, and 512.
  public static func values(of frame: [UInt8], maximumLength: Int) -> [[UInt8]] {
    let length = max(1, maximumLength)
    return stride(from: 0, to: frame.count, by: length).map { Array(frame[$0..<min($0 + length, frame.count)]) }
  }
}

extension LegacyFrame {
  /// The first three bytes.
  struct Header: Sendable {
    let type: LegacyFrameType
    let payloadLength: Int

    init(type: LegacyFrameType, payloadLength: Int) {
      self.type = type
      self.payloadLength = payloadLength
    }

    /// Validates the length before a byte of the payload is stored.
    func check(maximumFrameLength: Int) throws(LegacyFrameError) {
      if type.isKey {
        guard payloadLength == Secp192k1.publicKeyLength else { throw .keyLength(payloadLength) }
      } else {
        guard payloadLength > 0, payloadLength % LegacyMessageKey.blockLength == 0 else {
          throw .ciphertextLength(payloadLength)
        }
      }
      let length = LegacyFrame.headerLength + payloadLength
      guard length <= maximumFrameLength else { throw .tooLong(length: length, maximum: maximumFrameLength) }
    }
  }
}
