import LatchkeyTestSupport
import Crypto
import LatchkeyKeychainModel
import Synchronization
import Testing

@testable import LatchkeyKeychainStore

/// A passcode that is not typed, and a cost that grows.
@Suite("Passcodes of services") struct TrustedPasscodeTests {
  private let passcode = RingFixture.passcode
  private let wrong = Array("wrong passcode".utf8)

  private func delayed() throws -> (folder: StoreFolder, store: KeychainDatabase) {
    let folder = try StoreFolder()
    let first = try folder.open()
    try first.setPasscode(passcode, current: nil)
    first.close()
    let store = try folder.open()
    for number in 0..<5 {
      _ = failure { () throws(StoreError) in try store.unlock(passcode: wrong + [UInt8(number)]) }
    }
    return (folder, store)
  }

  @Test("five typing errors do not hold up a service's passcode, and it ends the wait of those who type") func exempt()
    throws
  {
    let (folder, store) = try delayed()
    #expect(failure { () throws(StoreError) in try store.unlock(passcode: passcode) } == .passcodeDelayed(seconds: 60))
    try store.unlock(trustedPasscode: passcode)
    #expect(store.lockState == .unlocked)
    let status = try store.status()
    #expect(status.failedAttempts == 0 && status.delayLeft == 0)
    try folder.open().unlock(passcode: passcode)
  }

  @Test("A wrong passcode is refused as wrong, and causes no delay") func wrongFile() throws {
    let (folder, store) = try delayed()
    for _ in 0..<20 {
      guard case .wrongPasscode? = failure({ () throws(StoreError) in try store.unlock(trustedPasscode: wrong) }) else {
        Issue.record("not refused")
        return
      }
    }
    #expect(try store.status().failedAttempts == 5)
    #expect(store.lockState == .beforeFirstUnlock)
    folder.now.withLock { $0 += 61 }
    try store.unlock(passcode: passcode)
  }

  @Test("a service that unlocks again and again stands in the log once an hour, and after each other entry")
  func coalesced() throws {
    let folder = try StoreFolder()
    var store = try folder.open()
    try store.setPasscode(passcode, current: nil)
    func events() throws -> [AuditEvent] { try store.auditEntries(after: 0, limit: .max).map(\.event) }
    func unlockAgain() throws {
      store.close()
      store = try folder.open()
      try store.unlock(trustedPasscode: passcode)
    }
    let before = try events()
    for _ in 0..<20 { try unlockAgain() }
    #expect(try events() == before + [.unlocked])
    folder.now.withLock { $0 += 3599 }
    try unlockAgain()
    #expect(try events() == before + [.unlocked])
    folder.now.withLock { $0 += 1 }
    try unlockAgain()
    #expect(try events() == before + [.unlocked, .unlocked])
    // A clock that was put back is no reason for silence.
    folder.now.withLock { $0 -= 1 }
    try unlockAgain()
    #expect(try events() == before + [.unlocked, .unlocked, .unlocked])
    try store.add(.password("a"), as: me)
    try unlockAgain()
    try store.unlock(passcode: passcode)
    try unlockAgain()
    #expect(
      try events() == before + [.unlocked, .unlocked, .unlocked, .added, .unlocked, .unlockTried, .unlocked])
    #expect(try store.verify().isClean)
  }

  @Test("A keychain without a passcode is reported as such") func none() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    #expect(
      failure { () throws(StoreError) in try store.unlock(trustedPasscode: passcode) } == .passcodeNotSet)
  }

  /// The N of scrypt of the passcode in force.
  private func rounds(_ store: KeychainDatabase) -> Int? {
    store.parts.ring.state.withLock { $0.records.passcodeRecord?.parameters.rounds }
  }

  @Test("A keychain without configuration stores a cost not below the floor") func usualCost() throws {
    let folder = try StoreFolder()
    let store = try KeychainDatabase(KeychainDatabase.Configuration(path: folder.database))
    try store.setPasscode(passcode, current: nil)
    #expect(try #require(rounds(store)) >= 1 << 17)
  }

  @Test("an unlock on a faster machine raises the cost, other processes stay unlocked, and the passcode stays")
  func raisedCost() throws {
    let folder = try StoreFolder()
    let slow = try folder.open()
    try slow.setPasscode(passcode, current: nil)
    try slow.add(.password("a"), as: me)
    var configuration = folder.configuration()
    configuration.scryptRounds = 64
    configuration.scryptMinimum = 16
    let fast = try KeychainDatabase(configuration)
    #expect(rounds(fast) == 16)
    _ = failure { () throws(StoreError) in try fast.unlock(passcode: wrong) }
    #expect(rounds(fast) == 16, "a wrong passcode raises nothing")
    try fast.unlock(passcode: passcode)
    #expect(rounds(fast) == 64 && fast.lockState == .unlocked)
    #expect(try fast.find(.password("a"), as: me).count == 1)
    #expect(try slow.find(.password("a"), as: me).count == 1)
    #expect(rounds(slow) == 64 && slow.lockState == .unlocked)
    let again = try KeychainDatabase(configuration)
    try again.unlock(passcode: passcode)
    #expect(rounds(again) == 64)
    #expect(try again.presenceKey(passcode: passcode).publicKey.rawRepresentation.isEmpty == false)
  }
}
