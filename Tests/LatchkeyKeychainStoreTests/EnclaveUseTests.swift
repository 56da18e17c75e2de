import Crypto
import Foundation
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Testing

@testable import LatchkeyKeychainStore

@Suite struct EnclaveUseTests {
  private func isValid(_ signature: [UInt8], by key: EnclaveKey) throws -> Bool {
    try P256.Signing.PublicKey(x963Representation: key.publicKey).isValidSignature(
      P256.Signing.ECDSASignature(rawRepresentation: signature), for: Digest32(bytes: someDigest))
  }

  // MARK: Making and using

  @Test("A key signs and agrees") func aKeySignsAndAgrees() throws {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let key = try fixture.create()
    #expect(key.id.count == 16)
    #expect(key.backend == .software)
    #expect(key.reference == nil)
    #expect(key.control == AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage))
    #expect(try isValid(enclave.sign(key), by: key))
    let other = P256.KeyAgreement.PrivateKey()
    let theirs = try other.sharedSecretFromKeyAgreement(
      with: P256.KeyAgreement.PublicKey(x963Representation: key.publicKey))
    let ours = try enclave.sharedSecret(
      with: Array(other.publicKey.x963Representation), by: key, for: .exchange, consent: Consent())
    #expect(ours == theirs.withUnsafeBytes { Array($0) })
    #expect(fixture.timesAsked == 0)
  }

  @Test("A key comes back from its representation in another process")
  func aKeyComesBackFromItsRepresentationInAnotherProcess() throws {
    let fixture = try EnclaveFixture(passcode: false)
    let made = try fixture.create()
    let again = try fixture.reopened()
    let key = try fixture.enclave(again).key(representation: made.representation)
    #expect(key == made)
    #expect(try isValid(fixture.enclave(again).sign(key), by: made))
  }

  @Test("A key stays on this device", arguments: Accessibility.allCases) func aKeyStaysOnThisDevice(
    protection: Accessibility
  ) throws {
    let fixture = try EnclaveFixture()
    let error = failure { () throws(StoreError) in
      try fixture.keychain.enclave?.create(
        AccessControl(protection: protection, flags: .privateKeyUsage), consent: Consent())
    }
    #expect((error.fault == .invalidParameter) == !protection.isThisDeviceOnly)
    #expect((error == nil) == protection.isThisDeviceOnly)
    #expect(fixture.engine.secrets.count == (error == nil ? 1 : 0))
  }

  @Test("Flags that contradict make no key") func flagsThatContradictMakeNoKey() throws {
    let fixture = try EnclaveFixture()
    for flags: AccessControl.Flags in [
      [.privateKeyUsage, .or, .and], [.biometryAny, .biometryCurrentSet, .privateKeyUsage],
      [.userPresence, .devicePasscode], AccessControl.Flags(rawValue: 1 << 20),
    ] {
      #expect(
        failure { () throws(StoreError) in
          try fixture.keychain.enclave?.create(
            AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags), consent: Consent())
        }.fault == .invalidParameter)
    }
    #expect(fixture.engine.secrets.isEmpty)
  }

  @Test("Digests of other lengths are refused", arguments: [0, 65]) func digestsOfOtherLengthsAreRefused(count: Int)
    throws
  {
    let fixture = try EnclaveFixture()
    let (enclave, key) = (try fixture.enclave(), try fixture.create())
    let digest = [UInt8](repeating: 1, count: count)
    #expect(
      failure { () throws(StoreError) in try enclave.sign(digest: digest, with: key, consent: Consent()) }
        .fault == .invalidParameter)
  }

  @Test("Bytes that are no point are refused") func aPointThatIsNoneIsRefused() throws {
    let fixture = try EnclaveFixture()
    let (enclave, key) = (try fixture.enclave(), try fixture.create())
    for peer in [[], [4] + [UInt8](repeating: 0, count: 64), Array(key.publicKey.dropLast())] {
      #expect(
        failure { () throws(StoreError) in
          try enclave.sharedSecret(with: peer, by: key, for: .exchange, consent: Consent())
        }.fault == .invalidParameter)
    }
  }

  @Test("A key that may not be used is not used, and no one is asked") func aKeyThatMayNotBeUsedIsNotAndNobodyIsAsked()
    throws
  {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    for flags: AccessControl.Flags in [[], .userPresence, .biometryAny] {
      let key = try fixture.create(flags)
      let peer = try fixture.create().publicKey
      #expect(failure { () throws(StoreError) in try enclave.sign(key) }.fault == .keyUsage)
      #expect(
        failure { () throws(StoreError) in
          try enclave.sharedSecret(with: peer, by: key, for: .exchange, consent: Consent())
        }.fault == .keyUsage)
      #expect(
        failure { () throws(StoreError) in try enclave.attest(key, challenge: [1], consent: Consent()) }.fault
          == .keyUsage)
    }
    #expect(fixture.timesAsked == 0)
    #expect(fixture.engine.loads == 0)
  }

  // MARK: The lock

  @Test("A locked keychain makes and uses no keys, and no one is asked")
  func aLockedKeychainMakesAndUsesNoKeysAndNobodyIsAsked() throws {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let keys = [try fixture.create(), try fixture.create([.privateKeyUsage, .userPresence])]
    fixture.keychain.lock()
    for key in keys { #expect(failure { () throws(StoreError) in try enclave.sign(key) }.fault == .locked) }
    #expect(
      failure { () throws(StoreError) in
        try enclave.create(
          AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage), consent: Consent())
      }.fault == .locked)
    #expect(fixture.timesAsked == 0)
    try fixture.keychain.unlock(passcode: Array(EnclaveFixture.passcode.utf8))
    #expect(try isValid(enclave.sign(keys[0]), by: keys[0]))
  }

  @Test("A key of an accessibility that a lock leaves is used on") func aKeyOfAnAccessibilityThatALockLeavesIsUsedOn()
    throws
  {
    let fixture = try EnclaveFixture()
    let key = try fixture.create(.privateKeyUsage, .afterFirstUnlockThisDeviceOnly)
    fixture.keychain.lock()
    #expect(try isValid(fixture.enclave().sign(key), by: key))
    let again = try fixture.reopened()
    #expect(failure { () throws(StoreError) in try again.enclave?.sign(key) }.fault == .locked)
  }

  @Test("A key that requires a passcode is gone with it") func aKeyThatWantsAPasscodeIsGoneWithIt() throws {
    let fixture = try EnclaveFixture(passcode: false)
    let control = AccessControl(protection: .whenPasscodeSetThisDeviceOnly, flags: .privateKeyUsage)
    #expect(
      failure { () throws(StoreError) in try fixture.keychain.enclave?.create(control, consent: Consent()) }
        == .passcodeNotSet)
    let passcode = Array(EnclaveFixture.passcode.utf8)
    try fixture.keychain.setPasscode(passcode, current: nil)
    let session = try fixture.session()
    let enclave = try fixture.enclave()
    let key = try enclave.create(control, consent: Consent())
    #expect(try isValid(enclave.sign(key, Consent(session: session)), by: key))
    try fixture.keychain.removePasscode(current: passcode)
    // Not even by who holds it.
    #expect(failure { () throws(StoreError) in try enclave.sign(key, Consent(session: session)) } == .passcodeNotSet)
    #expect(failure { () throws(StoreError) in try enclave.sign(key) } == .passcodeNotSet)
  }

  // MARK: Statements

  @Test("A statement says what guards the key") func aStatementNamesWhatGuardsTheKey() throws {
    let fixture = try EnclaveFixture()
    let key = try fixture.create([.privateKeyUsage, .userPresence])
    let encoded = try fixture.enclave().attest(key, challenge: Array("challenge".utf8), consent: Consent())
    let statement = try SoftwareStatement(
      encoded: SignedSoftwareStatement(AttestationObject(encoded: encoded).statement).statement)
    #expect(statement.publicKey == key.publicKey)
    #expect(statement.control == key.control)
    #expect(statement.challengeDigest == Array(SHA256.hash(data: Array("challenge".utf8))))
    #expect(fixture.timesAsked == 1)
  }

  @Test("Challenges of other lengths are refused", arguments: [0, 1025]) func challengesOfOtherLengthsAreRefused(
    count: Int
  ) throws {
    let fixture = try EnclaveFixture()
    let key = try fixture.create()
    #expect(
      failure { () throws(StoreError) in
        try fixture.keychain.enclave?.attest(key, challenge: [UInt8](repeating: 1, count: count), consent: Consent())
      }.fault == .invalidParameter)
  }

  // MARK: Many at once

  @Test("Tasks of any number end and ask once") func tasksOfAnyNumberEndAndAskOnce() async throws {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let key = try fixture.create([.privateKeyUsage, .userPresence])
    let consent = Consent(session: try fixture.session())
    let signed = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 {
        group.addTask { (try? isValid(enclave.sign(key, consent), by: key)) == true }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(signed == 64)
    #expect(fixture.timesAsked == 1)
  }

  @Test("Tasks make and use keys of their own") func tasksMakeAndUseKeysOfTheirOwn() async throws {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let signed = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 {
        group.addTask {
          guard let key = try? fixture.create() else { return false }
          return (try? isValid(enclave.sign(key), by: key)) == true
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(signed == 64)
    #expect(Set(fixture.engine.secrets).count == 64)
  }

  @Test("Others continue while a user is asked") func whileSomebodyIsAskedOthersGoOn() throws {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let guarded = try fixture.create([.privateKeyUsage, .biometryAny])
    let plain = try fixture.create()
    fixture.finger.block()
    inThreads(2) { index in
      if index == 0 {
        #expect((try? enclave.sign(guarded))?.count == 64)
      } else {
        fixture.finger.waitUntilAsked()
        #expect((try? enclave.sign(plain))?.count == 64)
        #expect((try? fixture.create())?.publicKey.count == 65)
        fixture.finger.unblock()
      }
    }
    #expect(fixture.finger.timesAsked == 1)
  }
}

/// A digest as swift-crypto takes one.
private struct Digest32: Digest {
  static let byteCount = 32
  let bytes: [UInt8]
  func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    try bytes.withUnsafeBytes(body)
  }
}
