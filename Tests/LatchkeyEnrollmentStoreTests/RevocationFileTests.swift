import LatchkeyTestSupport
import LatchkeyEnrollmentProtocol
@testable import LatchkeyEnrollmentStore
import Dispatch
import Foundation
import Testing

struct RevocationFileTests {
  private let folder: Folder
  private var file: RevocationFile { RevocationFile(path: folder.path("server.db") + ".revocations") }

  init() throws { folder = try Folder() }

  @Test("It only ever rises") func itOnlyEverRises() throws {
    #expect(try file.epoch() == 0)
    for (epoch, expected) in [(3, 3), (2, 3), (0, 3), (4, 4), (Int64.max, .max)] as [(Int64, Int64)] {
      try file.raise(to: epoch)
      #expect(try file.epoch() == expected)
    }
    #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
  }

  @Test("However many raise it at once, it has the highest") func howeverManyRaiseItAtOnceItHasTheHighest() throws {
    let file = file
    DispatchQueue.concurrentPerform(iterations: 64) { number in
      #expect(throws: Never.self) { try file.raise(to: Int64((number * 37) % 64)) }
    }
    #expect(try file.epoch() == 63)
  }

  @Test(
    "A value that is no count is not zero",
    arguments: [
      "", "latchkey-revocations 1", "latchkey-revocations 1\n", "latchkey-revocations 1\n1",
      "latchkey-revocations 1\n-1\n",
      "latchkey-revocations 1\n99999999999999999999\n", "latchkey-revocations 2\n1\n", "latchkey-revocations 1\n1\n\n",
      "7",
    ])
  func aValueThatIsNoCountIsNotZero(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(throws: EnrollmentStoreError.self) { try file.epoch() }
    #expect(throws: EnrollmentStoreError.self) { try file.raise(to: 9) }
  }

  // MARK: Beside a database

  private func open() throws -> SQLiteStore { try SQLiteStore(path: folder.path("server.db"), node: "node") }

  private func addDevice(to store: SQLiteStore) async throws -> Identifier {
    let device = DeviceRecord(id: .random(), user: "ann", name: "", created: 1, identityKey: [4])
    try await store.write {
      _ = try $0.addUser(UserRecord(name: "ann", passwordHash: nil))
      try $0.addDevice(device)
    }
    return device.id
  }

  @Test("A revocation is in both places before it is acknowledged")
  func aRevocationIsInBothPlacesBeforeItIsAcknowledged() async throws {
    let store = try open()
    for count in 1...3 {
      let device = try await addDevice(to: store)
      #expect(try await store.write { try $0.revokeDevice(device, at: 1, reason: 1) })
      #expect(try file.epoch() == Int64(count))
    }
    await store.close()
  }

  @Test("An older copy of the database does not open, and says what to do")
  func anOlderCopyOfTheDatabaseDoesNotOpenAndSaysWhatToDo() async throws {
    let store = try open()
    let device = try await addDevice(to: store)
    await store.close()
    let copy = try Data(contentsOf: URL(fileURLWithPath: folder.path("server.db")))
    let again = try open()
    #expect(try await again.write { try $0.revokeDevice(device, at: 1, reason: 1) })
    await again.close()
    // Put back as an operator would: the file's content, and nothing of the write-ahead log.
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.path("server.db") + end) }
    let isBack = FileManager.default.createFile(
      atPath: folder.path("server.db"), contents: copy, attributes: [.posixPermissions: 0o600])
    #expect(isBack)
    let error = #expect(throws: EnrollmentStoreError.self) { try open() }
    guard case .olderThanRevocations(let text) = try #require(error) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.contains("knows of 0 revocations") && text.contains("of 1:") && text.contains("server.db.revocations"))
    // Not the second time either; only where somebody has taken the file away.
    #expect(throws: EnrollmentStoreError.self) { try open() }
    try FileManager.default.removeItem(atPath: file.path)
    await (try open()).close()
  }

  @Test("A new database in the place of one that had revocations does not open")
  func aNewDatabaseInThePlaceOfOneThatHadRevocationsDoesNotOpen() async throws {
    try file.raise(to: 5)
    let error = #expect(throws: EnrollmentStoreError.self) { try open() }
    #expect("\(try #require(error))".contains("olderThanRevocations"))
  }

  @Test("A process that ended before the second place was written is made up for")
  func aProcessThatEndedBeforeTheSecondPlaceWasWrittenIsMadeUpFor() async throws {
    let store = try open()
    let device = try await addDevice(to: store)
    _ = try await store.write { try $0.revokeDevice(device, at: 1, reason: 1) }
    await store.close()
    try FileManager.default.removeItem(atPath: file.path)
    await (try open()).close()
    #expect(try file.epoch() == 1)
  }

  @Test("A revocation that only one place has is not acknowledged, not even as done before")
  func aRevocationThatOnlyOnePlaceHas() async throws {
    let store = try open()
    let device = try await addDevice(to: store)
    #expect(try file.recordedEpoch() == 0)
    try FileManager.default.removeItem(atPath: file.path)
    try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
    for _ in 0..<2 {
      await #expect(throws: EnrollmentStoreError.self) {
        try await store.write { try $0.revokeDevice(device, at: 1, reason: 1) }
      }
    }
    try FileManager.default.removeItem(atPath: file.path)
    #expect(try await !store.write { try $0.revokeDevice(device, at: 1, reason: 1) })
    #expect(try file.epoch() == 1)
    #expect(try await store.read { try $0.device(device)?.revoked } == 1)
    await store.close()
  }
}
