import Synchronization

/// What a test asked a store to do, when it asked and when it was answered: what a store that lost power must hold.
///
/// Operations that overlap must be about different keys; each happens as a whole or not at all.
final class TortureLedger: Sendable {
  /// What an operation does: the versions that keys then have, nil for none.
  typealias Effects = [Int: Int?]

  private let operations = Mutex<[Effects]>([])

  /// Notes that an operation begins. Returns its number.
  func begin(_ effects: Effects) -> Int {
    operations.withLock {
      $0.append(effects)
      return $0.count - 1
    }
  }

  /// Does `body` between two marks: one when it is asked for, one when it is acknowledged.
  func record<R>(_ effects: Effects, in recording: Recording, _ body: () throws -> R) rethrows -> R {
    let number = begin(effects)
    recording.mark(Self.begun(number))
    let result = try body()
    recording.mark(Self.acknowledged(number))
    return result
  }

  static func begun(_ number: Int) -> Int { 2 * number }
  static func acknowledged(_ number: Int) -> Int { 2 * number + 1 }

  /// What is wrong with these versions by key, after these marks; nil if nothing is.
  func complaint(about found: [Int: Int], after marks: some Sequence<Int>) -> String? {
    let operations = operations.withLock { $0 }
    var certain: [Int: Int] = [:]
    var underWay: Set<Int> = []
    for mark in marks {
      let number = mark / 2
      if mark == Self.begun(number) {
        underWay.insert(number)
      } else {
        underWay.remove(number)
        for (key, version) in operations[number] { certain[key] = version }
      }
    }
    for number in underWay.sorted() {
      let effects = operations[number]
      let hasHappened = effects.allSatisfy { found[$0.key] == $0.value }
      let hasNotHappened = effects.allSatisfy { found[$0.key] == certain[$0.key] }
      guard hasHappened || hasNotHappened else { return "\(effects) is half there: \(found)" }
      if hasHappened { for (key, version) in effects { certain[key] = version } }
    }
    guard found != certain else { return nil }
    for key in Set(found.keys).union(certain.keys).sorted() where found[key] != certain[key] {
      return "key \(key) was acknowledged as \(Self.describe(certain[key])) and is \(Self.describe(found[key]))"
    }
    return nil
  }

  /// The versions that `key` may have after these marks, the acknowledged one first.
  func versions(of key: Int, after marks: some Sequence<Int>) -> [Int] {
    let operations = operations.withLock { $0 }
    var acknowledged: Int?
    var underWay: [Int: Int] = [:]
    for mark in marks {
      guard let version = operations[mark / 2][key] else { continue }
      if mark == Self.begun(mark / 2) {
        underWay[mark / 2] = version
      } else {
        underWay[mark / 2] = nil
        acknowledged = version
      }
    }
    return [acknowledged].compactMap { $0 } + underWay.values
  }

  private static func describe(_ version: Int?) -> String { version.map { "version \($0)" } ?? "absent" }
}
