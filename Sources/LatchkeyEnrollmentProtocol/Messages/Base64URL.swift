internal import LatchkeyByteCoding

/// base64url without padding (RFC 4648 section 5), for bytes in fields and names: the public names of `Base64.Form.urlUnpadded`.
public enum Base64URL {
  /// Encodes bytes.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String { Base64.encode(Array(bytes), as: .urlUnpadded) }

  /// Decodes a text; nil unless it is the text that ``encode(_:)`` makes of the bytes.
  public static func decode(_ text: String) -> [UInt8]? { try? Base64.decode(text, as: .urlUnpadded) }
}
