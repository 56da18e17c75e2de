/// The sum of all rows' secret marks, modulo 2^256. Adding or removing a row updates it in one step, and no row can be added,
/// removed or restored undetected.
///
/// The marks are a keyed function of the row and are never stored, and the sum is stored sealed: without both,
/// an attacker cannot search for other rows with the same sum.
struct SetHash: Hashable, Sendable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  static let size = 32

  /// The empty sum.
  init() {}

  /// Reads the number from 32 bytes, least significant byte first; missing bytes count as 0.
  init(bytes: [UInt8]) {
    func word(_ index: Int) -> UInt64 {
      var word: UInt64 = 0
      for byte in bytes.dropFirst(index * 8).prefix(8).reversed() { word = word << 8 | UInt64(byte) }
      return word
    }
    words = (word(0), word(1), word(2), word(3))
  }

  var bytes: [UInt8] {
    [words.0, words.1, words.2, words.3].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
    }
  }

  mutating func add(_ mark: SetHash) {
    var carry: UInt64 = 0
    words.0 = Self.sum(words.0, mark.words.0, &carry)
    words.1 = Self.sum(words.1, mark.words.1, &carry)
    words.2 = Self.sum(words.2, mark.words.2, &carry)
    words.3 = Self.sum(words.3, mark.words.3, &carry)
  }

  mutating func subtract(_ mark: SetHash) {
    var borrow: UInt64 = 0
    words.0 = Self.difference(words.0, mark.words.0, &borrow)
    words.1 = Self.difference(words.1, mark.words.1, &borrow)
    words.2 = Self.difference(words.2, mark.words.2, &borrow)
    words.3 = Self.difference(words.3, mark.words.3, &borrow)
  }

  private static func sum(_ a: UInt64, _ b: UInt64, _ carry: inout UInt64) -> UInt64 {
    let (first, over) = a.addingReportingOverflow(b)
    let (second, again) = first.addingReportingOverflow(carry)
    carry = over || again ? 1 : 0
    return second
  }

  private static func difference(_ a: UInt64, _ b: UInt64, _ borrow: inout UInt64) -> UInt64 {
    let (first, under) = a.subtractingReportingOverflow(b)
    let (second, again) = first.subtractingReportingOverflow(borrow)
    borrow = under || again ? 1 : 0
    return second
  }

  static func == (a: SetHash, b: SetHash) -> Bool { a.words == b.words }

  func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.3)
  }
}
