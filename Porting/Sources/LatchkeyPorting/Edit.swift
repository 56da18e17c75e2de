/// A change of a file: these bytes are replaced by others.
public struct Edit: Hashable, Sendable {
  /// The offsets of the bytes that are replaced; empty where something is inserted.
  public let range: Range<Int>
  /// What stands there then.
  public let replacement: [UInt8]

  init(_ range: Range<Int>, _ replacement: String = "") {
    self.range = range
    self.replacement = Array(replacement.utf8)
  }

  init(at offset: Int, insert text: String) { self.init(offset..<offset, text) }

  /// Whether two edits, in order, do not touch the same byte.
  static func areApart(_ edits: [Edit]) -> Bool {
    zip(edits, edits.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound }
  }
}

extension [Edit] {
  /// The bytes with all edits, which are in order and apart.
  public func applied(to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var offset = 0
    for edit in self {
      result += bytes[offset..<edit.range.lowerBound]
      result += edit.replacement
      offset = edit.range.upperBound
    }
    return result + bytes[offset...]
  }
}
