/// The fields of an HTTP message, in order; several lines of one name stay separate.
public struct HTTPFields: Sendable, Hashable {
  /// Name and value of each line; names in any case.
  public var lines: [(name: String, value: String)]

  /// Creates fields from lines.
  public init(_ lines: [(name: String, value: String)] = []) { self.lines = lines }

  /// The values of a field, trimmed and joined by a comma and a space (RFC 9421 2.1); nil if no line has that name.
  public subscript(_ name: String) -> String? {
    var combined: String?
    for line in lines where Self.isSameName(line.name, name) {
      let value = line.value.trimmed
      combined = combined.map { "\($0), \(value)" } ?? value
    }
    return combined
  }

  /// The number of lines of a field.
  func count(of name: String) -> Int {
    lines.reduce(0) { Self.isSameName($1.name, name) ? $0 + 1 : $0 }
  }

  /// The value of each line of a field, trimmed.
  package func values(of name: String) -> [String] {
    lines.filter { Self.isSameName($0.name, name) }.map(\.value.trimmed)
  }

  /// Replaces all lines of a name with one line at the end.
  package mutating func replace(_ name: String, with value: String) {
    remove(name)
    lines.append((name, value))
  }

  /// Removes all lines of a name.
  package mutating func remove(_ name: String) {
    lines.removeAll { Self.isSameName($0.name, name) }
  }

  /// Whether both have the same lines, names compared without case.
  public static func == (a: HTTPFields, b: HTTPFields) -> Bool {
    a.lines.count == b.lines.count
      && zip(a.lines, b.lines).allSatisfy { isSameName($0.name, $1.name) && $0.value == $1.value }
  }

  /// Hashes the lines.
  public func hash(into hasher: inout Hasher) {
    for line in lines {
      for byte in line.name.utf8 { hasher.combine(byte.lowercasedASCII) }
      hasher.combine(line.value)
    }
  }

  /// Names are ASCII (RFC 9110 5.1), so only ASCII letters have a case.
  private static func isSameName(_ a: String, _ b: String) -> Bool {
    let (a, b) = (a.utf8Span.span, b.utf8Span.span)
    guard a.count == b.count else { return false }
    for index in a.indices where a[index].lowercasedASCII != b[index].lowercasedASCII { return false }
    return true
  }
}

extension UInt8 {
  /// The lowercase form of an ASCII capital.
  var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension String {
  /// The text without HTTP white space at both ends.
  fileprivate var trimmed: String {
    if let first = utf8.first, let last = utf8.last, first > 0x20, last > 0x20 { return self }
    let kept = utf8.drop { $0 == 0x20 || $0 == 0x09 }
    let end = kept.lastIndex { $0 != 0x20 && $0 != 0x09 }
    guard let end else { return "" }
    return String(kept[...end]) ?? ""
  }
}
