internal import Foundation

/// Base64 of RFC 4648 section 4 with one text for each byte string: padded, unbroken, no bits beyond the last byte.
enum StrictBase64 {
  /// The bytes of a text; nil unless it is the very text that ``encode(_:)`` makes of them.
  static func decode(_ text: String) -> [UInt8]? {
    guard let data = Data(base64Encoded: text), data.base64EncodedString().utf8.elementsEqual(text.utf8) else {
      return nil
    }
    return Array(data)
  }

  /// The text of bytes.
  static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
