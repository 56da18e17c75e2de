import Foundation
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// Who is asked, how often, and for how long it counts.
@Suite struct EnclaveConsentTests {
  // MARK: Asking

  @Test("Without a session each use asks for presence") func withoutASessionEachUseIsAskedFor() throws {
    let fixture = try EnclaveFixture()
    let key = try fixture.create([.privateKeyUsage, .biometryAny])
    #expect(fixture.timesAsked == 0)
    for _ in 0..<3 { _ = try fixture.enclave().sign(key) }
    #expect(fixture.finger.timesAsked == 3)
    #expect(fixture.engine.loads == 3)
  }

  @Test("A session is asked once and holds the key") func aSessionIsAskedOnceAndHoldsTheKey() throws {
    let fixture = try EnclaveFixture()
    let key = try fixture.create([.privateKeyUsage, .biometryAny])
    let consent = Consent(session: try fixture.session(), reason: "to sign")
    for _ in 0..<5 { _ = try fixture.enclave().sign(key, consent) }
    #expect(fixture.finger.reasons == ["to sign"])
    #expect(fixture.engine.loads == 1)
    // Another session knows nothing of it.
    _ = try fixture.enclave().sign(key, Consent(session: try fixture.session()))
    #expect(fixture.finger.timesAsked == 2)
    #expect(fixture.engine.loads == 2)
  }

  @Test("A refusal gives no signature and loads no key") func whoRefusesGetsNoSignatureAndNothingIsLoaded() throws {
    let fixture = try EnclaveFixture()
    let key = try fixture.create([.privateKeyUsage, .biometryAny])
    fixture.finger.append(.fails(.userCancel), .refused)
    let consent = Consent(session: try fixture.session())
    #expect(
      failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key, consent) }.refusal == .userCancel)
    #expect(failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key, consent) }.refusal != nil)
    #expect(fixture.engine.loads == 0)
    #expect(try fixture.enclave().sign(key, consent).count == 64)
  }

  @Test("Where interaction is not allowed no one is asked", arguments: [Consent.Interaction.refused, .skipped])
  func whereNobodyMayBeAskedNobodyIs(interaction: Consent.Interaction) throws {
    let fixture = try EnclaveFixture()
    let key = try fixture.create([.privateKeyUsage, .biometryAny])
    let consent = Consent(interaction: interaction)
    guard
      case .notInteractive? = failure({ () throws(StoreError) in try fixture.keychain.enclave?.sign(key, consent) })
        .refusal
    else {
      Issue.record("a signature, or another error")
      return
    }
    #expect(fixture.timesAsked == 0)
  }

  @Test("Without biometry a key that requires it is not made") func withoutBiometryAKeyThatWantsItIsNotMade() throws {
    let fixture = try EnclaveFixture(hasBiometry: false)
    for flags: AccessControl.Flags in [.biometryAny, .biometryCurrentSet, [.biometryAny, .and, .devicePasscode]] {
      let control = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags.union(.privateKeyUsage))
      let error = failure { () throws(StoreError) in
        try fixture.keychain.enclave?.create(control, consent: Consent())
      }
      #expect(error.fault == .unavailable)
      #expect(error?.description.contains("LATCHKEY_PRESENCE") == true)
    }
    #expect(fixture.engine.secrets.isEmpty)
    // User presence is the passcode then.
    let key = try fixture.create([.privateKeyUsage, .userPresence])
    #expect(try fixture.enclave().sign(key).count == 64)
    #expect(fixture.user.questions.map(\.subject) == [.passcode])
  }

  @Test("A key bound to the passcode opens with the passcode alone") func whatThePasscodeBindsOpensWithItAlone() throws
  {
    let fixture = try EnclaveFixture()
    let key = try fixture.create([.privateKeyUsage, .devicePasscode])
    #expect(try KeyRepresentation(encoded: key.representation).stored.isBoundToPasscode)
    fixture.user.append(.types("wrong"), .types(EnclaveFixture.passcode))
    #expect(try fixture.enclave().sign(key).count == 64)
    #expect(fixture.user.questions.count == 2)
    #expect(fixture.finger.timesAsked == 0)
    fixture.user.append(.fails(.userCancel))
    #expect(failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key) }.refusal == .userCancel)
  }

  @Test("An application password is required at each use") func anApplicationPasswordIsWantedAtEachUse() throws {
    let fixture = try EnclaveFixture()
    let (session, other) = (try fixture.session(), try fixture.session())
    let control = AccessControl(
      protection: .whenUnlockedThisDeviceOnly, flags: [.privateKeyUsage, .applicationPassword])
    guard
      case .credentialMissing? = failure({ () throws(StoreError) in
        try fixture.keychain.enclave?.create(control, consent: Consent(session: session))
      }).refusal
    else {
      Issue.record("a key without the password, or another error")
      return
    }
    try session.setApplicationPassword(Array("mine".utf8))
    try other.setApplicationPassword(Array("not mine".utf8))
    let key = try fixture.enclave().create(control, consent: Consent(session: session))
    guard
      case .authenticationFailed? = failure({ () throws(StoreError) in
        try fixture.keychain.enclave?.sign(key, Consent(session: other))
      }).refusal
    else {
      Issue.record("a signature with a wrong password, or another error")
      return
    }
    #expect(fixture.engine.loads == 0)
    #expect(try fixture.enclave().sign(key, Consent(session: session)).count == 64)
    #expect(fixture.timesAsked == 0)
  }

  // MARK: How long it counts

  @Test("A session that ended holds nothing and consents to nothing")
  func aSessionThatEndedHoldsNothingAndConsentsToNothing() throws {
    let fixture = try EnclaveFixture()
    let keys = [try fixture.create(), try fixture.create([.privateKeyUsage, .biometryAny])]
    let session = try fixture.session()
    for key in keys { _ = try fixture.enclave().sign(key, Consent(session: session)) }
    session.invalidate()
    for key in keys {
      #expect(
        failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key, Consent(session: session)) }
          == .presence(.invalidContext))
    }
    #expect(
      failure { () throws(StoreError) in
        try fixture.keychain.enclave?.create(keys[0].control, consent: Consent(session: session))
      } == .presence(.invalidContext))
    #expect(fixture.engine.loads == 2)
  }

  @Test("A lock removes the cached key and the consent") func aLockTakesTheHeldKeyAndTheConsent() throws {
    let fixture = try EnclaveFixture()
    let key = try fixture.create([.privateKeyUsage, .biometryAny])
    let consent = Consent(session: try fixture.session())
    _ = try fixture.enclave().sign(key, consent)
    fixture.keychain.lock()
    #expect(failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key, consent) }.fault == .locked)
    try fixture.keychain.unlock(passcode: Array(EnclaveFixture.passcode.utf8))
    _ = try fixture.enclave().sign(key, consent)
    #expect(fixture.finger.timesAsked == 2)
    #expect(fixture.engine.loads == 2)
  }

  @Test("A key obtained just before the lock cannot be used after it")
  func whoGotAKeyJustBeforeTheLockCannotUseItAfter() throws {
    let fixture = try EnclaveFixture()
    let key = try fixture.create()
    let session = try #require(try fixture.session() as? any KeyHoldingSession)
    _ = try fixture.enclave().sign(key, Consent(session: session))
    let held = try #require(session.held(key.id))
    fixture.keychain.lock()
    // As if it were put back by a call that the lock has overtaken.
    session.hold(held, id: key.id)
    #expect(failure { () throws(StoreError) in try held.sign(digest: someDigest) }.fault == .locked)
    #expect(failure { () throws(StoreError) in try held.sharedSecret(with: key.publicKey) }.fault == .locked)
    #expect(failure { () throws(StoreError) in try held.attest(challenge: [1]) }.fault == .locked)
    #expect(
      failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key, Consent(session: session)) }.fault
        == .locked)
  }

  @Test("A key unused for ten seconds is loaded again") func aKeyThatNobodyUsesForTenSecondsIsLoadedAgain() throws {
    let fixture = try EnclaveFixture()
    let key = try fixture.create([.privateKeyUsage, .biometryAny])
    let consent = Consent(session: try fixture.session())
    _ = try fixture.enclave().sign(key, consent)
    for _ in 0..<5 {
      fixture.clock.pass(9)
      _ = try fixture.enclave().sign(key, consent)
    }
    #expect(fixture.engine.loads == 1)
    fixture.clock.pass(10)
    _ = try fixture.enclave().sign(key, consent)
    #expect(fixture.engine.loads == 2)
    // The user's consent remains valid.
    #expect(fixture.finger.timesAsked == 1)
  }

  // MARK: What was enrolled

  @Test("A new enrollment invalidates the keys of the current set") func whatIsEnrolledAnewLosesTheKeysOfTheCurrentSet()
    throws
  {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let current = try fixture.create([.privateKeyUsage, .biometryCurrentSet])
    let either = try fixture.create([.privateKeyUsage, .biometryCurrentSet, .or, .devicePasscode])
    let any = try fixture.create([.privateKeyUsage, .biometryAny])
    #expect(try KeyRepresentation(encoded: current.representation).stored.enrollment != nil)
    #expect(try KeyRepresentation(encoded: any.representation).stored.enrollment == nil)
    for key in [current, either, any] {
      #expect(try !enclave.isInvalidated(key))
      #expect(try enclave.sign(key).count == 64)
    }
    let asked = fixture.timesAsked
    fixture.finger.enrolled = Array("another finger".utf8)
    #expect(try enclave.isInvalidated(current))
    #expect(try !enclave.isInvalidated(either))
    #expect(try !enclave.isInvalidated(any))
    #expect(failure { () throws(StoreError) in try enclave.sign(current) }.fault == .invalidated)
    #expect(fixture.timesAsked == asked)
    #expect(try enclave.sign(any).count == 64)
    // By the passcode alone.
    let fingers = fixture.finger.timesAsked
    #expect(try enclave.sign(either).count == 64)
    #expect(fixture.finger.timesAsked == fingers)
  }

  @Test("Another session's consent does not bring a lost key back")
  func anotherSessionsConsentDoesNotBringALostKeyBack() throws {
    let fixture = try EnclaveFixture()
    let key = try fixture.create([.privateKeyUsage, .biometryCurrentSet])
    let session = try fixture.session()
    fixture.finger.enrolled = Array("another finger".utf8)
    try session.evaluate(.biometry, reason: "to test")
    #expect(
      failure { () throws(StoreError) in try fixture.keychain.enclave?.sign(key, Consent(session: session)) }
        .fault == .invalidated)
  }
}
