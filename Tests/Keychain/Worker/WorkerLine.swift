import Glibc

/// A line that a worker writes. Each is written by one call, so that a process that is killed leaves whole lines.
package enum WorkerLine: Equatable, Sendable {
  /// It waits for a line of any text on its standard input.
  case ready
  /// It is about to ask for this: the versions that keys then have, nil for none.
  case begin(Int, [Int: Int?])
  /// That was acknowledged.
  case done(Int)
  /// A call on one key, and its answer; times from CLOCK_MONOTONIC, in nanoseconds. A list of all keys is a find on each.
  case call(key: Int, kind: Kind, version: Int, begin: UInt64, end: UInt64, answer: String)
  case finished
  case error(String)

  package enum Kind: String, Sendable { case add, update, delete, find }

  /// The answers of a call; a find that found something answers with the version.
  package enum Answer {
    package static let done = "done"
    package static let duplicate = "duplicate"
    package static let notFound = "not-found"
  }

  /// The line without its end.
  package var text: String {
    switch self {
    case .ready: "ready"
    case .begin(let number, let effects):
      "begin \(number)"
        + effects.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value.map(String.init) ?? "-")" }.joined()
    case .done(let number): "done \(number)"
    case .call(let key, let kind, let version, let begin, let end, let answer):
      "call \(key) \(kind.rawValue) \(version) \(begin) \(end) \(answer)"
    case .finished: "finished"
    case .error(let text): "error \(text)"
    }
  }

  /// Reads a line; nil if it is none of a worker's.
  package init?(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case ("ready", 1): self = .ready
    case ("finished", 1): self = .finished
    case ("error", _): self = .error(String(line.dropFirst(6)))
    case ("done", 2):
      guard let number = Int(words[1]) else { return nil }
      self = .done(number)
    case ("begin", 2...):
      guard let number = Int(words[1]) else { return nil }
      var effects: [Int: Int?] = [:]
      for word in words.dropFirst(2) {
        let halves = word.split(separator: "=")
        guard halves.count == 2, let key = Int(halves[0]) else { return nil }
        guard halves[1] != "-" else {
          effects[key] = .some(nil)
          continue
        }
        guard let version = Int(halves[1]) else { return nil }
        effects[key] = version
      }
      self = .begin(number, effects)
    case ("call", 7):
      guard let key = Int(words[1]), let kind = Kind(rawValue: words[2]), let version = Int(words[3]),
        let begin = UInt64(words[4]), let end = UInt64(words[5])
      else { return nil }
      self = .call(key: key, kind: kind, version: version, begin: begin, end: end, answer: words[6])
    default: return nil
    }
  }

  func write() { Self.write([self]) }

  /// Writes lines to standard output.
  static func write(_ lines: [WorkerLine]) {
    var bytes = Array(lines.map { $0.text + "\n" }.joined().utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      // No process reads any more: the test has ended.
      guard count > 0 else { exit(1) }
      bytes.removeFirst(count)
    }
  }
}
