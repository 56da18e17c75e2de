/// The page of a device that has joined, which the first string of its result names.
enum ImprovPage {
  /// The page if it is a URL of the Web in printable ASCII; nil for all else, such as `javascript:`, which nobody should open.
  static func page(in strings: [[UInt8]]) -> String? {
    guard let bytes = strings.first, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    let lowercased = text.lowercased()
    for scheme in ["http://", "https://"] where lowercased.hasPrefix(scheme) && text.utf8.count > scheme.utf8.count {
      return text
    }
    return nil
  }
}
