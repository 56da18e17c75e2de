/// One row of a terminal with a line that is edited, as what has to be written to it.
enum EditorView {
  /// Takes the row away.
  static let clear = "\r\u{1B}[K"

  /// The row anew: the prompt, as much of the line around the cursor as fits, and the cursor where it is.
  static func row(prompt: String, _ text: [Character], cursor: Int, columns: Int) -> String {
    let room = max(columns - prompt.count - 1, 1)
    var start = cursor
    var before = 0
    while start > 0, before + width(text[start - 1]) <= room {
      start -= 1
      before += width(text[start])
    }
    var end = cursor
    var after = before
    while end < text.count, after + width(text[end]) <= room {
      after += width(text[end])
      end += 1
    }
    let column = prompt.count + before
    return clear + prompt + String(text[start..<end]) + "\r" + (column > 0 ? "\u{1B}[\(column)C" : "")
  }

  /// The columns that a character fills: two for what East Asian scripts and pictures need (Unicode Standard Annex 11).
  static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// Candidates in columns, or as many as `most` allows.
  static func list(_ candidates: [String], columns: Int, most: Int = 100) -> String {
    let shown = candidates.prefix(most).map { String($0.drop { $0 == " " }) }
    let width = min((shown.map(\.count).max() ?? 0) + 2, max(columns, 1))
    let each = max(columns / max(width, 1), 1)
    var lines: [String] = []
    for start in stride(from: 0, to: shown.count, by: each) {
      let cells = shown[start..<min(start + each, shown.count)]
      let padded = cells.dropLast().map { $0 + String(repeating: " ", count: max(width - $0.count, 1)) }
      lines.append(padded.joined() + (cells.last ?? ""))
    }
    if candidates.count > most { lines.append("and \(candidates.count - most) more") }
    return lines.map { "\($0)\n" }.joined()
  }
}
