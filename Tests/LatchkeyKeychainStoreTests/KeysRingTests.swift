import Crypto
import LatchkeyKeychainModel
import LatchkeySecretData
import Testing

@testable import LatchkeyKeychainStore

@Suite("Key ring") struct KeysRingTests {
  private let passcode = RingFixture.passcode
  private let other = Array("another passcode".utf8)

  @Test("a keychain without a passcode opens unlocked, has six classes, and stays unlocked") func withoutPasscode()
    throws
  {
    let fixture = try RingFixture()
    #expect(fixture.records.count == 10)
    let ring = try fixture.ring()
    #expect(ring.lockState == .unlocked && !ring.hasPasscode)
    ring.lock()
    #expect(ring.lockState == .unlocked)
    for accessibility in Accessibility.allCases where accessibility != .whenPasscodeSetThisDeviceOnly {
      #expect(throws: Never.self) { try ring.classKeys(for: accessibility) }
    }
    #expect(throws: StoreError.passcodeNotSet) { try ring.classKeys(for: .whenPasscodeSetThisDeviceOnly) }
    #expect(throws: StoreError.passcodeNotSet) { try ring.attempt(passcode) }
    #expect(throws: StoreError.passcodeNotSet) { try ring.unlock(passcode: passcode) }
  }

  @Test("each lock state has the keys of its accessibilities and no others", arguments: Accessibility.allCases)
  func lockMatrix(_ accessibility: Accessibility) throws {
    let ring = try RingFixture(passcode: passcode).ring()
    func check(_ state: LockState) {
      #expect(ring.lockState == state)
      if state.permits(accessibility) {
        #expect(throws: Never.self) { try ring.classKeys(for: accessibility) }
      } else {
        #expect(throws: StoreError.locked(accessibility, state)) { try ring.classKeys(for: accessibility) }
      }
    }
    check(.beforeFirstUnlock)
    ring.lock()
    check(.beforeFirstUnlock)
    try ring.unlock(passcode: passcode)
    check(.unlocked)
    let keys = try ring.classKeys(for: accessibility)
    ring.lock()
    check(.locked)
    ring.lock()
    check(.locked)
    try ring.unlock(passcode: passcode)
    check(.unlocked)
    let again = try ring.classKeys(for: accessibility)
    #expect(keys.secret == again.secret && keys.metadata == again.metadata && keys.epoch == again.epoch)
  }

  @Test("the index key of the passcode's rows is there from the first unlock on, and another one with each change")
  func indexKey() throws {
    func key(_ ring: KeyRing) throws -> SymmetricKey {
      guard case .own(let key) = ring.userIndex else { throw StoreError.configuration("\(ring.userIndex)") }
      return key
    }
    let plain = try RingFixture()
    guard case .device = try plain.ring().userIndex else {
      Issue.record("an index key without a passcode")
      return
    }
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    guard case .unknown = ring.userIndex else {
      Issue.record("an index key before the first unlock")
      return
    }
    try ring.unlock(passcode: passcode)
    let first = try key(ring)
    #expect(first != ring.indexKey)
    ring.lock()
    #expect(try key(ring) == first)
    let second = try fixture.ring()
    try second.unlock(passcode: passcode)
    #expect(try key(second) == first)
    try ring.adopt(ring.settingPasscode(other, current: ring.attempt(passcode)))
    #expect(try key(ring) != first, "the lock stays, and the new key is there")
    try second.adopt(ring.records)
    guard case .unknown = second.userIndex else {
      Issue.record("the key of before goes on")
      return
    }
    try ring.adopt(ring.removingPasscode(current: ring.attempt(other)))
    guard case .device = ring.userIndex else {
      Issue.record("an index key without a passcode")
      return
    }
  }

  @Test("records without the index key that there was are damage, and change nothing") func withoutIndexKey() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    try ring.unlock(passcode: passcode)
    let earlier = fixture.records.filter { $0.kind != .indexKey }
    #expect(earlier.count == fixture.records.count - 1)
    #expect(storeError { try ring.adopt(earlier) }.isDamaged)
    guard case .own = ring.userIndex else {
      Issue.record("the index key is gone")
      return
    }
    // To a process that has not seen it they are those of format 3, whose tags the next unlock makes anew.
    #expect(try fixture.ring(earlier).hasEarlierTags)
    #expect(try !fixture.ring().hasEarlierTags && !RingFixture().ring().hasEarlierTags)
    let index = try #require(fixture.records.first { $0.kind == .indexKey })
    #expect(storeError { try fixture.ring(fixture.records + [index]) }.isDamaged)
    #expect(storeError { try fixture.ring(RingFixture().records + [index]) }.isDamaged)
  }

  @Test("no two keys are alike") func distinct() throws {
    let ring = try RingFixture(passcode: passcode).ring()
    try ring.unlock(passcode: passcode)
    var keys = [ring.indexKey, ring.setHashKey, ring.auditKey, ring.headerKey].map(\.exposedBytes)
    for accessibility in Accessibility.allCases {
      let pair = try ring.classKeys(for: accessibility)
      keys += [pair.secret.exposedBytes, pair.metadata.exposedBytes]
    }
    #expect(Set(keys).count == keys.count)
    #expect(keys.allSatisfy { $0.count == 32 })
  }

  @Test("the derived keys follow from root key and store alone") func derived() throws {
    let fixture = try RingFixture()
    let one = try fixture.ring()
    let two = try RingFixture(passcode: passcode).ring()
    #expect(one.indexKey == fixture.root.derive("index", storeUUID: fixture.uuid))
    #expect(one.indexKey != two.indexKey)
    #expect(one.indexKey != fixture.root.derive("index", storeUUID: [UInt8](repeating: 0, count: 16)))
  }

  @Test("a wrong passcode opens nothing, and changes nothing in an unlocked ring") func wrongPasscode() throws {
    let ring = try RingFixture(passcode: passcode).ring()
    for wrong in [other, [], Array(passcode.dropLast()), passcode + [0], Array("Correct horse".utf8)] {
      #expect(try !ring.attempt(wrong).isRight)
      #expect(storeError { try ring.unlock(passcode: wrong) }.isWrongPasscode)
      #expect(ring.lockState == .beforeFirstUnlock)
    }
    try ring.unlock(passcode: passcode)
    #expect(storeError { try ring.unlock(passcode: other) }.isWrongPasscode)
    #expect(ring.lockState == .unlocked)
  }

  @Test("The mark of a wrong passcode differs from other passcodes' marks and from its mark in another keychain")
  func marks()
    throws
  {
    let ring = try RingFixture(passcode: passcode).ring()
    let mark = try ring.attempt(other).mark
    #expect(mark.count == 16)
    #expect(try ring.attempt(other).mark == mark)
    #expect(try ring.attempt(passcode).mark != mark)
    #expect(try RingFixture(passcode: passcode).ring().attempt(other).mark != mark)
  }

  @Test("a change of passcode makes all keys anew") func change() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    try ring.unlock(passcode: passcode)
    let keys = try Accessibility.allCases.map { try ring.classKeys(for: $0).secret.exposedBytes }
    #expect(storeError { try ring.settingPasscode(other, current: nil) }.isWrongPasscode)
    #expect(storeError { try ring.settingPasscode(other, current: ring.attempt(other)) }.isWrongPasscode)
    let changed = try ring.settingPasscode(other, current: ring.attempt(passcode))
    #expect(Set(changed.records).isDisjoint(with: fixture.records))
    #expect(try ring.attempt(passcode).isRight, "nothing changes before the records are adopted")
    try ring.adopt(changed)
    #expect(ring.lockState == .unlocked)
    let reopened = try fixture.ring(changed.records)
    #expect(storeError { try reopened.unlock(passcode: passcode) }.isWrongPasscode)
    try reopened.unlock(passcode: other)
    let after = try Accessibility.allCases.map { try reopened.classKeys(for: $0).secret.exposedBytes }
    #expect(Set(after).isDisjoint(with: keys))
    #expect(try Accessibility.allCases.map { try ring.classKeys(for: $0).secret.exposedBytes } == after)
    for record in changed.records where record.kind == .classKeys || record.kind == .enclaveKeys {
      #expect(record.open(under: try Self.classWrap(fixture, passcode), seal: ring.seal) == nil)
    }
  }

  /// What wraps the class keys under the first passcode.
  private static func classWrap(_ fixture: RingFixture, _ passcode: [UInt8]) throws -> SymmetricKey {
    let opened = try #require(try fixture.ring().attempt(passcode).opened)
    return opened.userRoot.derive("class wrap", storeUUID: fixture.uuid)
  }

  @Test("what seals the enclave's keys outlives changes of the passcode, and goes with the passcode's own class")
  func enclaveKeys() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    try ring.unlock(passcode: passcode)
    func secrets() throws -> [[UInt8]] {
      try Accessibility.allCases.filter(\.isThisDeviceOnly).map {
        try ring.enclaveKeys(for: $0).secret.exposedBytes
      }
    }
    let before = try secrets()
    try ring.adopt(ring.settingPasscode(other, current: ring.attempt(passcode)))
    #expect(try secrets() == before)
    try ring.adopt(ring.rotating(current: ring.attempt(other), to: other))
    #expect(try secrets() == before)
    try ring.adopt(ring.removingPasscode(current: ring.attempt(other)))
    #expect(throws: StoreError.passcodeNotSet) { try ring.enclaveKeys(for: .whenPasscodeSetThisDeviceOnly) }
    try ring.adopt(ring.settingPasscode(passcode, current: nil))
    let after = try secrets()
    #expect(zip(before, after).count(where: { $0 == $1 }) == before.count - 1)
  }

  @Test("a rotation with a new root key: the old one opens nothing, and the audit and enclave keys stay") func newRoot()
    throws
  {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    let root = RootKey()
    let rotation = try ring.rotating(current: ring.attempt(passcode), to: passcode, root: root)
    #expect(storeError { try fixture.ring(rotation.records) }.isRootKeyUnavailable)
    let after = try fixture.ring(rotation.records, root: root)
    #expect(after.auditKey == ring.auditKey && after.enclaveMark == ring.enclaveMark)
    #expect(after.setHashKey != ring.setHashKey && after.headerKey != ring.headerKey && after.indexKey != ring.indexKey)
    try after.unlock(passcode: passcode)
    let again = try after.rotating(current: after.attempt(passcode), to: passcode)
    #expect(try fixture.ring(again.records, root: root).auditKey == ring.auditKey)
  }

  @Test("earlier presence keys open with the present one, sixteen of them") func retiredPresence() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    var publicKeys: [[UInt8]] = []
    for _ in 0..<20 {
      publicKeys.append(Array(try #require(ring.presencePublicKey).rawRepresentation))
      try ring.adopt(ring.rotating(current: ring.attempt(passcode), to: passcode))
    }
    let present = try ring.presenceKey(after: ring.attempt(passcode))
    for (index, publicKey) in publicKeys.enumerated() {
      let found = ring.presenceKey(for: publicKey, by: present)
      #expect(ring.knowsPresenceKey(publicKey) == (index >= 4))
      #expect(found.map { Array($0.publicKey.rawRepresentation) } == (index >= 4 ? publicKey : nil))
      #expect(ring.presenceKey(for: publicKey, by: Curve25519.KeyAgreement.PrivateKey()) == nil)
    }
    try ring.adopt(ring.removingPasscode(current: ring.attempt(passcode)))
    #expect(publicKeys.allSatisfy { !ring.knowsPresenceKey($0) })
  }

  @Test("records of two generations are no whole") func mixedGenerations() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    let next = try ring.settingPasscode(other, current: ring.attempt(passcode)).records
    // What seals the enclave's keys is the same in both, and the header binds which record it is.
    for index in next.indices where next[index].kind != .enclaveKeys {
      let old = fixture.records.first {
        $0.kind == next[index].kind && $0.accessibility == next[index].accessibility
      }
      guard let old else { continue }
      var mixed = next
      mixed[index] = old
      #expect(storeError { try fixture.ring(mixed) }.isDamaged)
    }
  }

  @Test("an attempt made before another process changed the passcode is worth nothing") func staleAttempt() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    let attempt = try ring.attempt(passcode)
    let elsewhere = try fixture.ring()
    try ring.adopt(elsewhere.settingPasscode(other, current: elsewhere.attempt(passcode)))
    #expect(storeError { try ring.unlock(after: attempt) }.isWrongPasscode)
    #expect(storeError { try ring.settingPasscode(passcode, current: attempt) }.isWrongPasscode)
    #expect(storeError { try ring.removingPasscode(current: attempt) }.isWrongPasscode)
    #expect(ring.lockState == .beforeFirstUnlock)
  }

  @Test("removal of the passcode destroys the WhenPasscodeSet key; a new passcode makes another") func removal() throws
  {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    try ring.unlock(passcode: passcode)
    let first = try ring.classKeys(for: .whenPasscodeSetThisDeviceOnly).secret
    #expect(storeError { try ring.removingPasscode(current: ring.attempt(other)) }.isWrongPasscode)
    let removed = try ring.removingPasscode(current: ring.attempt(passcode))
    #expect(removed.records.count(where: { $0.kind == .classKeys }) == 6)
    #expect(!removed.records.contains { $0.accessibility == .whenPasscodeSetThisDeviceOnly })
    #expect(!removed.records.contains { [.userRootByPasscode, .presenceKey, .retiredPresenceKey].contains($0.kind) })
    try ring.adopt(removed)
    #expect(throws: StoreError.passcodeNotSet) { try ring.classKeys(for: .whenPasscodeSetThisDeviceOnly) }
    #expect(try fixture.ring(removed.records).lockState == .unlocked)
    let attempt = try fixture.ring().attempt(passcode)
    #expect(throws: StoreError.passcodeNotSet) { try ring.removingPasscode(current: attempt) }
    try ring.adopt(ring.settingPasscode(passcode, current: nil))
    #expect(try ring.classKeys(for: .whenPasscodeSetThisDeviceOnly).secret != first)
  }

  @Test("a locked ring changes and removes the passcode when it is given the right one") func whileLocked() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    try ring.adopt(ring.settingPasscode(other, current: ring.attempt(passcode)))
    #expect(ring.lockState == .beforeFirstUnlock)
    try ring.adopt(ring.removingPasscode(current: ring.attempt(other)))
    #expect(ring.lockState == .unlocked)
  }

  @Test("a weak passcode is refused, unless the cost is tests'") func weak() throws {
    let fixture = try RingFixture()
    #expect(storeError { try fixture.ring(cost: .calibrated).settingPasscode([0x31], current: nil) }.isPasscodeRefused)
    #expect(throws: Never.self) { try fixture.ring().settingPasscode([0x31], current: nil) }
  }

  @Test("a ring whose records another one has changed stands before its first unlock again") func twoRings() throws {
    let fixture = try RingFixture()
    let (one, two) = (try fixture.ring(), try fixture.ring())
    let set = try one.settingPasscode(passcode, current: nil)
    try one.adopt(set)
    try two.adopt(set.records)
    #expect(one.lockState == .unlocked && two.lockState == .beforeFirstUnlock && two.hasPasscode)
    try two.unlock(passcode: passcode)
    let (key, same) = try (
      one.classKeys(for: .whenPasscodeSetThisDeviceOnly), two.classKeys(for: .whenPasscodeSetThisDeviceOnly)
    )
    #expect(key.secret == same.secret && key.metadata == same.metadata)
    two.lock()
    let changed = try one.settingPasscode(other, current: one.attempt(passcode))
    try one.adopt(changed)
    try two.adopt(changed.records)
    #expect(one.lockState == .unlocked && two.lockState == .beforeFirstUnlock)
    #expect(storeError { try two.classKeys(for: .afterFirstUnlock) } == .locked(.afterFirstUnlock, .beforeFirstUnlock))
    #expect(storeError { try two.unlock(passcode: passcode) }.isWrongPasscode)
    try two.unlock(passcode: other)
    two.lock()
    let removed = try one.removingPasscode(current: one.attempt(other))
    try one.adopt(removed)
    try two.adopt(removed.records)
    #expect(two.lockState == .unlocked && !two.hasPasscode)
    #expect(throws: StoreError.passcodeNotSet) { try two.classKeys(for: .whenPasscodeSetThisDeviceOnly) }
  }

  @Test("a locked ring that changes the passcode stays locked, with its AfterFirstUnlock keys") func changeWhileLocked()
    throws
  {
    let ring = try RingFixture(passcode: passcode).ring()
    try ring.unlock(passcode: passcode)
    ring.lock()
    try ring.adopt(ring.settingPasscode(other, current: ring.attempt(passcode)))
    #expect(ring.lockState == .locked)
    #expect(throws: Never.self) { try ring.classKeys(for: .afterFirstUnlock) }
    #expect(storeError { try ring.classKeys(for: .whenUnlocked) } == .locked(.whenUnlocked, .locked))
  }

  @Test("records that cannot be adopted leave the ring as it was") func badAdoption() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    try ring.unlock(passcode: passcode)
    let foreign = try RingFixture().records
    #expect(storeError { try ring.adopt(foreign) }.isDamaged)
    #expect(storeError { try ring.adopt([]) }.isDamaged)
    #expect(storeError { try ring.adopt(Array(fixture.records.dropLast())) }.isDamaged)
    #expect(ring.lockState == .unlocked)
    #expect(throws: Never.self) { try ring.unlock(passcode: passcode) }
  }
}
