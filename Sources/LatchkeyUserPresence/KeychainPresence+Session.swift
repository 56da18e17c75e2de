import Crypto
import Dispatch
import Glibc
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeySecretData
import Synchronization

extension KeychainPresence {
  /// The factors given in one session, and the keys that they open. One lock protects all state; prompts run outside of it
  /// (`KeychainPresence+Asking.swift`).
  final class Session: KeyHoldingSession {
    let presence: KeychainPresence
    let state = Mutex(State())

    struct State {
      var options = PresenceOptions()
      var isInvalidated = false
      /// The number of locks: a prompt that began before a lock does not count after it.
      var locks = 0
      var given: Requirement.Factors = []
      /// The authenticator's stored name, if biometry was given.
      var vouching: String?
      /// Set if the passcode was given.
      var presenceKey: Curve25519.KeyAgreement.PrivateKey?
      var applicationPassword: SymmetricKey?
      /// Whether the user typed the password, rather than the program setting it.
      var isPasswordTyped = false
      var domainState: [UInt8]?
      var held = LoadedKeyCache()
      /// Cancels the timer; set while keys are held.
      var timer: (@Sendable () -> Void)?
      /// The prompt in progress.
      var asking: Asking?
      var waiting: [DispatchSemaphore] = []
      /// The number of failed prompts, and the last one's request and error.
      var failures = 0
      var lastFailure: (request: PresenceRequest, error: StoreError)?
    }

    struct Asking: Sendable {
      let cancellation: Cancellation
      let thread: pthread_t
      let locks: Int
    }

    init(of presence: KeychainPresence) { self.presence = presence }

    deinit {
      state.withLock { $0.timer }?()
      presence.forget(ObjectIdentifier(self))
    }

    var options: PresenceOptions {
      get { state.withLock { $0.options } }
      set { state.withLock { $0.options = newValue } }
    }
    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }
    var domainState: [UInt8]? { state.withLock { $0.domainState } }

    // MARK: Ends

    func invalidate() { forget { $0.isInvalidated = true } }

    /// Drops all factors and keys, including the application password. The session can be used again.
    func lock() { forget { $0.locks += 1 } }

    private func forget(_ change: (inout State) -> Void) {
      let (asking, waiting, timer, keys) = state.withLock { state in
        change(&state)
        state.given = []
        state.vouching = nil
        state.presenceKey = nil
        state.applicationPassword = nil
        state.isPasswordTyped = false
        state.lastFailure = nil
        defer { (state.waiting, state.timer) = ([], nil) }
        return (state.asking, state.waiting, state.timer, state.held.removeAll())
      }
      timer?()
      asking?.cancellation.cancel()
      for semaphore in waiting { semaphore.signal() }
      // The keys are released here, outside the lock, unless in use.
      _ = keys
    }

    // MARK: Policies and controls

    func check(_ policy: PresencePolicy) throws(PresenceError) {
      if isInvalidated { throw .invalidContext }
      let requirement = Requirement(policy)
      if requirement.takes(.biometry) { noteDomainState() }
      try validate(policy)
    }

    func evaluate(_ policy: PresencePolicy, reason: String) throws(PresenceError) {
      try Self.requireReason(reason)
      if isInvalidated { throw .invalidContext }
      let requirement = Requirement(policy)
      if has(requirement) {
        if requirement.takes(.biometry) { noteDomainState() }
        return
      }
      try check(policy)
      // A recent biometric success in another context counts for a policy, but not for an access control.
      if requirement.takes(.biometry), presence.biometry.hasSucceeded(within: options.biometryReuseDuration) { return }
      try obtained(
        PresenceRequest(requirement: requirement, usable: presence.usable, admitted: presence.admitted), reason: reason)
      if requirement.takes(.biometry) { noteDomainState() }
    }

    func evaluate(
      _ control: AccessControl, for operation: PresenceOperation, reason: String
    ) throws(PresenceError) {
      try Self.requireReason(reason)
      if isInvalidated { throw .invalidContext }
      do throws(StoreError) {
        _ = try obtain(try presence.request(control), mayAsk: true, reason: reason)
      } catch {
        throw PresenceError(error)
      }
    }

    private func obtained(_ request: PresenceRequest, reason: String) throws(PresenceError) {
      do throws(StoreError) {
        _ = try obtain(request, mayAsk: true, reason: reason)
      } catch {
        throw PresenceError(error)
      }
    }

    private static func requireReason(_ reason: String) throws(PresenceError) {
      guard reason.contains(where: { !$0.isWhitespace }) else {
        throw .invalidParameter("the user must see why: give a reason that is not empty")
      }
    }

    private func validate(_ policy: PresencePolicy) throws(PresenceError) {
      let hasPasscode = presence.usable.contains(.passcode)
      switch policy {
      case .biometry, .biometryOrCompanion: _ = try presence.biometry.available()
      case .companion: throw .companionNotAvailable(KeychainPresence.companionAbsence)
      case .userPresence:
        if hasPasscode { return }
        guard presence.biometry.isConfigured else { throw .passcodeNotSet }
        _ = try presence.biometry.available()
      }
    }

    private func noteDomainState() {
      guard let enrollment = try? presence.biometry.enrollment() else { return }
      state.withLock { $0.domainState = enrollment }
    }

    /// Whether all required factors were given in this session.
    func has(_ requirement: Requirement) -> Bool {
      let admitted = presence.admitted
      return state.withLock { !$0.isInvalidated && requirement.isMet(by: $0.counting(admitted)) }
    }

    // MARK: Application password

    func setApplicationPassword(_ password: [UInt8]?) throws(PresenceError) {
      let isTaken = state.withLock { state in
        if state.isInvalidated { return false }
        // The previous key wipes its bytes when it is released.
        state.applicationPassword = password.flatMap { $0.isEmpty ? nil : SymmetricKey(data: $0) }
        state.isPasswordTyped = false
        return true
      }
      if !isTaken { throw .invalidContext }
    }

    var hasApplicationPassword: Bool { state.withLock { $0.applicationPassword != nil } }

    /// A copy; the caller wipes it.
    var applicationPassword: [UInt8]? { state.withLock { $0.applicationPassword }?.exposedBytes }

    func forgetTypedPassword() {
      state.withLock { state in
        guard state.isPasswordTyped else { return }
        state.applicationPassword = nil
        state.isPasswordTyped = false
      }
    }

    // MARK: Held keys

    func held(_ id: [UInt8]) -> (any LoadedKey)? {
      let now = presence.clock.now()
      // An expired key is released outside the lock.
      return state.withLock { $0.held.use(id, now: now) }.key
    }

    func drop(_ id: [UInt8]) {
      // The key is released outside the lock.
      _ = state.withLock { $0.held.remove(id) }
    }

    func hold(_ key: any LoadedKey, id: [UInt8]) {
      let now = presence.clock.now()
      let (dropped, needsTimer) = state.withLock { state -> ((any LoadedKey)?, Bool) in
        if state.isInvalidated { return (nil, false) }
        let dropped = state.held.insert(key, id: id, now: now)
        return (dropped, state.timer == nil)
      }
      if needsTimer { arm() }
      _ = dropped
    }

    /// Schedules the removal of the next key that expires, if there is one.
    private func arm() {
      let now = presence.clock.now()
      guard let next = state.withLock({ $0.held.nextExpiry }) else { return }
      let cancel = presence.clock.after(max(0, next - now)) { [weak self] in self?.dropIdle() }
      let superfluous = state.withLock { state -> (@Sendable () -> Void)? in
        if state.timer != nil || state.held.isEmpty { return cancel }
        state.timer = cancel
        return nil
      }
      superfluous?()
    }

    private func dropIdle() {
      let now = presence.clock.now()
      let (idle, isLeft) = state.withLock { state in
        state.timer = nil
        return (state.held.removeIdle(now: now), !state.held.isEmpty)
      }
      if isLeft { arm() }
      _ = idle
    }
  }
}
