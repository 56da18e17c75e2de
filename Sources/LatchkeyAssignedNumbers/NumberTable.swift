/// Numbers of 16 bits and their names.
///
/// A line of the text has a number, four hexadecimal digits, then a space and the name of that number and of each one that follows, with `|`
/// between the names. So thousands of names are one literal, which compiles at once; it is read when a name is first asked for.
struct NumberTable: Sendable {
  /// A number with its name.
  typealias Entry = (number: UInt16, name: String)

  /// In the order of the text.
  let entries: [Entry]
  private let names: [UInt16: String]

  init(_ texts: StaticString...) {
    entries = texts.flatMap { Self.entries(of: $0) }
    names = Dictionary(entries.map { ($0.number, $0.name) }) { first, _ in first }
  }

  subscript(number: UInt16) -> String? { names[number] }

  /// The number of a name, in either case: only letters and digits count, so that `heart-rate`, `Heart Rate` and `heartRate` are the same.
  func number(named name: String) throws(UnassignedName) -> UInt16 {
    let wanted = Self.key(of: name)
    guard !wanted.isEmpty else { throw UnassignedName(name: name, isAmbiguous: false, candidates: []) }
    let keys = entries.map { (entry: $0, key: Self.key(of: $0.name)) }
    let same = keys.filter { $0.key == wanted }.map(\.entry)
    if same.count == 1 { return same[0].number }
    let containing = keys.filter { $0.key.contains(wanted) }
    let beginning = containing.filter { $0.key.hasPrefix(wanted) }
    let near = same.isEmpty ? (beginning + containing.filter { !$0.key.hasPrefix(wanted) }).map(\.entry) : same
    throw UnassignedName(
      name: name, isAmbiguous: same.count > 1,
      candidates: near.prefix(UnassignedName.mostCandidates).map { UnassignedName.Candidate($0.number, $0.name) })
  }

  /// The letters and digits of a name, in lower case.
  private static func key(of name: String) -> String {
    String(name.lowercased().filter { $0.isLetter || $0.isNumber })
  }

  private static func entries(of text: StaticString) -> [Entry] {
    var entries: [Entry] = []
    for line in text.description.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let first = UInt16(parts[0], radix: 16) else { continue }
      for (offset, name) in parts[1].split(separator: "|").enumerated() {
        guard let number = UInt16(exactly: Int(first) + offset) else { break }
        entries.append((number, String(name)))
      }
    }
    return entries
  }
}

/// A name that is not assigned to one number.
package struct UnassignedName: Error, Equatable, Sendable {
  /// A number whose name is meant, or is near.
  package struct Candidate: Equatable, Sendable {
    package let number: UInt16
    package let name: String

    init(_ number: UInt16, _ name: String) {
      self.number = number
      self.name = name
    }
  }

  /// How many candidates there are at most.
  static let mostCandidates = 8

  /// The name as it was given.
  package let name: String
  /// Whether several numbers have the name.
  package let isAmbiguous: Bool
  /// The numbers that have the name; else those whose name begins with it, then those whose name contains it.
  package let candidates: [Candidate]
}
