internal import LatchkeyByteCoding

/// Bytes encoded as base64 in JSON (RFC 4648 4, padded, unbroken, strict).
public struct Base64Bytes: Codable, Sendable, Hashable {
  /// The bytes.
  public var bytes: [UInt8]

  /// Creates the value from bytes.
  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// Decodes strict base64.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let bytes = try? Base64.decode(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64 of RFC 4648 section 4")
    }
    self.bytes = bytes
  }

  /// Encodes base64.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64.encode(bytes))
  }
}

/// base64url without padding (RFC 4648 section 5), for bytes in fields and names: the public names of `Base64.Form.urlUnpadded`.
public enum Base64URL {
  /// Encodes bytes.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String { Base64.encode(Array(bytes), as: .urlUnpadded) }

  /// Decodes a text; nil unless it is the text that ``encode(_:)`` makes of the bytes.
  public static func decode(_ text: String) -> [UInt8]? { try? Base64.decode(text, as: .urlUnpadded) }
}
