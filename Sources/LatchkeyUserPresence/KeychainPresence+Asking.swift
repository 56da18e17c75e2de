import Crypto
import Dispatch
import Glibc
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeySecretData
import Synchronization

extension KeychainPresence.Session {
  /// The limit of passcode prompts in one call.
  static let passcodeTries = 3

  private enum Turn {
    case done(Authorization)
    case wait(DispatchSemaphore)
    case ask(Asking)
  }

  /// Returns the factors that `request` requires: cached in this session, or else by a prompt. Prompts are serialized per session.
  /// Concurrent callers with the same request share the result, failures included.
  func obtain(_ request: PresenceRequest, mayAsk: Bool, reason: String) throws(StoreError) -> Authorization {
    var arrival: (failures: Int, locks: Int)?
    while true {
      let turn = try state.withLock { (state) throws(StoreError) -> Turn in
        if state.isInvalidated { throw .presence(arrival == nil ? .invalidContext : .appCancel) }
        let known = arrival ?? (state.failures, state.locks)
        if known.locks != state.locks { throw .presence(.systemCancel) }
        if let authorization = state.authorization(for: request) { return .done(authorization) }
        if state.failures > known.failures, let last = state.lastFailure, last.request == request { throw last.error }
        guard mayAsk, !state.options.interactionNotAllowed else {
          throw .presence(
            .notInteractive("somebody would have to be asked, and the call or its context forbids that: allow it"))
        }
        arrival = known
        if let asking = state.asking {
          if pthread_equal(asking.thread, pthread_self()) != 0 {
            throw .invalidParameter("a prompter's answer cannot wait for the context that asks it")
          }
          let semaphore = DispatchSemaphore(value: 0)
          state.waiting.append(semaphore)
          return .wait(semaphore)
        }
        let asking = Asking(cancellation: Cancellation(), thread: pthread_self(), locks: state.locks)
        state.asking = asking
        return .ask(asking)
      }
      switch turn {
      case .done(let authorization): return authorization
      case .wait(let semaphore): semaphore.wait()
      case .ask(let asking): try ask(request, reason: reason, asking)
      }
    }
  }

  /// Prompts for all missing factors, then wakes the waiting callers.
  private func ask(_ request: PresenceRequest, reason: String, _ asking: Asking) throws(StoreError) {
    let result = Result { () throws(StoreError) in try askSteps(request, reason: reason, asking) }
    let (failure, waiting) = state.withLock { state -> (StoreError?, [DispatchSemaphore]) in
      var failure: StoreError?
      if case .failure(let error) = result {
        // Only the session knows the reason of a cancellation, so the prompter's error is replaced.
        failure = asking.cancellation.isCancelled ? .presence(state.isInvalidated ? .appCancel : .systemCancel) : error
        state.failures += 1
        state.lastFailure = (request, failure ?? error)
      }
      defer { (state.asking, state.waiting) = (nil, []) }
      return (failure, state.waiting)
    }
    for semaphore in waiting { semaphore.signal() }
    if let failure { throw failure }
  }

  private func askSteps(_ request: PresenceRequest, reason: String, _ asking: Asking) throws(StoreError) {
    let (given, hasPassword, own) = state.withLock {
      ($0.counting(request.admitted), $0.applicationPassword != nil, $0.options.prompter)
    }
    let prompter = own ?? presence.prompter
    let steps = request.requirement.steps(
      given: given.intersection(request.usable), usable: request.usable, passcodeFirst: presence.biometry.isLockedOut)
    for step in steps {
      switch step {
      case .biometry: try askBiometry(request, reason: reason, prompter, asking)
      case .passcode: try askPasscode(reason: reason, prompter, asking)
      case .biometryOrPasscode:
        do throws(StoreError) {
          try askBiometry(request, reason: reason, prompter, asking)
        } catch {
          guard case .presence(let cause) = error, cause.leadsToPasscode, !asking.cancellation.isCancelled else {
            throw error
          }
          try askPasscode(reason: reason, prompter, asking)
        }
      }
    }
    if request.wantsApplicationPassword, !hasPassword {
      try askApplicationPassword(reason: reason, prompter, asking)
    }
  }

  private func askBiometry(
    _ request: PresenceRequest, reason: String, _ prompter: (any PresencePrompter)?, _ asking: Asking
  ) throws(StoreError) {
    let vouching: String
    do throws(PresenceError) {
      vouching = try presence.biometry.authenticate(
        PresenceAttempt(reason: reason, prompter: prompter, cancellation: asking.cancellation))
    } catch {
      throw .presence(error)
    }
    // An enrollment made during the prompt must not count.
    if let enrollment = request.enrollment, !presence.isEnrolled(enrollment) {
      throw .invalidated("what is enrolled for biometry has changed while the user was asked")
    }
    try record(asking) {
      $0.given.insert(.biometry)
      $0.vouching = vouching
    }
  }

  private func askPasscode(
    reason: String, _ prompter: (any PresencePrompter)?, _ asking: Asking
  ) throws(StoreError) {
    guard let keychain = presence.keychain else { throw .inputOutput("the keychain was closed") }
    // Checked before the prompt, so that the user does not type a passcode that cannot be tried.
    try keychain.validatePasscodeAttempt()
    var complaint: String?
    for tryNumber in 1...Self.passcodeTries {
      var passcode = try answer(
        PresenceQuestion(.passcode, reason: reason, complaint: complaint), prompter, asking)
      defer { passcode.wipe() }
      if passcode.isEmpty {
        complaint = "nothing was typed"
        continue
      }
      do throws(StoreError) {
        let key = try keychain.openPresenceKey(passcode: passcode)
        presence.biometry.forgetFailures()
        return try record(asking) {
          $0.given.insert(.passcode)
          $0.presenceKey = key
        }
      } catch {
        guard case .wrongPasscode(let left) = error, left > 0, tryNumber < Self.passcodeTries else { throw error }
        complaint = "that was not the passcode; \(left) more before a delay"
      }
    }
    throw .presence(.authenticationFailed("nothing was typed: give the passcode"))
  }

  private func askApplicationPassword(
    reason: String, _ prompter: (any PresencePrompter)?, _ asking: Asking
  ) throws(StoreError) {
    guard prompter != nil else {
      throw .presence(
        .credentialMissing("an application password is wanted: give the context one, or a way to ask for it"))
    }
    var password = try answer(PresenceQuestion(.applicationPassword, reason: reason), prompter, asking)
    defer { password.wipe() }
    guard !password.isEmpty else { throw .presence(.credentialMissing("no application password was typed")) }
    try record(asking) {
      $0.applicationPassword = .init(data: password)
      $0.isPasswordTyped = true
    }
  }

  private func answer(
    _ question: PresenceQuestion, _ prompter: (any PresencePrompter)?, _ asking: Asking
  ) throws(StoreError) -> [UInt8] {
    guard let prompter else {
      throw .presence(
        .notInteractive(
          "there is no way to ask the user: set LATCHKEY_ASKPASS to a program that asks, or give the context a prompter"
        ))
    }
    do throws(PresenceError) {
      var answer = try prompter.answer(question, cancellation: asking.cancellation)
      if asking.cancellation.isCancelled {
        answer.wipe()
        throw .appCancel
      }
      return answer
    } catch {
      throw .presence(error)
    }
  }

  /// Stores a factor, unless the session was locked or invalidated since the prompt began.
  private func record(_ asking: Asking, _ change: (inout State) -> Void) throws(StoreError) {
    try state.withLock { (state) throws(StoreError) in
      if state.isInvalidated { throw .presence(.appCancel) }
      if state.locks != asking.locks { throw .presence(.systemCancel) }
      change(&state)
    }
  }
}

extension KeychainPresence.Session.State {
  /// The factors that count: biometry only if its authenticator is still accepted.
  func counting(_ admitted: [String]?) -> Requirement.Factors {
    guard let admitted, let vouching, !admitted.contains(vouching) else { return given }
    return given.subtracting(.biometry)
  }

  /// The authorization for `request`, if all factors have been given. Factors that are not usable for it do not count, such as
  /// biometry enrolled later than a control for the current set.
  func authorization(for request: PresenceRequest) -> Authorization? {
    guard request.requirement.isMet(by: counting(request.admitted).intersection(request.usable)),
      !request.wantsApplicationPassword || applicationPassword != nil
    else {
      return nil
    }
    return Authorization(
      presenceKey: request.requirement.takes(.passcode) ? presenceKey : nil,
      applicationPassword: request.wantsApplicationPassword ? applicationPassword?.exposedBytes : nil)
  }
}

extension PresenceError {
  /// Whether the passcode is an alternative after this error, if either factor is enough: the user chose it, or biometry is
  /// unavailable now. A refusal does not count.
  fileprivate var leadsToPasscode: Bool {
    switch self {
    case .userFallback, .biometryLockout, .biometryNotAvailable, .biometryNotEnrolled: true
    default: false
    }
  }

  /// Maps the keychain's error to one for a session's caller.
  init(_ error: StoreError) {
    switch error {
    case .presence(let error): self = error
    case .passcodeNotSet: self = .passcodeNotSet
    case .unavailable(let text): self = .biometryNotAvailable(text)
    case .invalidParameter(let text): self = .invalidParameter(text)
    default: self = .authenticationFailed(error.description)
    }
  }
}
