import LatchkeyTestSupport
import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Testing
import keychain_worker

/// A keychain where it cannot be written, or where what lies there is not what it was.
@Suite("A keychain in a bad place", .timeLimit(.minutes(60))) struct TorturePlacesTests {
  private func make(_ path: String, keys: Range<Int> = 0..<4) throws {
    let database = try TortureStore.open(path)
    for key in keys { try database.add(TortureItem.new(key, version: 1), as: .none) }
    database.close()
  }

  private let items = [0: 1, 1: 1, 2: 1, 3: 1]

  // MARK: A real disk without room

  @Test("on a small disk that is full says so, and goes on when there is room") func smallDisk() throws {
    let folder = try TortureFolder()
    guard let disk = TortureMount(small: folder, bytes: 2 << 20) else {
      return skipHere("a small disk of its own cannot be mounted here")
    }
    defer { disk.end() }
    let path = folder.file("keychain/keychain.db")
    try FileManager.default.createDirectory(
      atPath: folder.file("keychain"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try make(path)
    // What will be freed later; the rest is the keychain's to fill.
    try disk.fill(folder.file("filler"), leaving: 1 << 20)
    let database = try TortureStore.open(path)
    var acknowledged = items
    var error: StoreError?
    for key in 10..<2_000 where error == nil {
      do {
        try database.add(TortureItem.new(key, version: 5), as: .none)
        acknowledged[key] = 5
      } catch let failure { error = failure }
    }
    #expect(error == .diskFull(path: path))
    #expect(try TortureItem.all(in: database) == acknowledged)
    try disk.fill(folder.file("rest"), leaving: 0)
    #expect(throws: StoreError.diskFull(path: path)) {
      try database.update(TortureItem.query(1), with: TortureItem.changes(1, version: 5), as: .none)
    }
    database.close()
    // Anyone who opens it now may be told that there is no room, but loses nothing by it.
    do {
      #expect(try TortureStore.look(at: path) == acknowledged)
    } catch {
      #expect(error as? StoreError == .diskFull(path: path))
    }
    try FileManager.default.removeItem(atPath: folder.file("filler"))
    #expect(try TortureStore.look(at: path) == acknowledged)
    let again = try TortureStore.open(path)
    try again.delete(TortureItem.query(10), as: .none)
    again.close()
    acknowledged[10] = nil
    #expect(try TortureStore.look(at: path) == acknowledged)
  }

  // MARK: Places that cannot be written

  @Test("that cannot be written says so, can be read, and has lost nothing") func readOnly() throws {
    let folder = try TortureFolder()
    let path = folder.file("keychain/keychain.db")
    try FileManager.default.createDirectory(
      atPath: folder.file("keychain"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try make(path)
    let before = try Data(contentsOf: URL(filePath: path))
    guard let lid = TortureMount(readOnly: "keychain", in: folder) else {
      return skipHere("a folder cannot be made read-only here")
    }
    do {
      defer { lid.end() }
      #expect(throws: StoreError.readOnly(path: path)) {
        let database = try TortureStore.open(path)
        defer { database.close() }
        try database.add(TortureItem.new(9, version: 1), as: .none)
      }
      var configuration = TortureStore.configuration(path)
      configuration.isReadOnly = true
      let database = try KeychainDatabase(configuration)
      #expect(try TortureItem.all(in: database) == items)
      #expect(throws: StoreError.readOnly(path: path)) {
        try database.add(TortureItem.new(9, version: 1), as: .none)
      }
      database.close()
      #expect(throws: StoreError.readOnly(path: folder.file("keychain/new.db"))) {
        try TortureStore.open(folder.file("keychain/new.db"))
      }
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(try TortureStore.look(at: path) == items)
  }

  @Test("opened for reading refuses to be written, and is not") func openedForReading() throws {
    let folder = try TortureFolder()
    let path = folder.file("keychain.db")
    try make(path)
    let before = try folder.contents()["keychain.db"]
    var configuration = TortureStore.configuration(path)
    configuration.isReadOnly = true
    let database = try KeychainDatabase(configuration)
    #expect(try TortureItem.all(in: database) == items)
    let calls: [() throws -> Any] = [
      { try database.add(TortureItem.new(9, version: 1), as: .none) },
      { try database.update(TortureItem.query(1), with: TortureItem.changes(1, version: 2), as: .none) },
      { try database.delete(TortureItem.query(1), as: .none) },
      { try database.setPasscode(EndlessPasscodes.passcode(1), current: nil) },
    ]
    for call in calls { #expect(throws: StoreError.readOnly(path: path)) { _ = try call() } }
    database.close()
    #expect(try folder.contents()["keychain.db"] == before)
  }

  // MARK: Files that are not what they were

  @Test("of a newer format is refused by name and left as it is") func newerFormat() throws {
    let folder = try TortureFolder()
    let path = folder.file("keychain.db")
    try make(path)
    let intruder = try TortureIntruder(path)
    try intruder.execute("UPDATE header SET format = 5")
    intruder.close()
    let before = try folder.contents()["keychain.db"]
    for isReadOnly in [false, true] {
      var configuration = TortureStore.configuration(path)
      configuration.isReadOnly = isReadOnly
      #expect(throws: StoreError.newerFormat(path: path, found: 5, known: 4)) { try KeychainDatabase(configuration) }
    }
    #expect(try folder.contents()["keychain.db"] == before)
    let again = try TortureIntruder(path)
    try again.execute("UPDATE header SET format = 4")
    again.close()
    #expect(try TortureStore.look(at: path) == items)
  }

  @Test("of a newer format with other tables is refused by the same name") func newerTables() throws {
    let folder = try TortureFolder()
    let path = folder.file("keychain.db")
    try make(path)
    let intruder = try TortureIntruder(path)
    try intruder.execute("CREATE TABLE rotation(cursor INTEGER); UPDATE header SET format = 5")
    intruder.close()
    #expect(throws: StoreError.newerFormat(path: path, found: 5, known: 4)) { try TortureStore.open(path) }
  }

  @Test("with half a log has a whole state of before, and says so where it does not") func halfLog() throws {
    let folder = try TortureFolder()
    let path = folder.file("keychain.db")
    try make(path)
    let worker = try TortureWorker([path, "write-forever", "5", "12"])
    // Every state that was acknowledged, and the one that may be there without having been answered.
    var states: [[Int: Int]] = [items]
    func take(_ line: WorkerLine) {
      guard case .begin(_, let changes) = line, let last = states.last else { return }
      states.append(last.merging(changes.compactMapValues { $0 }) { $1 }.filter { changes[$0.key] != .some(nil) })
    }
    while states.count < 12, let line = try worker.next() { take(line) }
    worker.kill(afterMicroseconds: 0)
    for line in try worker.rest() { take(line) }
    let whole = try folder.contents().filter { !$0.key.hasSuffix("-shm") }
    let log = try #require(whole["keychain.db-wal"])
    #expect(log.count > 40_000)
    var chance = Chance(seed: 1)
    let copy = try TortureFolder()
    for _ in 0..<Torture.count(sample: 12, soak: 500) {
      var half = whole
      half["keychain.db-wal"] = Array(log.prefix(Int.random(in: 0...log.count, using: &chance)))
      try copy.set(half)
      let found = try TortureStore.look(at: copy.file("keychain.db"))
      #expect(states.contains(found), "\(found) was never a state")
      // A bit that rots in the log ends it there, or is an error.
      var rotten = log
      rotten[Int.random(in: 0..<log.count, using: &chance)] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
      half["keychain.db-wal"] = rotten
      try copy.set(half)
      let foundRotten = try TortureStore.look(at: copy.file("keychain.db"))
      #expect(states.contains(foundRotten), "\(foundRotten) was never a state")
    }
    // The file without its log is the keychain as it was before.
    try copy.set(whole.filter { $0.key != "keychain.db-wal" })
    #expect(states.contains(try TortureStore.look(at: copy.file("keychain.db"))))
    // The log of another keychain is not taken for its own.
    let other = try TortureFolder()
    let otherWorker = try TortureWorker([other.file("keychain.db"), "write-forever", "6", "12"])
    for _ in 0..<20 { _ = try otherWorker.next() }
    otherWorker.kill(afterMicroseconds: 0)
    var mixed = whole
    mixed["keychain.db-wal"] = try other.contents()["keychain.db-wal"]
    try copy.set(mixed)
    do {
      let found = try TortureStore.look(at: copy.file("keychain.db"))
      #expect(states.contains(found), "\(found) was never a state")
    } catch {
      switch error {
      case StoreError.damaged, StoreError.rootKeyUnavailable, StoreError.notAKeychain, is TortureFailure: break
      default: Issue.record("\(error)")
      }
    }
    try copy.set(whole)
    #expect(states.suffix(2).contains(try TortureStore.look(at: copy.file("keychain.db"))), "nothing was lost by this")
  }

  @Test("of rotten pages is damaged, and never has wrong items") func rottenPages() throws {
    let folder = try TortureFolder()
    let path = folder.file("keychain.db")
    try make(path, keys: 0..<12)
    let whole = try folder.contents().filter { !$0.key.hasSuffix("-shm") }
    let file = try #require(whole["keychain.db"])
    let good = Dictionary(uniqueKeysWithValues: (0..<12).map { ($0, 1) })
    var chance = Chance(seed: 2)
    var damaged = 0
    let copy = try TortureFolder()
    for _ in 0..<Torture.count(sample: 60, soak: 5_000) {
      var rotten = file
      rotten[Int.random(in: 0..<file.count, using: &chance)] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
      try copy.set(whole.merging(["keychain.db": rotten]) { $1 })
      do {
        // In a page's unused part a bit is nobody's.
        #expect(try TortureStore.look(at: copy.file("keychain.db")) == good)
      } catch {
        switch error {
        case StoreError.damaged, StoreError.notAKeychain, StoreError.newerFormat, StoreError.rootKeyUnavailable,
          StoreError.readOnly, is TortureFailure:
          damaged += 1
        default: Issue.record("\(error)")
        }
      }
    }
    #expect(damaged > 0)
  }
}
