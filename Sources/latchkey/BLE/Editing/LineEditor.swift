import LatchkeySystem

/// A line that is edited by keys, with a history and completion; without a terminal.
struct LineEditor: Sendable {
  /// What a key led to.
  enum Effect: Equatable, Sendable {
    /// The line looks different.
    case changed
    /// The key could do nothing.
    case nothing
    /// The line is done.
    case line(String)
    /// There is no more input.
    case end
    case suspend, quit, clearScreen
    /// What the last word may become.
    case candidates([String])
  }

  /// What may stand for a word.
  struct Completion: Equatable, Sendable {
    /// What was typed of it: the end of the line.
    let word: String
    let candidates: [String]
  }

  /// How many lines the history has.
  static let longestHistory = 500

  private(set) var text: [Character] = []
  /// Before which character of `text` the cursor is.
  private(set) var cursor = 0
  private var bytes = 0
  private let maximum: Int
  private let complete: @Sendable (String) -> Completion
  private(set) var history: [String] = []
  /// Which line of the history is shown; its count for the new one.
  private var place = 0
  /// The new line, while one of the history is shown.
  private var draft: [Character] = []

  /// An editor of lines that have `maximum` bytes at most.
  init(maximum: Int, complete: @escaping @Sendable (String) -> Completion) {
    self.maximum = maximum
    self.complete = complete
  }

  mutating func press(_ key: KeyDecoder.Key) -> Effect {
    switch key {
    case .character(let scalar): return insert(scalar)
    case .enter: return .line(finish())
    case .endOfInput: return text.isEmpty ? .end : remove(cursor..<min(cursor + 1, text.count))
    case .suspend: return .suspend
    case .quit: return .quit
    case .clearScreen: return .clearScreen
    case .tab: return completeWord()
    case .backspace: return remove(max(cursor - 1, 0)..<cursor)
    case .delete: return remove(cursor..<min(cursor + 1, text.count))
    case .killToStart: return remove(0..<cursor)
    case .killToEnd: return remove(cursor..<text.count)
    case .killWord: return remove(startOfWord..<cursor)
    case .left: return move(to: cursor - 1)
    case .right: return move(to: cursor + 1)
    case .home: return move(to: 0)
    case .end: return move(to: text.count)
    case .wordLeft: return move(to: startOfWord)
    case .wordRight: return move(to: endOfWord)
    case .up: return show(place - 1)
    case .down: return show(place + 1)
    }
  }

  // MARK: Text

  private mutating func insert(_ scalar: Unicode.Scalar) -> Effect {
    let joins = cursor > 0 && (scalar.properties.isGraphemeExtend || scalar.value == 0x200D)
    guard joins || PrintableText.isPrintable(scalar), bytes + UTF8.width(scalar) <= maximum else { return .nothing }
    bytes += UTF8.width(scalar)
    if joins {
      // It is part of the character before it, which may become two.
      let joined = Array("\(text[cursor - 1])\(Character(scalar))")
      text.replaceSubrange(cursor - 1..<cursor, with: joined)
      cursor += joined.count - 1
    } else {
      text.insert(Character(scalar), at: cursor)
      cursor += 1
    }
    return .changed
  }

  private mutating func remove(_ range: Range<Int>) -> Effect {
    guard !range.isEmpty else { return .nothing }
    bytes -= text[range].reduce(0) { $0 + $1.utf8.count }
    text.removeSubrange(range)
    cursor = range.lowerBound
    return .changed
  }

  private mutating func move(to place: Int) -> Effect {
    guard 0...text.count ~= place, place != cursor else { return .nothing }
    cursor = place
    return .changed
  }

  private mutating func replace(with line: [Character]) {
    text = line
    cursor = line.count
    bytes = line.reduce(0) { $0 + $1.utf8.count }
  }

  private var startOfWord: Int {
    var place = cursor
    while place > 0, text[place - 1] == " " { place -= 1 }
    while place > 0, text[place - 1] != " " { place -= 1 }
    return place
  }

  private var endOfWord: Int {
    var place = cursor
    while place < text.count, text[place] == " " { place += 1 }
    while place < text.count, text[place] != " " { place += 1 }
    return place
  }

  // MARK: History

  private mutating func finish() -> String {
    let line = String(text)
    if line.contains(where: { $0 != " " }), history.last != line { history.append(line) }
    if history.count > Self.longestHistory { history.removeFirst(history.count - Self.longestHistory) }
    place = history.count
    draft = []
    replace(with: [])
    return line
  }

  private mutating func show(_ wanted: Int) -> Effect {
    guard 0...history.count ~= wanted, wanted != place else { return .nothing }
    if place == history.count { draft = text }
    place = wanted
    replace(with: wanted == history.count ? draft : Array(history[wanted]))
    return .changed
  }

  // MARK: Completion

  private mutating func completeWord() -> Effect {
    let before = String(text[..<cursor])
    let completion = complete(before)
    guard let first = completion.candidates.first, before.hasSuffix(completion.word) else { return .nothing }
    let common = completion.candidates.dropFirst().reduce(first) { Self.commonPrefix($0, $1) }
    // Candidates differ from what was typed in their case, too.
    let isLonger = common.count > completion.word.count
    guard isLonger || completion.candidates.count == 1 else { return .candidates(completion.candidates) }
    let added = common.utf8.count - completion.word.utf8.count
    guard common != completion.word, bytes + added <= maximum else { return .nothing }
    let start = cursor - completion.word.count
    text.replaceSubrange(start..<cursor, with: Array(common))
    cursor = start + common.count
    bytes = text.reduce(0) { $0 + $1.utf8.count }
    return .changed
  }

  private static func commonPrefix(_ a: String, _ b: String) -> String {
    String(zip(a, b).prefix { $0 == $1 }.map(\.0))
  }
}
