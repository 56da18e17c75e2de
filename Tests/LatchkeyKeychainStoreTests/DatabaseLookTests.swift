import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyAgeEncryption
import LatchkeyKeychainModel
import Synchronization
import Testing

@testable import LatchkeyKeychainStore

/// Who only looks writes nothing, and costs nobody anything.
@Suite("A look") struct DatabaseLookTests {
  private func contents(_ folder: StoreFolder) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    // The index of the log is memory that readers share.
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
      contents[name] = try Data(contentsOf: URL(filePath: folder.path + "/" + name))
    }
    return contents
  }

  @Test("It writes nothing") func itWritesNothing() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(.password("a"), as: me)
    store.close()
    let before = try contents(folder)
    let look = try folder.open()
    #expect(try look.find(.password("a"), as: me).count == 1)
    _ = try look.status()
    #expect(try look.verify().isClean)
    look.close()
    #expect(try contents(folder) == before)
  }

  @Test("It leaves the mark of commits as it is") func itLeavesTheMarkOfCommitsAsItIs() throws {
    let folder = try StoreFolder()
    let first = try folder.open()
    try first.add(.password("a"), as: me)
    first.close()
    let holder = try folder.open()
    #expect(try holder.find(.password("a"), as: me).count == 1)
    func mark() throws -> CommitMark? {
      try holder.reading { (connection) throws(StoreError) in CommitMark.read(connection) }
    }
    let before = try #require(try mark())
    for _ in 0..<3 {
      let look = try folder.open()
      #expect(try look.find(.password("a"), as: me).count == 1)
      look.close()
    }
    #expect(try mark() == before)
  }

  @Test("An add and a look elsewhere are counted as keychains") func anAddAndALookElsewhereAreCountedAsKeychains()
    throws
  {
    let folder = try StoreFolder()
    let holder = try folder.open()
    try holder.add(.password("a"), as: me)
    let other = try folder.open()
    try other.add(.password("b"), as: me)
    other.close()
    let look = try folder.open()
    _ = try look.find(.all(), as: me)
    look.close()
    let known = holder.verified.withLock { $0 }
    let isVerified = try holder.reading { (connection) throws(StoreError) in
      Validation(
        connection: connection, parts: holder.parts, known: known, commits: CommitMark.read(connection),
        isUnchanged: false, adopt: { (_, _) throws(StoreError) in }
      ).isAllByKeychains(try HeaderTable.read(connection, holder.parts))
    }
    #expect(isVerified)
  }

  @Test("A keychain on a full disk is read and unlocked") func aKeychainOnAFullDiskIsReadAndUnlocked() throws {
    let place = try TortureFolder()
    guard let disk = TortureMount(small: place, bytes: 2 << 20) else {
      return skipHere("a small disk of its own cannot be mounted here")
    }
    defer { disk.end() }
    let path = place.file("keychain/keychain.db")
    try FileManager.default.createDirectory(
      atPath: place.file("keychain"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    var configuration = KeychainDatabase.Configuration(path: path)
    configuration.scryptRounds = 16
    let store = try KeychainDatabase(configuration)
    try store.add(.password("a"), as: me)
    try store.setPasscode(DatabaseMatrixTests.passcode, current: nil)
    let identity = AgeIdentity(Curve25519.KeyAgreement.PrivateKey())
    try store.setRecoveryRecipients([identity.recipient], passcode: DatabaseMatrixTests.passcode)
    store.close()
    for removesIndex in [false, true] {
      if removesIndex {
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      }
      try disk.fill(place.file("filler"), leaving: 0)
      let full = try KeychainDatabase(configuration)
      guard case .wrongPasscode? = failure({ () throws(StoreError) in try full.unlock(passcode: [1]) }) else {
        Issue.record("a wrong passcode was taken")
        return
      }
      try full.unlock(passcode: DatabaseMatrixTests.passcode)
      #expect(try full.find(.password("a"), as: me).count == 1)
      #expect(try full.status().hasPasscode)
      #expect(try full.verify().isClean)
      #expect(failure { () throws(StoreError) in try full.add(.password("b"), as: me) } == .diskFull(path: path))
      #expect(try full.find(.password("a"), as: me).count == 1)
      full.close()
      let recovered = try KeychainDatabase(configuration)
      try recovered.unlock(recoveryIdentities: [identity])
      #expect(try recovered.find(.password("a"), as: me).count == 1)
      recovered.close()
      try FileManager.default.removeItem(atPath: place.file("filler"))
    }
    let again = try KeychainDatabase(configuration)
    try again.unlock(passcode: DatabaseMatrixTests.passcode)
    try again.add(.password("b"), as: me)
    #expect(try again.verify().isClean)
  }

  @Test("A copy without its log on a read only medium is read and unlocked", arguments: [false, true])
  func aCopyWithoutItsLogOnAReadOnlyMediumIsReadAndUnlocked(_ isReadOnly: Bool) throws {
    let place = try TortureFolder()
    let path = place.file("keychain/keychain ?%#.db")
    try FileManager.default.createDirectory(
      atPath: place.file("keychain"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    var configuration = KeychainDatabase.Configuration(path: path)
    configuration.scryptRounds = 16
    let store = try KeychainDatabase(configuration)
    try store.add(.password("a"), as: me)
    try store.setPasscode(DatabaseMatrixTests.passcode, current: nil)
    store.close()
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
    guard let lid = TortureMount(readOnly: "keychain", in: place) else {
      return skipHere("a folder cannot be made read-only here")
    }
    defer { lid.end() }
    configuration.isReadOnly = isReadOnly
    let copy = try KeychainDatabase(configuration)
    try copy.unlock(passcode: DatabaseMatrixTests.passcode)
    #expect(try copy.find(.password("a"), as: me).count == 1)
    #expect(try copy.verify().isClean)
    #expect(failure { () throws(StoreError) in try copy.add(.password("b"), as: me) } == .readOnly(path: path))
    copy.close()
  }
}
