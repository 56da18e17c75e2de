/// The parts of a target URI that are components (RFC 9421 2.2.3 to 2.2.8).
struct TargetURI {
  /// The scheme without the colon, in lowercase.
  let scheme: String
  /// Host and port, in lowercase, without the scheme's default port.
  let authority: String
  /// The path, at least `/`.
  let path: String
  /// The text after the question mark; nil without one.
  let query: String?

  /// Parses `scheme://authority/path?query`.
  init(_ text: String) throws(SealedMessageError) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, bytes[colon...].starts(with: "://".utf8)
    else {
      throw .malformed("target URI: no scheme and authority")
    }
    scheme = Self.lowercased(bytes[..<colon])
    let afterScheme = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "#") }
    let rest = afterScheme.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    var authority = Self.lowercased(afterScheme[..<rest.startIndex])
    guard !authority.isEmpty else { throw .malformed("target URI: no scheme and authority") }
    for (name, port) in [("https", ":443"), ("http", ":80")] where scheme == name && authority.hasSuffix(port) {
      authority.removeLast(port.count)
    }
    self.authority = authority
    let mark = rest.firstIndex(of: UInt8(ascii: "?"))
    let path = String(decoding: rest[..<(mark ?? rest.endIndex)], as: UTF8.self)
    self.path = path.isEmpty ? "/" : path
    query = mark.map { String(decoding: rest[($0 + 1)...], as: UTF8.self) }
  }

  /// The request target in origin form.
  var requestTarget: String { path + (query.map { "?" + $0 } ?? "") }

  /// The values of a query parameter, each form-decoded and encoded again (2.2.8).
  ///
  /// - Parameter name: encoded in the same way.
  func parameters(named name: String) -> [String] {
    (query ?? "").utf8.split(separator: UInt8(ascii: "&")).compactMap { pair in
      let key = pair.prefix { $0 != UInt8(ascii: "=") }
      guard Self.recoded(key) == name else { return nil }
      return Self.recoded(pair.dropFirst(key.count + 1))
    }
  }

  /// Form-decodes, then percent-encodes all but letters, digits and `*-._`. Invalid UTF-8 becomes U+FFFD, per the URL standard.
  private static func recoded(_ text: some Collection<UInt8>) -> String {
    var decoded: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalDigit,
        let low = rest.dropFirst().first?.hexadecimalDigit
      {
        decoded.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    var encoded = ""
    for byte in String(decoding: decoded, as: UTF8.self).utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        encoded += byte < 16 ? "%0" : "%"
        encoded += String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

  private static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.map(\.lowercasedASCII), as: UTF8.self)
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit.
  fileprivate var hexadecimalDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
