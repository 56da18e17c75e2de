import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

/// Keys that items keep.
@Suite struct EnclaveStoredKeyTests {
  private func stored(
    _ fixture: EnclaveFixture, _ label: String = "a key", flags: AccessControl.Flags = .privateKeyUsage
  ) throws -> EnclaveKey {
    var item = NewItem(.key, attributes: [.label: .text(label), .applicationTag: .bytes(Array(label.utf8))])
    item.enclaveKey = try fixture.create(flags)
    try fixture.keychain.add(item, as: me)
    return try found(fixture.keychain, label)
  }

  private func found(_ keychain: KeychainDatabase, _ label: String = "a key") throws -> EnclaveKey {
    let query = ItemQuery(.key, attributes: [.label: .text(label)], wantsData: true)
    let item = try #require(try keychain.find(query, as: me).first)
    #expect(item.data == nil)
    return try #require(item.enclaveKey)
  }

  @Test("A stored key is found and used") func aStoredKeyIsFoundAndUsed() throws {
    let fixture = try EnclaveFixture()
    let key = try stored(fixture)
    #expect(key.reference != nil)
    #expect(try fixture.enclave().sign(key).count == 64)
    #expect(try !fixture.enclave().isInvalidated(key))
  }

  @Test("A stored key is found and used in another process") func aStoredKeyIsFoundAndUsedInAnotherProcess() throws {
    let fixture = try EnclaveFixture(passcode: false)
    let made = try stored(fixture)
    let again = try fixture.reopened()
    let key = try found(again)
    #expect(key == made)
    #expect(try fixture.enclave(again).sign(key).count == 64)
  }

  @Test("A key that was deleted is gone") func aKeyThatWasDeletedIsGone() throws {
    let fixture = try EnclaveFixture()
    let (key, other) = (try stored(fixture), try stored(fixture, "another"))
    let session = try fixture.session()
    _ = try fixture.enclave().sign(key)
    try fixture.keychain.delete(ItemQuery(.key, attributes: [.label: .text("a key")]), as: me)
    for consent in [Consent(), Consent(session: session)] {
      #expect(failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key, consent) } == .itemNotFound)
    }
    #expect(
      failure { () throws(StoreError) in try fixture.keychain.enclave?.isInvalidated(key) } == .itemNotFound)
    #expect(try fixture.enclave().sign(other).count == 64)
  }

  @Test("A key that another process deleted is gone") func aKeyThatAnotherProcessDeletedIsGone() throws {
    let fixture = try EnclaveFixture(passcode: false)
    let key = try stored(fixture)
    let again = try fixture.reopened()
    _ = try fixture.enclave().sign(key)
    try again.delete(ItemQuery(.key, attributes: [.label: .text("a key")]), as: me)
    #expect(failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key) } == .itemNotFound)
  }

  @Test("The stored item counts, and not the caller's bytes") func whatTheItemSaysCountsAndNotTheCallersBytes() throws {
    let fixture = try EnclaveFixture()
    var key = try stored(fixture)
    key.representation = []
    #expect(try fixture.enclave().sign(key).count == 64)
    let other = try stored(fixture, "another")
    key.reference = other.reference
    #expect(failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key) }.fault == .damaged)
  }

  @Test("A held key ends with its keychain") func aHeldKeyEndsWithItsKeychain() throws {
    let fixture = try EnclaveFixture()
    let key = try stored(fixture, flags: [.privateKeyUsage, .userPresence])
    let consent = Consent(session: try fixture.session())
    _ = try fixture.enclave().sign(key, consent)
    let enclave = try fixture.enclave()
    fixture.keychain.close()
    #expect(failure { () throws(StoreError) in try enclave.sign(key, consent) }.fault == .inputOutput)
    #expect(failure { () throws(StoreError) in try enclave.sign(key) }.fault == .inputOutput)
    #expect(fixture.timesAsked == 1)
  }

  @Test("Locked keys are not found") func lockedKeysAreFoundByNobody() throws {
    let fixture = try EnclaveFixture()
    let key = try stored(fixture)
    fixture.keychain.lock()
    #expect(failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key) }.fault == .locked)
  }
}
