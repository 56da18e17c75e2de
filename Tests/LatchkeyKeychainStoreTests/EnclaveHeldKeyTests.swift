import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Testing

@testable import LatchkeyKeychainStore

/// Keys that a context holds after consent: they end with their item, and with the set of fingers.
@Suite("Enclave: held keys") struct EnclaveHeldKeyTests {
  /// A key that an item keeps and a session holds, after one signature.
  private struct Held {
    let fixture: EnclaveFixture
    let key: EnclaveKey
    let consent: Consent

    init(_ flags: AccessControl.Flags) throws {
      fixture = try EnclaveFixture()
      let made = try fixture.create(flags)
      var item = NewItem(.key, attributes: [.label: .text("key"), .applicationLabel: .bytes(made.id)])
      item.enclaveKey = made
      let stored = try fixture.keychain.add(item, as: me)
      key = try EnclaveKey(
        storedAs: fixture.keychain.enclaveRepresentation(of: stored.reference), by: stored.reference)
      consent = Consent(session: try fixture.session())
      _ = try sign()
      #expect(fixture.timesAsked == (flags == .privateKeyUsage ? 0 : 1))
      _ = try sign()
      #expect(fixture.timesAsked == (flags == .privateKeyUsage ? 0 : 1), "it is held")
    }

    func sign() throws -> [UInt8] { try fixture.enclave().sign(key, consent) }

    func delete(in keychain: KeychainDatabase) throws {
      try keychain.delete(ItemQuery(.key, attributes: [.label: .text("key")]), as: me)
    }
  }

  @Test(
    "it ends when its item is deleted",
    arguments: [.privateKeyUsage, [.privateKeyUsage, .biometryAny]] as [AccessControl.Flags])
  func deleted(_ flags: AccessControl.Flags) throws {
    let held = try Held(flags)
    try held.delete(in: held.fixture.keychain)
    for _ in 0..<3 {
      #expect(storeError { try held.sign() } == .itemNotFound)
      held.fixture.clock.pass(9)
    }
  }

  @Test("it ends when another process deletes its item") func deletedElsewhere() throws {
    let held = try Held([.privateKeyUsage, .biometryAny])
    let other = try held.fixture.reopened()
    try other.unlock(passcode: Array(EnclaveFixture.passcode.utf8))
    try held.delete(in: other)
    #expect(storeError { try held.sign() } == .itemNotFound)
    #expect(storeError { try held.sign() } == .itemNotFound)
  }

  @Test("It works while other items are added and deleted, and shows no prompt") func others() throws {
    let held = try Held([.privateKeyUsage, .biometryCurrentSet])
    for number in 0..<4 {
      try held.fixture.keychain.add(NewItem.password("\(number)", data: "x"), as: me)
      _ = try held.sign()
    }
    #expect(held.fixture.timesAsked == 1)
  }

  @Test("it ends with its set of fingers, however often it is used") func fingers() throws {
    let held = try Held([.privateKeyUsage, .biometryCurrentSet])
    held.fixture.finger.enrolled = Array("another finger".utf8)
    for _ in 0..<3 {
      #expect(storeError { try held.sign() }.isInvalidated)
      held.fixture.clock.pass(9)
    }
    #expect(held.fixture.timesAsked == 1)
  }

  @Test("a key of any finger stays when another is enrolled") func anyFinger() throws {
    let held = try Held([.privateKeyUsage, .biometryAny])
    held.fixture.finger.enrolled = Array("another finger".utf8)
    _ = try held.sign()
    #expect(held.fixture.timesAsked == 1)
  }

  @Test("It is refused while the enrollment is unknown") func unknownFingers() throws {
    let held = try Held([.privateKeyUsage, .biometryCurrentSet])
    held.fixture.finger.unavailability = .biometryNotAvailable("unplugged")
    #expect(throws: StoreError.self) { try held.sign() }
    held.fixture.finger.unavailability = nil
    _ = try held.sign()
  }

  @Test("it ends when the one who was asked may vouch no more") func withdrawn() throws {
    let held = try Held([.privateKeyUsage, .biometryAny])
    let other = try held.fixture.reopened()
    try other.allowAuthenticators(["fprintd"], passcode: Array(EnclaveFixture.passcode.utf8))
    #expect(storeError { try held.sign() }.isUnavailable)
  }
}
