import Foundation
import LatchkeyByteCoding
package import LatchkeyKeychainModel
import LatchkeySystem
import Security
import Synchronization

/// The engine of an ``LAContext``: a session of the keychain's presence service, created at first use.
final class ContextEngine: Sendable {
  private struct State {
    var options = PresenceOptions()
    var isInvalidated = false
    var service: (any PresenceService)?
    var session: (any PresenceSession)?
  }
  private let state = Mutex(State())
  /// The serial queue of replies: they arrive in the order in which evaluations end.
  private let replies = DispatchQueue(label: "LocalAuthentication.replies")
  /// Where evaluations wait for the user: at most 16 at the same time.
  private static let threads = BlockingThreads(label: "LocalAuthentication", width: 16)

  // MARK: Session

  /// The session. The keychain that is current at the first call creates it.
  func session() throws(StoreError) -> any PresenceSession {
    if let session = state.withLock({ $0.session }) { return session }
    // Opening a keychain is slow, so it happens outside of the lock that getters of properties need.
    guard let service = try KeychainSession.current().store.presence else {
      throw .unavailable("this keychain has nobody to ask: use a keychain that LatchkeyKeychainStore keeps")
    }
    let made = service.makeSession()
    let (session, isInvalidated) = state.withLock { state in
      if let session = state.session { return (session, false) }
      made.options = state.options
      (state.service, state.session) = (service, made)
      return (made, state.isInvalidated)
    }
    if isInvalidated { session.invalidate() }
    return session
  }

  private func presence() throws(PresenceError) -> any PresenceSession {
    if state.withLock({ $0.isInvalidated }) { throw .invalidContext }
    do throws(StoreError) {
      return try session()
    } catch {
      switch error {
      case .presence(let cause): throw cause
      default: throw .biometryNotAvailable("the keychain cannot be opened, and nobody be asked: \(error)")
      }
    }
  }

  func invalidate() {
    let session = state.withLock { state in
      state.isInvalidated = true
      return state.session
    }
    session?.invalidate()
  }

  // MARK: Policies and controls

  func check(_ policy: LAPolicy) throws(PresenceError) { try presence().check(PresencePolicy(policy)) }

  func evaluate(_ policy: LAPolicy, reason: String, _ reply: @escaping @Sendable (Bool, (any Error)?) -> Void) {
    evaluate(reply) { (session) throws(PresenceError) in
      try session.evaluate(PresencePolicy(policy), reason: reason)
    }
  }

  func evaluate(
    _ control: SecAccessControl, _ operation: LAAccessControlOperation, reason: String,
    _ reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    evaluate(reply) { (session) throws(PresenceError) in
      try session.evaluate(control.accessControl, for: PresenceOperation(operation), reason: reason)
    }
  }

  private func evaluate(
    _ reply: @escaping @Sendable (Bool, (any Error)?) -> Void,
    _ body: @escaping @Sendable (any PresenceSession) throws(PresenceError) -> Void
  ) {
    // The evaluation uses the keychain of the caller's task; another thread does not inherit it.
    let keychain = KeychainSession.replacement
    Self.threads.perform { [self] in
      let failure = KeychainSession.$replacement.withValue(keychain) { () -> PresenceError? in
        do throws(PresenceError) {
          try body(try presence())
          return nil
        } catch {
          return error
        }
      }
      replies.async { reply(failure == nil, failure.map { NSError.localAuthentication($0) }) }
    }
  }

  // MARK: Options

  var options: PresenceOptions { state.withLock { $0.options } }

  func setOptions(_ change: (inout PresenceOptions) -> Void) {
    state.withLock { state in
      change(&state.options)
      state.session?.options = state.options
    }
  }

  // MARK: Credentials

  func setApplicationPassword(_ credential: Data?) -> Bool {
    var bytes = credential.map { [UInt8]($0) }
    defer {
      // The session holds its own copy.
      bytes?.wipe()
    }
    do throws(PresenceError) {
      try presence().setApplicationPassword(bytes)
      return true
    } catch {
      return false
    }
  }

  var hasApplicationPassword: Bool { state.withLock { $0.session }?.hasApplicationPassword ?? false }

  // MARK: Biometry

  var evaluatedDomainState: [UInt8]? { state.withLock { $0.session }?.domainState }

  /// Whether there is biometry, and the digest of its current enrollment.
  func biometry() -> (isThere: Bool, enrollment: [UInt8]?) {
    guard (try? session()) != nil, let service = state.withLock({ $0.service }) else { return (false, nil) }
    guard !service.biometryNames.isEmpty else { return (false, nil) }
    return (true, try? service.enrollment())
  }
}

extension LAContext: PresenceSessionHolder {
  /// The session, created at first use.
  package func presenceSession() throws(StoreError) -> any PresenceSession {
    try engine.liveSession()
  }
}

extension ContextEngine {
  /// The session, for items and keys. It may be invalidated, and then its calls throw that error themselves.
  fileprivate func liveSession() throws(StoreError) -> any PresenceSession { try session() }
}

extension PresencePolicy {
  fileprivate init(_ policy: LAPolicy) {
    self =
      switch policy {
      case .deviceOwnerAuthenticationWithBiometrics: .biometry
      case .deviceOwnerAuthentication: .userPresence
      case .deviceOwnerAuthenticationWithCompanion: .companion
      case .deviceOwnerAuthenticationWithBiometricsOrCompanion: .biometryOrCompanion
      }
  }
}

extension PresenceOperation {
  fileprivate init(_ operation: LAAccessControlOperation) {
    self =
      switch operation {
      case .createItem: .createItem
      case .useItem: .useItem
      case .createKey: .createKey
      case .useKeySign: .sign
      case .useKeyDecrypt: .decrypt
      case .useKeyKeyExchange: .exchange
      }
  }
}
