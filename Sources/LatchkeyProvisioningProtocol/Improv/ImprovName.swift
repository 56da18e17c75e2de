/// The names that commands 05 and 06 set.
package enum ImprovName {
  /// The name in a command's data: nil asks for the name.
  ///
  /// The specification sends the bare name; Home Assistant's client puts its length before it. A length that fits is taken as
  /// one: no name begins with such a character but names of 49 characters or more that begin with a certain digit.
  package static func requested(_ data: [UInt8]) -> [UInt8]? {
    guard let first = data.first else { return nil }
    let name = Int(first) == data.count - 1 ? Array(data.dropFirst()) : data
    return name.isEmpty ? nil : name
  }

  /// A host name of RFC 1123 2.1: labels of letters, digits and hyphens, which do not begin or end with one; else nil.
  package static func hostname(_ bytes: [UInt8]) -> String? {
    guard (1...253).contains(bytes.count) else { return nil }
    for label in bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard (1...63).contains(label.count), label.allSatisfy(isHostCharacter), label.first != UInt8(ascii: "-"),
        label.last != UInt8(ascii: "-")
      else { return nil }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A name that people see: UTF-8 without control characters; else nil.
  package static func name(_ bytes: [UInt8]) -> String? {
    guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
      default: true
      }
    }
    return isPlain ? text : nil
  }

  private static func isHostCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
