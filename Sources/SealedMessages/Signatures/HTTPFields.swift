/// The fields of an HTTP message, in their order, several lines of one name kept apart.
public struct HTTPFields: Sendable, Hashable {
  /// Name and value of each line; names in any case.
  public var lines: [(name: String, value: String)]

  /// These lines.
  public init(_ lines: [(name: String, value: String)] = []) { self.lines = lines }

  /// The values of a field, trimmed and joined by a comma and a space (RFC 9421 2.1); nil without a line of that name.
  public subscript(_ name: String) -> String? {
    let values = lines.filter { $0.name.lowercased() == name.lowercased() }.map { line in
      line.value.trimmed
    }
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Whether both have the same lines, names compared without case.
  public static func == (a: HTTPFields, b: HTTPFields) -> Bool {
    a.lines.count == b.lines.count
      && zip(a.lines, b.lines).allSatisfy { $0.name.lowercased() == $1.name.lowercased() && $0.value == $1.value }
  }

  /// Hashes the lines.
  public func hash(into hasher: inout Hasher) {
    for line in lines {
      hasher.combine(line.name.lowercased())
      hasher.combine(line.value)
    }
  }
}

extension String {
  /// Without white space of HTTP at both ends.
  fileprivate var trimmed: String {
    let kept = utf8.drop { $0 == 0x20 || $0 == 0x09 }
    let end = kept.lastIndex { $0 != 0x20 && $0 != 0x09 }
    guard let end else { return "" }
    return String(kept[...end]) ?? ""
  }
}
