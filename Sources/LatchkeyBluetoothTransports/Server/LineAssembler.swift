/// Cuts bytes that arrive in parts into lines of text; `\r` before the end of a line is not part of it.
package struct LineAssembler: Sendable {
  /// The longest line, in bytes.
  package static let longestLine = 4096

  /// One line.
  package enum Line: Sendable, Equatable {
    case text(String)
    case notUTF8
    /// It has more bytes than a line may have, and there are no more lines.
    case tooLong
  }

  /// The bytes of a line that has no end yet.
  private var pending: [UInt8] = []
  /// Whether a line was too long. No more bytes are taken then.
  package private(set) var isTooLong = false

  package init() {}

  /// Adds bytes. Returns the lines that end in them.
  package mutating func receive(_ bytes: some Collection<UInt8>) -> [Line] {
    var lines: [Line] = []
    var rest = Array(bytes)[...]
    while !isTooLong {
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      pending += rest[..<(end ?? rest.endIndex)]
      guard pending.count <= Self.longestLine else {
        isTooLong = true
        pending = []
        lines.append(.tooLong)
        break
      }
      guard let end else { break }
      rest = rest[(end + 1)...]
      if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
      lines.append(String(validating: pending, as: UTF8.self).map { .text($0) } ?? .notUTF8)
      pending.removeAll(keepingCapacity: true)
    }
    return lines
  }
}
