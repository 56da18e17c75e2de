internal import Foundation

/// base64url without padding (RFC 4648 5), for bytes in fields and names.
public enum Base64URL {
  /// The text of bytes.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The bytes of a text; nil unless it is just what ``encode(_:)`` makes of them.
  public static func decode(_ text: String) -> [UInt8]? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let standard = text.replacing("-", with: "+").replacing("_", with: "/") + padding
    guard let data = Data(base64Encoded: standard), encode(data) == text else { return nil }
    return Array(data)
  }
}
