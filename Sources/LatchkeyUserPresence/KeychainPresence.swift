import Crypto
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
package import LatchkeyKeychainModel
import Synchronization

/// User presence for one open keychain: evaluates access controls against the available factors, and tracks the sessions in
/// which the user has consented.
package final class KeychainPresence: PresenceAuthority {
  let biometry: Biometry
  /// The default prompter of sessions without their own.
  let prompter: (any PresencePrompter)?
  let clock: PresenceClock
  /// Nil after the keychain was closed, since sessions may outlive it.
  weak let keychain: (any PasscodeKeeper)?
  private let sessions = Mutex<[ObjectIdentifier: Member]>([:])

  private struct Member: Sendable {
    weak let session: Session?
  }

  package let machine: MachineAuthenticators

  package init(_ configuration: PresenceConfiguration, keychain: any PasscodeKeeper) {
    let machine = configuration.machine
    biometry = Biometry(
      configuration.biometry,
      admission: { [weak keychain] () throws(StoreError) in
        try Self.admitted(by: keychain?.knownAuthenticators ?? [], machine)
      }, now: configuration.clock.now)
    prompter = configuration.prompter
    clock = configuration.clock
    self.machine = machine
    self.keychain = keychain
  }

  // MARK: Service

  package var biometryNames: [String] { biometry.names }

  package func makeSession() -> any PresenceSession { newSession() }

  package func enrollment() throws(PresenceError) -> [UInt8] { try biometry.enrollment() }

  private func newSession() -> Session {
    let session = Session(of: self)
    sessions.withLock { $0[ObjectIdentifier(session)] = Member(session: session) }
    return session
  }

  func forget(_ session: ObjectIdentifier) { sessions.withLock { $0[session] = nil } }

  package func lock() {
    biometry.forgetSuccess()
    let living = sessions.withLock { $0.values.compactMap(\.session) }
    for session in living { session.lock() }
  }

  // MARK: Controls

  /// The factors that are configured or set, whether available now or not.
  var usable: Requirement.Factors {
    var factors: Requirement.Factors = []
    if biometry.isConfigured { factors.insert(.biometry) }
    if keychain?.isPasscodeSet == true { factors.insert(.passcode) }
    return factors
  }

  package func prepare(_ control: AccessControl, consent: Consent) throws(StoreError) -> PreparedControl {
    let session = try session(of: consent)
    let flags = control.flags
    guard flags.isConsistent else { throw .invalidParameter("the flags of the access control contradict") }
    var stored = StoredControl(control: control)
    guard control.isConstrained else {
      return PreparedControl(stored: stored)
    }
    let requirement = Requirement(flags)
    if requirement.takes(.biometry) {
      // Fixing the list makes it exclusive, so a refused control must not fix it.
      try settleAuthenticators { () throws(StoreError) in
        try means(for: requirement, flags).usable.contains(.biometry)
      }
    }
    let (usable, enrollment) = try means(for: requirement, flags)
    stored.enrollment = enrollment
    stored.isBoundToPasscode = requirement.needsPasscode(of: usable)
    var publicKey: Curve25519.KeyAgreement.PublicKey?
    if stored.isBoundToPasscode {
      publicKey = keychain?.publicPresenceKey
      if publicKey == nil {
        throw .unavailable(
          "the keychain's passcode was set by an earlier version, and nothing can be bound to it yet: unlock the "
            + "keychain with it once")
      }
    }
    var password: [UInt8]?
    if flags.contains(.applicationPassword) {
      password = session?.applicationPassword
      if password == nil {
        throw .presence(
          .credentialMissing(
            "the access control wants an application password and the context has none: give it one first"))
      }
    }
    return PreparedControl(stored: stored, presencePublicKey: publicKey, applicationPassword: password)
  }

  /// The factors that are usable for a new control, and the enrollment digest to store with it, if it needs one.
  ///
  /// If only biometry meets the control, an authenticator must be available: without one the item could never be used, or an
  /// authenticator that is installed later would decide who may use it. If the passcode also meets it, biometry may be added
  /// later.
  ///
  /// - Throws: `.unavailable`, `.passcodeNotSet`; `.presence` with the reason why configured biometry is unavailable.
  private func means(
    for requirement: Requirement, _ flags: AccessControl.Flags
  ) throws(StoreError) -> (usable: Requirement.Factors, enrollment: [UInt8]?) {
    var usable = usable
    var enrollment: [UInt8]?
    var failure: PresenceError?
    if usable.contains(.biometry) {
      do throws(PresenceError) {
        if flags.contains(.biometryCurrentSet) { enrollment = try biometry.enrollment() }
        if requirement.needsBiometry(of: usable) { try biometry.checkEnrolled() }
      } catch {
        usable.remove(.biometry)
        failure = error
      }
    }
    try validate(requirement, usable: usable) { failure.map { .presence($0) } }
    return (usable, enrollment)
  }

  package func authorize(
    _ control: StoredControl, for operation: PresenceOperation, consent: Consent
  ) throws(StoreError) -> Authorization {
    let kept = try session(of: consent)
    guard control.isConstrained else { return .none }
    if Requirement(control.flags).takes(.biometry) { try settleAuthenticators() }
    let request = try request(control)
    // Without a session, the consent is valid for this call only.
    let session = kept ?? newSession()
    defer { if kept == nil { session.invalidate() } }
    let reason = [consent.reason, session.options.reason].compactMap { $0 }.first { !$0.isEmpty }
    return try session.obtain(
      request, mayAsk: consent.interaction == .allowed, reason: reason ?? operation.defaultReason)
  }

  package func needsInteraction(_ control: StoredControl, consent: Consent) -> Bool {
    guard control.isConstrained else { return false }
    guard let session = consent.session as? Session, session.presence === self else { return true }
    // If the control cannot be met at all, authorizing reports that without a prompt.
    guard let request = try? request(control) else { return !session.has(Self.requirement(of: control)) }
    return !session.state.withLock { state in
      guard !state.isInvalidated, var authorization = state.authorization(for: request) else { return false }
      authorization.applicationPassword?.wipe()
      return true
    }
  }

  package func stillCounts(_ control: StoredControl, consent: Consent) throws(StoreError) -> Bool {
    guard control.isConstrained else { return true }
    guard let session = try session(of: consent) else { return false }
    if Requirement(control.flags).takes(.biometry) { try settleAuthenticators() }
    let request = try request(control)
    return session.state.withLock { state in
      guard !state.isInvalidated, var authorization = state.authorization(for: request) else { return false }
      authorization.applicationPassword?.wipe()
      return true
    }
  }

  package func forgetApplicationPassword(_ consent: Consent) { (consent.session as? Session)?.forgetTypedPassword() }

  /// The consent's session, nil without one.
  private func session(of consent: Consent) throws(StoreError) -> Session? {
    guard let given = consent.session else { return nil }
    guard let session = given as? Session, session.presence === self else {
      throw .invalidParameter("the context was used with another keychain: make a new one for this keychain")
    }
    if session.isInvalidated { throw .presence(.invalidContext) }
    return session
  }

  private static func requirement(of control: StoredControl) -> Requirement {
    let requirement = Requirement(control.flags)
    return control.isBoundToPasscode ? requirement.withPasscode : requirement
  }

  /// Determines the request for a control, and fails before any prompt if it cannot be met.
  ///
  /// - Throws: `.invalidated`, `.unavailable`, `.passcodeNotSet`, `.presence`.
  private func request(_ control: StoredControl) throws(StoreError) -> PresenceRequest {
    let flags = control.flags
    var request = request(Self.requirement(of: control), flags)
    var failure: StoreError?
    if flags.contains(.biometryCurrentSet), request.usable.contains(.biometry) {
      // Without a stored digest there was no biometry at creation, so no later enrollment counts.
      switch control.enrollment.map(compare) ?? .changed {
      case .same: request.enrollment = control.enrollment
      case .changed:
        request.usable.remove(.biometry)
        failure = .invalidated(
          "what is enrolled for biometry has changed since this was stored: it cannot be used any more, delete it and "
            + "make it anew")
      case .unknown(let error):
        request.usable.remove(.biometry)
        failure = .presence(error)
      }
    }
    try validate(request.requirement, usable: request.usable) { failure }
    return request
  }

  /// The usable factors and accepted authenticators for `requirement`. The latter are read only if biometry would meet a
  /// clause, because root's list is a file and a held key is evaluated at each use.
  private func request(_ requirement: Requirement, _ flags: AccessControl.Flags) -> PresenceRequest {
    let wantsPassword = flags.contains(.applicationPassword)
    guard requirement.takes(.biometry) else {
      return PresenceRequest(
        requirement: requirement, usable: keychain?.isPasscodeSet == true ? .passcode : [], admitted: nil,
        wantsApplicationPassword: wantsPassword)
    }
    return PresenceRequest(
      requirement: requirement, usable: usable, admitted: admitted, wantsApplicationPassword: wantsPassword)
  }

  /// The request for a control that is not stored: the current enrollment counts.
  func request(_ control: AccessControl) throws(StoreError) -> PresenceRequest {
    guard control.flags.isConsistent else { throw .invalidParameter("the flags of the access control contradict") }
    let request = request(Requirement(control.flags), control.flags)
    try validate(request.requirement, usable: request.usable) { nil }
    return request
  }

  /// - Throws: the reason why a clause cannot be met; `biometryFailure` is the reason why configured biometry does not count.
  private func validate(
    _ requirement: Requirement, usable: Requirement.Factors, biometryFailure: () -> StoreError?
  ) throws(StoreError) {
    for clause in requirement.unmet(by: usable) {
      if clause.contains(.biometry), let failure = biometryFailure() { throw failure }
      if clause.contains(.passcode) { throw .passcodeNotSet }
      if clause == .companion { throw .presence(.companionNotAvailable(Self.companionAbsence)) }
      throw .unavailable(biometry.absence)
    }
  }

  static let companionAbsence = "a companion device is wanted, and there is none on this system"

  private enum Comparison {
    case same, changed
    case unknown(PresenceError)
  }

  /// Compares a stored enrollment digest with the current one.
  private func compare(_ enrollment: [UInt8]) -> Comparison {
    do throws(PresenceError) {
      return try biometry.enrollment() == enrollment ? .same : .changed
    } catch {
      if case .biometryNotEnrolled = error { return .changed }
      return .unknown(error)
    }
  }

  /// Whether `enrollment` is the current enrollment digest.
  func isEnrolled(_ enrollment: [UInt8]) -> Bool {
    if case .same = compare(enrollment) { true } else { false }
  }
}

/// A request of one call to a session.
struct PresenceRequest: Hashable, Sendable {
  var requirement: Requirement
  /// The usable factors.
  var usable: Requirement.Factors
  /// The accepted authenticators; nil: all configured ones.
  var admitted: [String]?
  var wantsApplicationPassword = false
  /// The enrollment digest required for biometry to count; nil: any.
  var enrollment: [UInt8]?
}

extension PresenceOperation {
  /// The reason shown in a prompt if the program gives none.
  var defaultReason: String {
    switch self {
    case .createItem: "to add an item to the keychain"
    case .useItem: "to use an item of the keychain"
    case .createKey: "to make a key"
    case .sign: "to sign with a key"
    case .decrypt: "to decrypt with a key"
    case .exchange: "to agree on a secret with a key"
    }
  }
}
