import Crypto
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
package import LatchkeyKeychainModel
import Synchronization

/// The presence of one open keychain: judges access controls by what can be asked here, and keeps track of the sessions in
/// which somebody has consented.
package final class KeychainPresence: PresenceAuthority {
  let biometry: Biometry
  /// What asks where a session has no prompter of its own.
  let prompter: (any PresencePrompter)?
  let clock: PresenceClock
  /// Nil once the keychain is gone: sessions may outlive it.
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

  /// What there is to ask, were everybody there.
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
    var stored = StoredControl(control: control, enrollment: nil, isBoundToPasscode: false)
    guard control.isConstrained else {
      return PreparedControl(stored: stored, presencePublicKey: nil, applicationPassword: nil)
    }
    let requirement = Requirement(flags)
    if requirement.takes(.biometry) {
      // Whom the keychain names vouches alone from then on: what is refused names nobody.
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

  /// What there is to meet a control that is made now, and what is enrolled, where that is to be remembered.
  ///
  /// Where only biometry meets the control, an authenticator must be available: without one the item could never be used, or an
  /// authenticator that is installed later would decide who may use it. Where the passcode also meets it, biometry may be added later.
  ///
  /// - Throws: `.unavailable`, `.passcodeNotSet`; `.presence` with why biometry that is configured cannot be asked.
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
    try judge(requirement, usable: usable) { failure.map { .presence($0) } }
    return (usable, enrollment)
  }

  package func authorize(
    _ control: StoredControl, for operation: PresenceOperation, consent: Consent
  ) throws(StoreError) -> Authorization {
    let kept = try session(of: consent)
    guard control.control.isConstrained else { return .none }
    if Requirement(control.control.flags).takes(.biometry) { try settleAuthenticators() }
    let wish = try wish(control)
    // Without a session, what is consented to counts for this call alone.
    let session = kept ?? newSession()
    defer { if kept == nil { session.invalidate() } }
    let reason = [consent.reason, session.options.reason].compactMap { $0 }.first { !$0.isEmpty }
    return try session.obtain(
      wish, mayAsk: consent.interaction == .allowed, reason: reason ?? operation.defaultReason)
  }

  package func needsInteraction(_ control: StoredControl, consent: Consent) -> Bool {
    guard control.control.isConstrained else { return false }
    guard let session = consent.session as? Session, session.presence === self else { return true }
    // Where it cannot be had at all, authorizing says so, and asks nobody.
    guard let wish = try? wish(control) else { return !session.has(Self.requirement(of: control)) }
    return !session.state.withLock { state in
      guard !state.isInvalidated, var authorization = state.authorization(for: wish) else { return false }
      authorization.applicationPassword?.wipe()
      return true
    }
  }

  package func stillCounts(_ control: StoredControl, consent: Consent) throws(StoreError) -> Bool {
    guard control.control.isConstrained else { return true }
    guard let session = try session(of: consent) else { return false }
    if Requirement(control.control.flags).takes(.biometry) { try settleAuthenticators() }
    let wish = try wish(control)
    return session.state.withLock { state in
      guard !state.isInvalidated, var authorization = state.authorization(for: wish) else { return false }
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
    let requirement = Requirement(control.control.flags)
    return control.isBoundToPasscode ? requirement.withPasscode : requirement
  }

  /// What is to be obtained for a control, judged before anybody is asked.
  ///
  /// - Throws: `.invalidated`, `.unavailable`, `.passcodeNotSet`, `.presence`.
  private func wish(_ control: StoredControl) throws(StoreError) -> Wish {
    let flags = control.control.flags
    var wish = wish(Self.requirement(of: control), flags)
    var failure: StoreError?
    if flags.contains(.biometryCurrentSet), wish.usable.contains(.biometry) {
      // Without an enrollment there was no biometry when it was made, and none since counts.
      switch control.enrollment.map(compare) ?? .changed {
      case .same: wish.enrollment = control.enrollment
      case .changed:
        wish.usable.remove(.biometry)
        failure = .invalidated(
          "what is enrolled for biometry has changed since this was stored: it cannot be used any more, delete it and "
            + "make it anew")
      case .unknown(let error):
        wish.usable.remove(.biometry)
        failure = .presence(error)
      }
    }
    try judge(wish.requirement, usable: wish.usable) { failure }
    return wish
  }

  /// What there is to meet `requirement`, and who may vouch: that is looked up only where biometry would do, since root's
  /// list is a file and a held key is judged at each use.
  private func wish(_ requirement: Requirement, _ flags: AccessControl.Flags) -> Wish {
    let wantsPassword = flags.contains(.applicationPassword)
    guard requirement.takes(.biometry) else {
      return Wish(
        requirement: requirement, usable: keychain?.isPasscodeSet == true ? .passcode : [], admitted: nil,
        wantsApplicationPassword: wantsPassword)
    }
    return Wish(
      requirement: requirement, usable: usable, admitted: admitted, wantsApplicationPassword: wantsPassword)
  }

  /// A control that is not stored: what is enrolled now counts.
  func wish(_ control: AccessControl) throws(StoreError) -> Wish {
    guard control.flags.isConsistent else { throw .invalidParameter("the flags of the access control contradict") }
    let wish = wish(Requirement(control.flags), control.flags)
    try judge(wish.requirement, usable: wish.usable) { nil }
    return wish
  }

  /// - Throws: what keeps a clause from being met; `biometryFailure` is why biometry that is configured does not count.
  private func judge(
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

  /// What was enrolled, against what is.
  private func compare(_ enrollment: [UInt8]) -> Comparison {
    do throws(PresenceError) {
      return try biometry.enrollment() == enrollment ? .same : .changed
    } catch {
      if case .biometryNotEnrolled = error { return .changed }
      return .unknown(error)
    }
  }

  /// Whether `enrollment` is still what is enrolled.
  func isEnrolled(_ enrollment: [UInt8]) -> Bool {
    if case .same = compare(enrollment) { true } else { false }
  }
}

/// What one call wants of a session.
struct Wish: Hashable, Sendable {
  var requirement: Requirement
  /// What there is to meet it.
  var usable: Requirement.Factors
  /// Who may vouch; nil: those who are configured.
  var admitted: [String]?
  var wantsApplicationPassword = false
  /// What must be enrolled for biometry to count; nil: whatever is.
  var enrollment: [UInt8]?
}

extension PresenceOperation {
  /// Why somebody is asked, where the program gives no reason.
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
