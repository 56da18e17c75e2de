import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Synchronization
import Testing
import keychain_worker

/// A keychain that loses power at every point of its work: it opens, verifies, has what was acknowledged, and nothing
/// else.
@Suite("A keychain that loses power", .timeLimit(.minutes(60))) struct TorturePowerLossTests {
  @Test("while it is made is none, or a whole one") func creation() throws {
    try torture(seed: 1, from: { _ in }) { work in
      let database = try work.open()
      work.note([:])
      try work.record([1: 1]) { try database.add(TortureItem.new(1, version: 1), as: .none) }
      database.close()
    }
  }

  @Test("in its very first moments can be made again") func firstMoments() throws {
    try torture(seed: 6, from: { _ in }, upTo: 14) { try $0.open().close() }
  }

  @Test("while it adds, updates and deletes has every acknowledged item, whole") func changes() throws {
    try torture(seed: 2, from: fill(0..<3)) { work in
      let database = try work.open()
      try work.record([10: 1]) { try database.add(TortureItem.new(10, version: 1), as: .none) }
      try work.record([1: 5]) {
        try database.update(TortureItem.query(1), with: TortureItem.changes(1, version: 5), as: .none)
      }
      try work.record([0: nil]) { try database.delete(TortureItem.query(0), as: .none) }
      try work.record([0: 7]) { try database.add(TortureItem.new(0, version: 7), as: .none) }
      try work.record([10: 2]) {
        try database.update(TortureItem.query(10), with: TortureItem.changes(10, version: 2), as: .none)
      }
      try work.record([0: nil, 1: nil, 2: nil, 10: nil]) { try database.delete(TortureItem.queryForAll, as: .none) }
      try work.record([1: 8]) { try database.add(TortureItem.new(1, version: 8), as: .none) }
      database.close()
    }
  }

  @Test("while writers share a commit has each acknowledged write") func groupCommits() throws {
    try torture(seed: 3, from: fill(0..<2)) { work in
      let database = try work.open()
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 6) { writer in
        do {
          let key = 20 + writer
          try work.record([key: 1]) { try database.add(TortureItem.new(key, version: 1), as: .none) }
          try work.record([key: 2]) {
            try database.update(TortureItem.query(key), with: TortureItem.changes(key, version: 2), as: .none)
          }
          guard writer.isMultiple(of: 2) else { return }
          try work.record([key: nil]) { try database.delete(TortureItem.query(key), as: .none) }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      let failed = failures.withLock { $0 }
      #expect(failed == [])
      database.close()
    }
  }

  @Test("while its passcode and its keys are set, changed and removed opens with the old ones or the new")
  func passcodes() throws {
    let (passcode, dependent) = (EndlessPasscodes.passcodeKey, EndlessPasscodes.dependentKey)
    try torture(seed: 4, from: fill(0..<10)) { work in
      let database = try work.open()
      try work.record([passcode: 1]) { try database.setPasscode(EndlessPasscodes.passcode(1), current: nil) }
      try work.record([dependent: 1]) {
        try database.add(
          TortureItem.new(dependent, version: 1, accessibility: .whenPasscodeSetThisDeviceOnly), as: .none)
      }
      try work.record([passcode: 2]) {
        try database.setPasscode(EndlessPasscodes.passcode(2), current: EndlessPasscodes.passcode(1))
      }
      try work.record([:]) { try database.rotateKeys(passcode: EndlessPasscodes.passcode(2)) }
      try work.record([passcode: nil, dependent: nil]) {
        try database.removePasscode(current: EndlessPasscodes.passcode(2))
      }
      try work.record([:]) { try database.rotateKeys(passcode: nil) }
      try work.record([passcode: 3]) { try database.setPasscode(EndlessPasscodes.passcode(3), current: nil) }
      database.close()
    }
  }

  @Test("around a checkpoint has every acknowledged item") func checkpoint() throws {
    try torture(seed: 5, from: fill(0..<5)) { work in
      let database = try work.open()
      try work.record([1: 5]) {
        try database.update(TortureItem.query(1), with: TortureItem.changes(1, version: 5), as: .none)
      }
      let other = try ForeignConnection(work.path, busyTimeout: 5000)
      try other.execute("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(PASSIVE)")
      // The log begins anew, over frames that are in the file by now.
      try work.record([30: 1]) { try database.add(TortureItem.new(30, version: 1), as: .none) }
      try work.record([2: nil]) { try database.delete(TortureItem.query(2), as: .none) }
      try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      try work.record([30: 2]) {
        try database.update(TortureItem.query(30), with: TortureItem.changes(30, version: 2), as: .none)
      }
      other.close()
      database.close()
    }
  }

  // MARK: -

  /// A keychain at work below a recording, and what it was asked.
  private final class Work: Sendable {
    let path: String
    let recording: Recording
    let ledger = TortureLedger()

    init(_ folder: TortureFolder) throws {
      path = folder.file("keychain.db")
      recording = try Recording(folder)
    }

    func open() throws -> KeychainDatabase { try TortureStore.open(path) }

    func note(_ effects: TortureLedger.Effects) {
      recording.mark(TortureLedger.acknowledged(ledger.begin(effects)))
    }

    func record(_ effects: TortureLedger.Effects, _ body: () throws -> some Any) throws {
      _ = try ledger.record(effects, in: recording, body)
    }
  }

  /// Items of version 1 under these keys, before the recording begins.
  private func fill(_ keys: Range<Int>) -> (Work) throws -> Void {
    { work in
      let database = try work.open()
      for key in keys { try database.add(TortureItem.new(key, version: 1), as: .none) }
      database.close()
    }
  }

  /// Records `body` on the keychain that `prepare` made, takes the power away, and looks at what remains.
  ///
  /// - Parameter last: the last event after which the power goes, in all ways even where the others are a sample.
  private func torture(
    seed: UInt64, from prepare: (Work) throws -> Void, upTo last: Int? = nil, _ body: (Work) throws -> Void
  ) throws {
    let folder = try TortureFolder()
    var before: [String: [UInt8]] = [:]
    let effects: [Int: Int]
    do {
      let preparation = try Work(folder)
      try prepare(preparation)
      before = try folder.contents()
      effects = before.isEmpty ? [:] : try TortureStore.look(at: preparation.path)
      before = try folder.contents()
    }
    let work = try Work(folder)
    if !before.isEmpty { work.note(effects.mapValues { $0 }) }
    try body(work)
    let key = try #require(try folder.contents()["keychain.key"])
    let events = try work.recording.events()
    let loss = PowerLoss(before: before, events: last.map { Array(events.prefix($0)) } ?? events)
    var looks = 0
    let extent: PowerLoss.Extent = Torture.isSoak || last != nil ? .all(randomSubsets: 8) : .sample(60)
    try loss.forEachRemains(extent, seed: seed) { remains in
      looks += 1
      let image = try TortureFolder()
      try image.set(remains.contents.merging(["keychain.key": key]) { $1 })
      do {
        let passcodes = work.ledger.versions(of: EndlessPasscodes.passcodeKey, after: remains.marks)
        let found = try TortureStore.look(at: image.file("keychain.db"), passcodes: passcodes)
        let complaint = work.ledger.complaint(about: found, after: remains.marks)
        #expect(complaint == nil, "\(remains.description)")
        // What opens clean also goes on.
        guard looks.isMultiple(of: 8), !passcodes.isEmpty || found[EndlessPasscodes.passcodeKey] == nil else { return }
        let database = try TortureStore.open(image.file("keychain.db"))
        if let version = found[EndlessPasscodes.passcodeKey] {
          try database.unlock(passcode: EndlessPasscodes.passcode(version))
        }
        try database.add(TortureItem.new(999_996, version: 3), as: .none)
        database.close()
      } catch {
        Issue.record("\(error), \(remains.description)")
      }
    }
    #expect(looks >= loss.events.count(where: { if case .mark = $0 { true } else { false } }) / 3)
  }
}
