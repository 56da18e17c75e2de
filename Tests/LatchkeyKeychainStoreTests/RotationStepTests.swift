import LatchkeyTestSupport
import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Testing
import keychain_worker

/// Another process changes the keys and is killed at each step of it.
@Suite("Changes of keys that end at a step") struct RotationStepTests {
  /// A change of keys, as a worker is told to make it, and the passcodes before and after it (0: none).
  struct Change: Sendable, CustomTestStringConvertible {
    let words: String
    let before: Int
    let after: Int
    var isOfRootKey: Bool { words.hasPrefix("root") }
    var testDescription: String { words }
  }

  struct End: Sendable, CustomTestStringConvertible {
    let change: Change
    let step: RotationStep
    var testDescription: String { "\(change.words), \(step.rawValue)" }
    /// Whether the new keys are in force.
    var isDone: Bool { ![.keysMade, .rootKeyWritten, .rowsSealed].contains(step) }
  }

  private static let changes = [
    Change(words: "rotate 0", before: 0, after: 0), Change(words: "rotate 1", before: 1, after: 1),
    Change(words: "root 0", before: 0, after: 0), Change(words: "root 1", before: 1, after: 1),
    Change(words: "set 1", before: 0, after: 1), Change(words: "change 1 2", before: 1, after: 2),
    Change(words: "remove 1", before: 1, after: 0),
  ]

  static let everyEnd = changes.flatMap { change in
    RotationStep.allCases.filter { change.isOfRootKey || !$0.isOfRootKey }.map { End(change: change, step: $0) }
  }

  @Test("everything opens, and what was valid before opens nothing of the new state", arguments: everyEnd)
  func ends(_ end: End) throws {
    // The step is fixed; what differs from one attempt to the next are the keys alone.
    for _ in 0..<Torture.count(sample: 1, soak: 3) { try attempt(end) }
  }

  private func attempt(_ end: End) throws {
    let bench = try KeyLifetimeTests.Bench(
      (end.change.before == 0 ? [] : ["set \(end.change.before)"]) + (0..<12).map { "add \($0) \(20 + $0)" })
    let oldKey = try #require(try bench.folder.contents()["keychain.key"])
    try bench.worker.perform("end \(try #require(RotationStep.allCases.firstIndex(of: end.step)))")
    #expect(throws: TortureFailure.self, "it was killed") { try bench.worker.perform(end.change.words) }
    bench.worker.kill()

    bench.worker = try KeyLifetimeTests.Bench.start(bench.folder)
    try expectItems(bench, passcode: end.isDone ? end.change.after : end.change.before)
    if !end.isDone {
      try bench.worker.perform(end.change.words)
      if end.change.isOfRootKey { try bench.worker.perform("reopen") }
      try expectItems(bench, passcode: end.change.after)
    }
    try bench.worker.finish()
    try expectNothing(of: end, bench, oldKey)
    bench.worker = try KeyLifetimeTests.Bench.start(bench.folder)
    try expectItems(bench, passcode: end.change.after)
    try bench.worker.perform("add 50 1")
    try bench.worker.finish()
  }

  private func expectItems(_ bench: KeyLifetimeTests.Bench, passcode: Int) throws {
    if passcode > 0 { try bench.worker.perform("unlock \(passcode)") }
    #expect(try bench.worker.perform("count") == 12)
    #expect(try bench.worker.perform("find 3") == 23)
  }

  private func expectNothing(of end: End, _ bench: KeyLifetimeTests.Bench, _ oldKey: [UInt8]) throws {
    let files = try bench.folder.contents()
    #expect(bench.attacker.remains(in: try bench.bytes()) == 0)
    #expect(files.keys.allSatisfy { !$0.hasSuffix(".next") }, "\(files.keys)")
    let isThere = files.values.contains { Data($0).range(of: Data(oldKey)) != nil }
    #expect(isThere == !end.change.isOfRootKey, "the old root key")
    // Who has the root key in force and needs no passcode, or has it, is no attacker.
    guard end.change.isOfRootKey || end.change.after > 0 else { return }
    if end.change.isOfRootKey || end.change.before != end.change.after {
      bench.attacker.passcodes = end.change.before > 0 ? [EndlessPasscodes.passcode(end.change.before)] : []
    }
    try bench.expectNothing("\(end.testDescription)")
  }
}
