import Foundation
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Synchronization
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

private func control(_ flags: AccessControl.Flags) -> AccessControl {
  AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags)
}

/// A key that tells when it goes.
private final class KeyDouble: LoadedKey {
  private let onEnd: @Sendable () -> Void
  init(onEnd: @escaping @Sendable () -> Void = {}) { self.onEnd = onEnd }
  deinit { onEnd() }
  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8] { digest }
  func sharedSecret(with peer: [UInt8]) throws(StoreError) -> [UInt8] { peer }
  func attest(challenge: [UInt8]) throws(StoreError) -> [UInt8]? { nil }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}

@Suite("Presence: the application's password") struct PresenceApplicationPasswordTests {
  private let flags: AccessControl.Flags = .applicationPassword

  @Test("comes from the context, without a prompt") func given() throws {
    let bench = PresenceBench()
    let session = try bench.session()
    try session.setApplicationPassword([1, 2, 3])
    #expect(session.hasApplicationPassword)
    let consent = Consent(session: session, interaction: .refused)
    let prepared = try bench.presence.prepare(control(flags), consent: consent)
    #expect(prepared.applicationPassword == [1, 2, 3] && !prepared.stored.isBoundToPasscode)
    #expect(!bench.presence.needsInteraction(prepared.stored, consent: consent))
    #expect(
      try bench.presence.authorize(prepared.stored, for: .useItem, consent: consent).applicationPassword == [1, 2, 3])
    #expect(bench.user.questions.isEmpty && bench.finger.timesAsked == 0)
    for nothing: [UInt8]? in [nil, []] {
      try session.setApplicationPassword([1])
      try session.setApplicationPassword(nothing)
      #expect(!session.hasApplicationPassword)
    }
  }

  @Test("is not asked for where something is made, and is missing then") func making() throws {
    let bench = PresenceBench()
    #expect(presenceError { try bench.prepared(flags) }.isCredentialMissing)
    #expect(
      presenceError { try bench.prepared(flags, consent: Consent(session: try? bench.session())) }.isCredentialMissing)
    #expect(bench.user.questions.isEmpty)
  }

  @Test("is asked for where the context has none, once for a context") func asked() throws {
    let bench = PresenceBench(user: ScriptedPrompter(always: "open sesame"))
    let stored = StoredControl(control: control(flags), enrollment: nil, isBoundToPasscode: false)
    let session = try bench.session()
    let consent = Consent(session: session)
    #expect(bench.presence.needsInteraction(stored, consent: consent))
    for _ in 1...2 {
      #expect(
        try bench.presence.authorize(stored, for: .useItem, consent: consent).applicationPassword
          == Array("open sesame".utf8))
    }
    #expect(bench.user.questions.map(\.subject) == [.applicationPassword])
    // It proved wrong: it is asked for again.
    bench.presence.forgetApplicationPassword(consent)
    #expect(bench.presence.needsInteraction(stored, consent: consent))
    _ = try bench.presence.authorize(stored, for: .useItem, consent: consent)
    #expect(bench.user.questions.count == 2)
    // One that the program has given stays.
    try session.setApplicationPassword([7])
    bench.presence.forgetApplicationPassword(consent)
    #expect(session.hasApplicationPassword)
    #expect(bench.keychain.tried.isEmpty, "it is not the passcode")
  }

  @Test("is wanted besides what the user gives, with `or`, too") func besides() throws {
    let bench = PresenceBench()
    for flags: AccessControl.Flags in [
      [.applicationPassword, .biometryAny], [.applicationPassword, .biometryAny, .devicePasscode, .or],
      [.applicationPassword, .userPresence],
    ] {
      let session = try bench.session()
      try session.evaluate(.biometry, reason: "test")
      let stored = StoredControl(control: control(flags), enrollment: nil, isBoundToPasscode: false)
      let consent = Consent(session: session, interaction: .refused)
      #expect(presenceError { try bench.presence.authorize(stored, for: .sign, consent: consent) }.isNotInteractive)
      try session.setApplicationPassword([1])
      _ = try bench.presence.authorize(stored, for: .sign, consent: consent)
      // And it alone is not enough.
      let alone = try bench.session()
      try alone.setApplicationPassword([1])
      #expect(
        presenceError {
          try bench.presence.authorize(stored, for: .sign, consent: Consent(session: alone, interaction: .refused))
        }.isNotInteractive)
    }
  }

  @Test("that is not typed, or cannot be, is missing") func missing() throws {
    let stored = StoredControl(control: control(flags), enrollment: nil, isBoundToPasscode: false)
    let empty = PresenceBench(user: ScriptedPrompter(always: ""))
    #expect(
      presenceError { try empty.presence.authorize(stored, for: .useItem, consent: Consent()) }.isCredentialMissing)
    let nobody = PresenceBench(hasPrompter: false)
    #expect(
      presenceError { try nobody.presence.authorize(stored, for: .useItem, consent: Consent()) }.isCredentialMissing)
  }
}

@Suite("Presence: the end of a context") struct PresenceEndTests {
  @Test("everything afterwards is refused, and nothing is remembered") func invalid() throws {
    let bench = PresenceBench()
    let session = try bench.session()
    try session.evaluate(.biometry, reason: "test")
    try session.setApplicationPassword([1])
    let stored = try bench.prepared(.biometryAny)
    let free = try bench.prepared(.privateKeyUsage)
    session.invalidate()
    session.invalidate()
    #expect(session.isInvalidated && !session.hasApplicationPassword)
    let consent = Consent(session: session)
    let calls: [() throws -> Void] = [
      { try session.check(.biometry) }, { try session.evaluate(.biometry, reason: "test") },
      { try session.evaluate(control(.biometryAny), for: .sign, reason: "test") },
      { try session.setApplicationPassword([1]) }, { try session.setApplicationPassword(nil) },
      { _ = try bench.presence.authorize(stored, for: .sign, consent: consent) },
      { _ = try bench.presence.authorize(free, for: .sign, consent: consent) },
      { _ = try bench.prepared(.biometryAny, consent: consent) },
    ]
    for call in calls { #expect(presenceError(call) == .invalidContext) }
    #expect(bench.presence.needsInteraction(stored, consent: consent))
    session.hold(KeyDouble(), id: [1])
    #expect(session.held([1]) == nil)
    #expect(bench.finger.timesAsked == 1)
  }

  @Test("ends what is being asked, of a sensor and of a user, and the caller that waits for it") func cancels() throws {
    let bench = PresenceBench(finger: ScriptedAuthenticator([.recognized], otherwise: .recognized))
    bench.finger.block()
    let session = try bench.session()
    let asking = Call { try session.evaluate(.biometry, reason: "test") }
    bench.finger.waitUntilAsked()
    let waiting = (0..<4).map { _ in Call { try session.evaluate(.userPresence, reason: "test") } }
    session.invalidate()
    #expect(presenceError { try asking.value() } == .appCancel)
    for call in waiting {
      let error = presenceError { try call.value() }
      #expect(error == .appCancel || error == .invalidContext)
    }
    #expect(bench.finger.timesAsked == 1)

    bench.user.block()
    let typing = try bench.session()
    let call = Call {
      try bench.presence.authorize(
        try bench.prepared(.devicePasscode), for: .sign, consent: Consent(session: typing))
    }
    bench.user.waitUntilAsked()
    typing.invalidate()
    #expect(presenceError { try call.value() } == .appCancel)
    #expect(bench.keychain.tried.isEmpty)
  }

  @Test("a lock ends what is being asked and forgets what was given; the context lives on") func lock() throws {
    let bench = PresenceBench()
    let session = try bench.session()
    try session.evaluate(.biometry, reason: "test")
    try session.setApplicationPassword([1])
    session.hold(KeyDouble(), id: [1])
    bench.presence.lock()
    #expect(!session.isInvalidated && !session.hasApplicationPassword && session.held([1]) == nil)
    let stored = try bench.prepared(.biometryAny)
    #expect(bench.presence.needsInteraction(stored, consent: Consent(session: session)))
    bench.finger.block()
    let call = Call { try session.evaluate(.biometry, reason: "test") }
    bench.finger.waitUntilAsked(2)
    bench.presence.lock()
    #expect(presenceError { try call.value() } == .systemCancel)
    bench.finger.unblock()
    try session.evaluate(.biometry, reason: "test")
    #expect(bench.finger.timesAsked == 3)
  }

  @Test("a keychain's lock is its sessions' lock") func keychainLock() throws {
    let finger = ScriptedAuthenticator()
    let keychain = try TemporaryKeychain(passcode: "1", biometry: [finger])
    let session = try #require(keychain.database.presence).makeSession()
    try session.evaluate(.biometry, reason: "test")
    keychain.lock()
    try session.evaluate(.biometry, reason: "test")
    #expect(finger.timesAsked == 2)
  }

  @Test("a context that outlives its keychain is refused the passcode") func outlives() throws {
    var keychain: TemporaryKeychain? = try TemporaryKeychain(passcode: "1", prompter: ScriptedPrompter(always: "1"))
    let session = try #require(keychain?.database.presence).makeSession()
    keychain = nil
    #expect(presenceError { try session.evaluate(.userPresence, reason: "test") } == .passcodeNotSet)
  }

  @Test("Released sessions are not retained") func registry() throws {
    let bench = PresenceBench()
    weak var gone: KeychainPresence.Session?
    do {
      let session = try bench.session()
      gone = session
      session.hold(KeyDouble(), id: [1])
      #expect(bench.time.armed == 1)
    }
    #expect(gone == nil && bench.time.armed == 0)
    bench.presence.lock()
  }
}

@Suite("Presence: several threads") struct PresenceConcurrencyTests {
  @Test("Concurrent calls for the same factor of one context share one prompt") func once() throws {
    let bench = PresenceBench()
    let session = try bench.session()
    let stored = try bench.prepared([.biometryAny, .devicePasscode])
    bench.finger.block()
    let calls = (0..<16).map { _ in
      Call { try bench.presence.authorize(stored, for: .sign, consent: Consent(session: session)).presenceKey != nil }
    }
    bench.finger.waitUntilAsked()
    bench.finger.unblock()
    for call in calls { #expect(try call.value()) }
    #expect(bench.finger.timesAsked == 1 && bench.user.questions.count == 1)
  }

  @Test("a refusal is for all who waited for it, and the next call asks again") func refusal() throws {
    let bench = PresenceBench(finger: ScriptedAuthenticator([.fails(.userCancel)]))
    let session = try bench.session()
    bench.finger.block()
    let first = Call { try session.evaluate(.biometry, reason: "test") }
    bench.finger.waitUntilAsked()
    let started = Counter()
    let others = (0..<4).map { _ in
      Call {
        started.add()
        try session.evaluate(.biometry, reason: "test")
      }
    }
    while session.state.withLock({ $0.waiting.count }) < 4 { usleep(1000) }
    bench.finger.unblock()
    #expect(presenceError { try first.value() } == .userCancel)
    for call in others { #expect(presenceError { try call.value() } == .userCancel) }
    #expect(bench.finger.timesAsked == 1 && started.value == 4)
    try session.evaluate(.biometry, reason: "test")
    #expect(bench.finger.timesAsked == 2)
  }

  @Test("one who may not ask does not wait for one who may") func noWaiting() throws {
    let bench = PresenceBench()
    let session = try bench.session()
    let stored = try bench.prepared(.biometryAny)
    bench.finger.block()
    let call = Call { try session.evaluate(.biometry, reason: "test") }
    bench.finger.waitUntilAsked()
    #expect(
      presenceError {
        try bench.presence.authorize(stored, for: .sign, consent: Consent(session: session, interaction: .refused))
      }.isNotInteractive)
    #expect(bench.presence.needsInteraction(stored, consent: Consent(session: session)))
    // No lock is held during a prompt.
    session.options.reason = "another"
    session.hold(KeyDouble(), id: [1])
    #expect(session.held([1]) != nil && !session.isInvalidated)
    try bench.presence.makeSession().check(.userPresence)
    bench.finger.unblock()
    try call.value()
  }

  @Test("two contexts are asked side by side") func sideBySide() throws {
    let bench = PresenceBench()
    bench.finger.block()
    let calls = try (0..<2).map { _ in
      let session = try bench.session()
      return Call { try session.evaluate(.biometry, reason: "test") }
    }
    bench.finger.waitUntilAsked(2)
    bench.finger.unblock()
    for call in calls { try call.value() }
  }

  @Test("A prompter that calls its own context gets an error, without a deadlock") func reentrance() throws {
    let bench = PresenceBench(hasBiometry: false)
    let session = try bench.session()
    session.options.prompter = ClosurePrompter { [weak session] (_, _) throws(PresenceError) in
      try session?.evaluate(.userPresence, reason: "inside")
      return []
    }
    #expect(presenceError { try session.evaluate(.userPresence, reason: "test") }.isInvalidParameter)
  }
}

@Suite("Presence: held keys") struct PresenceHeldKeysTests {
  @Test("are discarded after ten seconds without use") func idle() throws {
    let bench = PresenceBench()
    let session = try bench.session()
    let ended = Counter()
    #expect(bench.time.armed == 0)
    session.hold(KeyDouble { ended.add() }, id: [1])
    bench.time.advance(6)
    session.hold(KeyDouble { ended.add() }, id: [2])
    #expect(bench.time.armed == 1, "one timer for a context")
    #expect(session.held([1]) != nil && session.held([3]) == nil)
    bench.time.advance(9)
    #expect(ended.value == 0, "asking is use")
    bench.time.advance(1)
    #expect(ended.value == 2 && bench.time.armed == 0, "and no timer where nothing is held")
    #expect(session.held([1]) == nil)
    session.hold(KeyDouble { ended.add() }, id: [1])
    #expect(bench.time.armed == 1)
    bench.time.advance(5)
    #expect(session.held([1]) != nil)
    bench.time.advance(5)
    #expect(session.held([1]) != nil)
    bench.time.advance(10)
    #expect(ended.value == 3)
  }

  @Test("that are idle are not given out, however late the timer is") func lateTimer() throws {
    let now = Mutex(0.0)
    var configuration = PresenceConfiguration()
    let moved = Counter()
    configuration.clock = PresenceClock(
      now: { Double(moved.value) * 10 + now.withLock { $0 } }, after: { _, _ in {} })
    let presence = KeychainPresence(configuration, keychain: PasscodeDouble())
    let session = try #require(presence.makeSession() as? KeychainPresence.Session)
    let ended = Counter()
    session.hold(KeyDouble { ended.add() }, id: [1])
    moved.add()
    #expect(session.held([1]) == nil && ended.value == 1)
  }

  @Test("are at most 64: the longest unused one goes") func limit() throws {
    let bench = PresenceBench()
    let session = try bench.session()
    let ended = Counter()
    for id in UInt8(0)..<64 { session.hold(KeyDouble { ended.add() }, id: [id]) }
    #expect(session.held([0]) != nil)
    session.hold(KeyDouble { ended.add() }, id: [64])
    #expect(ended.value == 1 && session.held([1]) == nil && session.held([0]) != nil && session.held([64]) != nil)
    session.hold(KeyDouble { ended.add() }, id: [64])
    #expect(ended.value == 2, "the same name takes the place of the other")
    session.lock()
    #expect(ended.value == 66 && bench.time.armed == 0)
  }

  @Test("go at the end of their context, but not under the hands of who uses one") func end() throws {
    let bench = PresenceBench()
    let session = try bench.session()
    let ended = Counter()
    session.hold(KeyDouble { ended.add() }, id: [1])
    var used = session.held([1])
    session.invalidate()
    #expect(ended.value == 0 && session.held([1]) == nil && bench.time.armed == 0)
    #expect(try used?.sign(digest: [5]) == [5])
    used = nil
    #expect(ended.value == 1)
  }
}
