import Crypto
import Foundation
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Synchronization
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// A keychain's passcode without the keychain: cheap to try, with a count of what was tried.
final class PasscodeDouble: PasscodeKeeper {
  struct State {
    var passcode: String?
    var tried: [String] = []
    var left = 4
    var delay: Double?
    var authenticators: [String] = []
  }
  let state: Mutex<State>
  let key = Curve25519.KeyAgreement.PrivateKey()

  init(_ passcode: String? = "1234") { state = Mutex(State(passcode: passcode)) }

  var tried: [String] { state.withLock { $0.tried } }
  var isPasscodeSet: Bool { state.withLock { $0.passcode != nil } }
  var publicPresenceKey: Curve25519.KeyAgreement.PublicKey? { isPasscodeSet ? key.publicKey : nil }

  var knownAuthenticators: [String] { state.withLock { $0.authenticators } }
  func currentAuthenticators() -> [String] { knownAuthenticators }
  func fixAuthenticators(_ names: [String]) -> [String] {
    state.withLock { state in
      if state.authenticators.isEmpty { state.authenticators = names }
      return state.authenticators
    }
  }

  func validatePasscodeAttempt() throws(StoreError) {
    guard isPasscodeSet else { throw .passcodeNotSet }
    if let delay = state.withLock({ $0.delay }) { throw .passcodeDelayed(seconds: delay) }
  }

  func openPresenceKey(passcode: [UInt8]) throws(StoreError) -> Curve25519.KeyAgreement.PrivateKey {
    try validatePasscodeAttempt()
    let left = state.withLock { state -> Int? in
      let text = String(decoding: passcode, as: UTF8.self)
      state.tried.append(text)
      if text == state.passcode { return nil }
      defer { state.left -= 1 }
      if state.left == 0 { state.delay = 60 }
      return max(0, state.left)
    }
    if let left { throw .wrongPasscode(attemptsBeforeDelay: left) }
    return key
  }
}

/// A clock that a test moves.
final class ManualClock: Sendable {
  private struct State {
    var now = 1000.0
    var timers: [Int: (due: Double, body: @Sendable () -> Void)] = [:]
    var next = 0
  }
  private let state = Mutex(State())

  var armed: Int { state.withLock { $0.timers.count } }

  var clock: PresenceClock {
    PresenceClock(
      now: { self.state.withLock { $0.now } },
      after: { seconds, body in
        let number = self.state.withLock { state in
          state.next += 1
          state.timers[state.next] = (state.now + seconds, body)
          return state.next
        }
        return { self.state.withLock { $0.timers[number] = nil } }
      })
  }

  /// Moves on, and wakes those who are due.
  func advance(_ seconds: Double) {
    state.withLock { $0.now += seconds }
    while let body = state.withLock({ state -> (@Sendable () -> Void)? in
      guard let due = state.timers.first(where: { $0.value.due <= state.now }) else { return nil }
      state.timers[due.key] = nil
      return due.value.body
    }) { body() }
  }
}

/// A presence with all that it needs, each part a double.
struct PresenceBench {
  let keychain: PasscodeDouble
  let finger: ScriptedAuthenticator
  let user: ScriptedPrompter
  let time = ManualClock()
  let presence: KeychainPresence

  init(
    passcode: String? = "1234", finger: ScriptedAuthenticator = ScriptedAuthenticator(), hasBiometry: Bool = true,
    user: ScriptedPrompter = ScriptedPrompter(always: "1234"), hasPrompter: Bool = true
  ) {
    keychain = PasscodeDouble(passcode)
    self.finger = finger
    self.user = user
    var configuration = PresenceConfiguration(
      biometry: hasBiometry ? [finger] : [], prompter: hasPrompter ? user : nil)
    configuration.clock = time.clock
    presence = KeychainPresence(configuration, keychain: keychain)
  }

  func session() throws -> KeychainPresence.Session {
    try #require(presence.makeSession() as? KeychainPresence.Session)
  }

  func prepared(
    _ flags: AccessControl.Flags, consent: Consent = Consent()
  ) throws(StoreError) -> StoredControl {
    try presence.prepare(AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags), consent: consent).stored
  }
}

/// The error that `body` throws, if it is one of presence.
func presenceError(_ body: () throws -> some Any) -> PresenceError? {
  do {
    _ = try body()
    return nil
  } catch {
    if case .presence(let error)? = error as? StoreError { return error }
    return error as? PresenceError
  }
}

extension PresenceError? {
  var isRefusal: Bool { if case .authenticationFailed = self { true } else { false } }
  var isNotInteractive: Bool { if case .notInteractive = self { true } else { false } }
  var isLockout: Bool { if case .biometryLockout = self { true } else { false } }
  var isNotAvailable: Bool { if case .biometryNotAvailable = self { true } else { false } }
  var isNotEnrolled: Bool { if case .biometryNotEnrolled = self { true } else { false } }
  var isCompanionNotAvailable: Bool { if case .companionNotAvailable = self { true } else { false } }
  var isCredentialMissing: Bool { if case .credentialMissing = self { true } else { false } }
  var isInvalidParameter: Bool { if case .invalidParameter = self { true } else { false } }
}

extension StoreError? {
  var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
  var isInvalidated: Bool { if case .invalidated = self { true } else { false } }
  var isPasscodeDelayed: Bool { if case .passcodeDelayed = self { true } else { false } }
  var isInvalidParameter: Bool { if case .invalidParameter = self { true } else { false } }
}

/// A call on a thread of its own, so that no test waits on the pool that others need.
final class Call<Value: Sendable>: Sendable {
  private let outcome = Mutex<Result<Value, any Error>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () throws -> Value) {
    let thread = Thread {
      let result = Result { try body() }
      self.outcome.withLock { $0 = result }
      self.done.signal()
    }
    thread.start()
  }

  /// Waits for it.
  func value() throws -> Value {
    done.wait()
    done.signal()
    return try #require(outcome.withLock { $0 }).get()
  }
}
