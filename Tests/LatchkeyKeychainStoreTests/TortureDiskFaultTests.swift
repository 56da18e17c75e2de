import LatchkeyTestSupport
import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Synchronization
import Testing
import keychain_worker

/// A disk that is full or fails: an error with a name, nothing half done, and all goes on when the disk is well again.
@Suite("A keychain on a bad disk", .timeLimit(.minutes(60))) struct TortureDiskFaultTests {
  /// One call, what it does, and how a keychain that held the items 0 to 3 in version 1 is asked for it.
  struct Action: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let effects: TortureLedger.Effects
    let body: @Sendable (KeychainDatabase) throws -> Void
  }

  static let actions = [
    Action(testDescription: "an add", effects: [10: 5]) {
      try $0.add(TortureItem.new(10, version: 5), as: .none)
    },
    Action(testDescription: "an update", effects: [1: 5]) {
      try $0.update(TortureItem.query(1), with: TortureItem.changes(1, version: 5), as: .none)
    },
    Action(testDescription: "a deletion of all", effects: [0: nil, 1: nil, 2: nil, 3: nil]) {
      try $0.delete(TortureItem.queryForAll, as: .none)
    },
    Action(testDescription: "a new passcode", effects: [EndlessPasscodes.passcodeKey: 1]) {
      try $0.setPasscode(EndlessPasscodes.passcode(1), current: nil)
    },
  ]

  private static let effectsBefore: TortureLedger.Effects = [0: 1, 1: 1, 2: 1, 3: 1]

  private func make(_ path: String) throws {
    let database = try TortureStore.open(path)
    for key in Self.effectsBefore.keys.sorted() { try database.add(TortureItem.new(key, version: 1), as: .none) }
    database.close()
  }

  /// What stands in the keychain, looked at through a copy: opening would heal what it should not.
  private func look(_ folder: TortureFolder) throws -> [Int: Int] {
    let copy = try TortureFolder()
    try copy.set(try folder.contents().filter { !$0.key.hasSuffix("-shm") })
    return try TortureStore.look(at: copy.file("keychain.db"), passcodes: [1])
  }

  private func apply(_ effects: TortureLedger.Effects, to versions: TortureLedger.Effects) -> [Int: Int] {
    versions.merging(effects) { $1 }.compactMapValues { $0 }
  }

  /// Does `action` under a fault; returns what it threw.
  private func perform(
    _ action: Action, fault: (Recording) -> Void, expected: (StoreError) -> Bool
  ) throws -> (failures: Int, error: StoreError?) {
    let folder = try TortureFolder()
    let path = folder.file("keychain.db")
    try make(path)
    let recording = try Recording(folder)
    let database = try TortureStore.open(path)
    let before = recording.failures
    fault(recording)
    var thrown: StoreError?
    do { try action.body(database) } catch let error as StoreError { thrown = error }
    let failures = recording.failures - before
    recording.heal()
    if let thrown { #expect(expected(thrown), "\(thrown)") }
    // Well again: the same keychain goes on, with the call as a whole or not at all.
    let now = try TortureItem.all(in: database)
    let items = action.effects.filter { $0.key != EndlessPasscodes.passcodeKey }
    let (old, new) = (apply([:], to: Self.effectsBefore), apply(items, to: Self.effectsBefore))
    #expect(thrown == nil ? now == new : now == old || now == new, "\(now)")
    try database.add(TortureItem.new(50, version: 3), as: .none)
    database.close()
    var found = try look(folder)
    #expect(found.removeValue(forKey: 50) == 3)
    if action.effects[EndlessPasscodes.passcodeKey] != nil {
      let passcode = found.removeValue(forKey: EndlessPasscodes.passcodeKey)
      #expect(passcode == 1 || thrown != nil)
    }
    #expect(found == now)
    return (failures, thrown)
  }

  @Test("that is full says so and has changed nothing", arguments: actions) func full(action: Action) throws {
    var hadRoom = false
    for room in stride(from: 0, through: 200_000, by: Torture.count(sample: 6_000, soak: 500)) where !hadRoom {
      let (failures, error) = try perform(action, fault: { $0.setRoom(room) }) {
        switch $0 {
        case .diskFull: true
        // The passcode is in force, and only what it replaced is not gone yet.
        case .inputOutput(let text): text.contains("the passcode was set, but") && text.contains("no room")
        default: false
        }
      }
      #expect((failures > 0) == (error != nil), "room for \(room)")
      hadRoom = error == nil
    }
    #expect(hadRoom, "it never had room enough")
  }

  @Test("whose writes fail says so and has nothing half", arguments: actions) func writesFail(action: Action) throws {
    try fail(action) { $0.failWrites(from: $1, count: $2) }
  }

  @Test("whose syncs fail says so and has nothing half", arguments: actions) func syncsFail(action: Action) throws {
    try fail(action) { $0.failSyncs(from: $1, count: $2) }
  }

  private func fail(_ action: Action, _ fault: (Recording, _ nth: Int, _ count: Int) -> Void) throws {
    var failed = 0
    for count in [1, 1_000] {
      for nth in 1...Torture.count(sample: 3, soak: 60) {
        let (failures, error) = try perform(action, fault: { fault($0, nth, count) }) {
          if case .inputOutput = $0 { true } else { false }
        }
        guard failures > 0 else { break }
        failed += 1
        #expect(error != nil, "\(nth), \(count)")
      }
    }
    #expect(failed > 0)
  }

  @Test("that is full while it is made is made when there is room") func creation() throws {
    for room in stride(from: 0, through: 60_000, by: Torture.count(sample: 9_000, soak: 512)) {
      let folder = try TortureFolder()
      let recording = try Recording(folder)
      recording.setRoom(room)
      do {
        let database = try TortureStore.open(folder.file("keychain.db"))
        database.close()
        #expect(room > 20_000)
      } catch let error as StoreError {
        #expect(error == .diskFull(path: folder.file("keychain.db")))
      }
      recording.heal()
      #expect(try TortureStore.look(at: folder.file("keychain.db")) == [:])
    }
  }

  @Test("that becomes full under many writers reports to each writer the result of its own write") func manyWriters()
    throws
  {
    let folder = try TortureFolder()
    let path = folder.file("keychain.db")
    try make(path)
    let recording = try Recording(folder)
    let database = try TortureStore.open(path)
    recording.setRoom(150_000)
    let acknowledged = Mutex<[Int: Int]>([0: 1, 1: 1, 2: 1, 3: 1])
    let surprises = Mutex<[String]>([])
    let refused = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { writer in
      for number in 0..<8 {
        let key = 100 + 10 * number + 1_000 * writer
        do {
          try database.add(TortureItem.new(key, version: 5), as: .none)
          acknowledged.withLock { $0[key] = 5 }
        } catch StoreError.diskFull {
          refused.withLock { $0 += 1 }
        } catch {
          surprises.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(surprises.withLock { $0 } == [])
    #expect(refused.withLock { $0 } > 0 && acknowledged.withLock { $0.count } > 4)
    recording.heal()
    #expect(try TortureItem.all(in: database) == acknowledged.withLock { $0 })
    database.close()
    #expect(try look(folder) == acknowledged.withLock { $0 })
  }
}
