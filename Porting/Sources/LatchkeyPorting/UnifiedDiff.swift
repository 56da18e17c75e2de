/// The edits of a file as a unified diff, which `patch -p1` and `git apply` read.
public enum UnifiedDiff {
  /// Lines that are shown around a change.
  private static let context = 3
  private typealias Lines = [ArraySlice<UInt8>]

  /// Lines that are replaced by others.
  private struct Change {
    /// The numbers, from 0 on, of the lines that go.
    var old: Range<Int>
    var new: Lines
  }

  /// The diff of a file, with its headers; empty without edits.
  ///
  /// - Parameter path: the file's path below the folder that is patched.
  public static func text(of edits: [Edit], in bytes: [UInt8], path: String) -> [UInt8] {
    let old = lines(of: bytes[...])
    let changes = changes(by: edits, in: bytes)
    guard !changes.isEmpty else { return [] }
    var result = Array("--- \(quoted("a/" + path))\n+++ \(quoted("b/" + path))\n".utf8)
    var shift = 0
    for group in groups(of: changes) {
      result += hunk(group, of: old, shift: shift)
      shift += group.reduce(0) { $0 + $1.new.count - $1.old.count }
    }
    return result
  }

  /// A path as git writes it: between quotation marks, with escapes, if it has control characters, quotation marks or backslashes.
  public static func quoted(_ path: String) -> String {
    let isPlain = path.unicodeScalars.allSatisfy { !isSpecial($0) }
    guard !isPlain else { return path }
    return "\"" + path.unicodeScalars.map(escaped).joined() + "\""
  }

  private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: scalar == "\"" || scalar == "\\"
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    guard isSpecial(scalar) else { return String(scalar) }
    if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
    return String(scalar).utf8.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }.joined()
  }

  /// A text's lines with their ends; the last may have none.
  private static func lines(of bytes: ArraySlice<UInt8>) -> Lines {
    var lines: Lines = []
    var start = bytes.startIndex
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
      lines.append(bytes[start...index])
      start = index + 1
    }
    if start < bytes.endIndex { lines.append(bytes[start...]) }
    return lines
  }

  /// The lines that edits touch, without those that stay the same.
  private static func changes(by edits: [Edit], in bytes: [UInt8]) -> [Change] {
    let table = LineTable(bytes)
    var changes: [Change] = []
    var rest = edits[...]
    while let first = rest.first {
      // Edits on the same line, or on lines of one another, are one change.
      let from = table.line(at: first.range.lowerBound) - 1
      var to = table.line(at: first.range.upperBound) - 1
      var together: [Edit] = []
      while let next = rest.first, table.line(at: next.range.lowerBound) - 1 <= to {
        to = max(to, table.line(at: next.range.upperBound) - 1)
        together.append(next)
        rest = rest.dropFirst()
      }
      let start = table.starts[from]
      let end = to + 1 < table.starts.count ? table.starts[to + 1] : bytes.count
      let old = lines(of: bytes[start..<end])
      let moved = together.map { edit in
        Edit(moving: edit, by: -start)
      }
      let new = lines(of: moved.applied(to: Array(bytes[start..<end]))[...])
      let prefix = zip(old, new).prefix { $0.elementsEqual($1) }.count
      let suffix = zip(old.dropFirst(prefix).reversed(), new.dropFirst(prefix).reversed())
        .prefix { $0.elementsEqual($1) }.count
      changes.append(
        Change(old: from + prefix..<from + old.count - suffix, new: Array(new.dropFirst(prefix).dropLast(suffix))))
    }
    return changes
  }

  /// Changes whose context touches are shown together.
  private static func groups(of changes: [Change]) -> [[Change]] {
    changes.reduce(into: []) { groups, change in
      if let last = groups.last?.last, change.old.lowerBound - last.old.upperBound <= 2 * context {
        groups[groups.count - 1].append(change)
      } else {
        groups.append([change])
      }
    }
  }

  private static func hunk(_ group: [Change], of old: Lines, shift: Int) -> [UInt8] {
    guard let first = group.first, let last = group.last else { return [] }
    let from = max(0, first.old.lowerBound - context)
    let to = min(old.count, last.old.upperBound + context)
    let added = group.reduce(0) { $0 + $1.new.count - $1.old.count }
    var result = Array(
      "@@ -\(range(from, to - from)) +\(range(from + shift, to - from + added)) @@\n".utf8)
    var position = from
    for change in group {
      for line in old[position..<change.old.lowerBound] { result += shown(line, as: " ") }
      for line in old[change.old] { result += shown(line, as: "-") }
      for line in change.new { result += shown(line, as: "+") }
      position = change.old.upperBound
    }
    for line in old[position..<to] { result += shown(line, as: " ") }
    return result
  }

  /// Lines of a hunk, from 1 on; an empty range is named by the line before it.
  private static func range(_ start: Int, _ count: Int) -> String { "\(count == 0 ? start : start + 1),\(count)" }

  private static func shown(_ line: ArraySlice<UInt8>, as mark: Unicode.Scalar) -> [UInt8] {
    let text = Array(String(mark).utf8) + line
    return line.last == UInt8(ascii: "\n") ? text : text + Array("\n\\ No newline at end of file\n".utf8)
  }
}

extension Edit {
  /// The same edit in a text that begins elsewhere.
  fileprivate init(moving edit: Edit, by distance: Int) {
    range = edit.range.lowerBound + distance..<edit.range.upperBound + distance
    replacement = edit.replacement
  }
}
