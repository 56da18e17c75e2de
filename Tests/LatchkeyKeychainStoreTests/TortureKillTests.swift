import LatchkeyTestSupport
import Foundation
import LatchkeyKeychainModel
import Testing
import keychain_worker

/// A process that writes, killed at a moment of its seed's: what it was told is done is done, and nothing is half done.
@Suite("A keychain whose process is killed", .timeLimit(.minutes(60))) struct TortureKillTests {
  @Test("while it adds, updates and deletes has all that was acknowledged") func writes() throws {
    let folder = try TortureFolder()
    var before: [Int: Int] = [:]
    for round in 0..<Torture.count(sample: 6, soak: 400) {
      var chance = Chance(seed: UInt64(round))
      let killed = try Killed(
        [folder.file("keychain.db"), "write-forever", "\(round)", "12"], chance: &chance, holding: before)
      before = try TortureStore.look(at: folder.file("keychain.db"))
      #expect(killed.complaint(about: before) == nil, "round \(round)")
    }
  }

  @Test("while it changes its passcode opens with the last acknowledged one, or the next") func passcodes() throws {
    let folder = try TortureFolder()
    let path = folder.file("keychain.db")
    var before: [Int: Int] = [:]
    for round in 0..<Torture.count(sample: 5, soak: 300) {
      var chance = Chance(seed: UInt64(round))
      let version = before[EndlessPasscodes.passcodeKey] ?? 0
      var arguments = [path, "--rounds", "\(TortureStore.rounds)"]
      if version != 0 {
        let file = folder.file("passcode")
        try Data(EndlessPasscodes.passcode(version)).write(to: URL(filePath: file))
        arguments += ["--passcode-file", file]
      }
      let killed = try Killed(arguments + ["passcode-forever", "\(version)"], chance: &chance, holding: before)
      before = try TortureStore.look(at: path, passcodes: killed.possiblePasscodes)
      #expect(killed.complaint(about: before) == nil, "round \(round)")
    }
  }

  @Test("while it makes the keychain can be opened, and has the first item if that was acknowledged") func creation()
    throws
  {
    for round in 0..<Torture.count(sample: 5, soak: 300) {
      var chance = Chance(seed: UInt64(round))
      let folder = try TortureFolder()
      let killed = try Killed(
        [folder.file("keychain.db"), "create", "3"], chance: &chance, holding: [:], upTo: 3, delay: 8_000)
      #expect(try killed.complaint(about: TortureStore.look(at: folder.file("keychain.db"))) == nil, "round \(round)")
    }
  }
}

/// A worker that was killed, and what it had said by then.
private struct Killed {
  private let ledger = TortureLedger()
  private var marks: [Int] = []
  private(set) var possiblePasscodes: [Int]

  /// Runs a worker up to a random line, and a random time beyond it.
  ///
  /// - Parameters:
  ///   - before: what the keychain holds.
  ///   - upTo: the last line after which it is killed.
  ///   - delay: the longest time beyond that line, in µs.
  init(
    _ arguments: [String], chance: inout Chance, holding before: [Int: Int], upTo: Int = 30, delay: Int = 3_000
  ) throws {
    possiblePasscodes = [before[EndlessPasscodes.passcodeKey]].compactMap { $0 }
    let start = ledger.begin(before.mapValues { $0 })
    marks = [TortureLedger.begun(start), TortureLedger.acknowledged(start)]
    let worker = try TortureWorker(arguments)
    var numbers: [Int: Int] = [:]
    var wanted = Int.random(in: 1...upTo, using: &chance)
    func take(_ line: WorkerLine) {
      switch line {
      case .begin(let number, let effects):
        numbers[number] = ledger.begin(effects)
        marks.append(TortureLedger.begun(numbers[number] ?? 0))
        if let version = effects[EndlessPasscodes.passcodeKey] ?? nil { possiblePasscodes.append(version) }
      case .done(let number): marks.append(TortureLedger.acknowledged(numbers[number] ?? 0))
      default: break
      }
    }
    while wanted > 0, let line = try worker.next() {
      take(line)
      wanted -= 1
    }
    worker.kill(afterMicroseconds: Int.random(in: 0...delay, using: &chance))
    for line in try worker.rest() { take(line) }
    possiblePasscodes = possiblePasscodes.suffix(2).reversed()
  }

  func complaint(about found: [Int: Int]) -> String? { ledger.complaint(about: found, after: marks) }
}
