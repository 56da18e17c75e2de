public import Foundation
import LatchkeyKeychainModel
public import Security
import Synchronization

/// The longest time for which biometry once given can be used again, in seconds.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300

/// Where a pointer to an error is taken, as Apple's methods do: `&error` of an `NSError?`, or nil.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Who has consented to what (Apple, LAContext.h): asks the user, and remembers the answer for items and keys that are used
/// with it (`kSecUseAuthenticationContext`).
///
/// It belongs to the keychain that was in force when it was first used. Any thread may use it; calls without a reply or
/// `await` do not ask anybody, but may look at the disk and at who could be asked.
open class LAContext: NSObject, @unchecked Sendable {
  // All that changes is in here, behind locks: hence Sendable. Subclasses answer for what they add.
  let engine = ContextEngine()

  /// A context in which nothing was consented to.
  public override init() { super.init() }

  // MARK: Policies

  /// Whether `policy` could be evaluated now. Nobody is asked.
  ///
  /// - Parameter error: why not: an error of ``LAErrorDomain``, which `as? LAError` takes.
  @discardableResult
  open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
    do throws(PresenceError) {
      try engine.check(policy)
      return true
    } catch let failure {
      error?.pointee = .localAuthentication(failure)
      return false
    }
  }

  /// Asks for what `policy` wants, unless it was given in this context before.
  ///
  /// - Parameters:
  ///   - localizedReason: why the user is asked; an empty one is an error (``LAError/Code/notInteractive``).
  ///   - reply: called once, on a queue of the context's own and never before this returns: true, or false and an error of
  ///     ``LAErrorDomain``.
  @preconcurrency
  open func evaluatePolicy(
    _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    engine.evaluate(policy, reason: localizedReason) { [self] isGiven, error in
      withExtendedLifetime(self) { reply(isGiven, error) }
    }
  }

  /// Asks for what `policy` wants, unless it was given in this context before. Cancelling the task invalidates the context.
  ///
  /// - Returns: true.
  /// - Throws: an error of ``LAErrorDomain``, such as ``LAError/Code/userCancel``.
  @discardableResult
  open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
    try await answered { self.evaluatePolicy(policy, localizedReason: localizedReason, reply: $0) }
  }

  // MARK: Access controls

  /// Asks for what `accessControl` wants, unless it was given in this context before: what is used with the context
  /// afterwards asks no more.
  ///
  /// - Parameters:
  ///   - localizedReason: why the user is asked; an empty one is an error (``LAError/Code/notInteractive``).
  ///   - reply: called once, on a queue of the context's own and never before this returns.
  @preconcurrency
  open func evaluateAccessControl(
    _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String,
    reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    engine.evaluate(accessControl, operation, reason: localizedReason) { [self] isGiven, error in
      withExtendedLifetime(self) { reply(isGiven, error) }
    }
  }

  /// Asks for what `accessControl` wants, unless it was given in this context before. Cancelling the task invalidates the
  /// context.
  ///
  /// - Returns: true.
  /// - Throws: an error of ``LAErrorDomain``.
  @discardableResult
  open func evaluateAccessControl(
    _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String
  ) async throws -> Bool {
    try await answered {
      self.evaluateAccessControl(accessControl, operation: operation, localizedReason: localizedReason, reply: $0)
    }
  }

  private func answered(
    _ evaluate: (@escaping @Sendable (Bool, (any Error)?) -> Void) -> Void
  ) async throws -> Bool {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Bool, any Error>) in
        evaluate { isGiven, error in
          if isGiven {
            continuation.resume(returning: true)
          } else {
            continuation.resume(throwing: error ?? NSError.localAuthentication(.systemCancel))
          }
        }
      }
    } onCancel: {
      invalidate()
    }
  }

  /// Ends the context: the user who is being asked is not waited for any longer (``LAError/Code/appCancel``), what was consented
  /// to is forgotten, keys held by it are wiped, and every later call is ``LAError/Code/invalidContext``.
  open func invalidate() { engine.invalidate() }

  // MARK: Credentials

  /// Gives the context a credential, or takes it away with nil.
  ///
  /// - Returns: whether it was taken: not by an invalidated context, and no PIN of a smart card.
  @discardableResult
  open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
    type == .applicationPassword && engine.setApplicationPassword(credential)
  }

  /// Whether the context has a credential of this type.
  @discardableResult
  open func isCredentialSet(_ type: LACredentialType) -> Bool {
    type == .applicationPassword && engine.hasApplicationPassword
  }

  // MARK: What the user sees

  /// What the way from biometry to the passcode is called; empty hides it.
  open var localizedFallbackTitle: String? {
    get { engine.options.fallbackTitle }
    set { engine.setOptions { $0.fallbackTitle = newValue } }
  }

  /// What cancelling is called.
  open var localizedCancelTitle: String? {
    get { engine.options.cancelTitle }
    set { engine.setOptions { $0.cancelTitle = newValue } }
  }

  /// Why the user is asked where an item or a key is used with this context.
  open var localizedReason: String {
    get { engine.options.reason }
    set { engine.setOptions { $0.reason = newValue } }
  }

  /// Whether nobody may be asked: ``LAError/Code/notInteractive`` then.
  open var interactionNotAllowed: Bool {
    get { engine.options.interactionNotAllowed }
    set { engine.setOptions { $0.interactionNotAllowed = newValue } }
  }

  /// For how many seconds biometry once given, to any context of this process, counts for this one's policies too; 0, and
  /// at most ``LATouchIDAuthenticationMaximumAllowableReuseDuration``.
  open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
    get { engine.options.biometryReuseDuration }
    set {
      // A number that is none is 0.
      let seconds = newValue > 0 ? min(newValue, LATouchIDAuthenticationMaximumAllowableReuseDuration) : 0
      engine.setOptions { $0.biometryReuseDuration = seconds }
    }
  }

  /// It has had no effect since iOS 9, and has none here.
  @available(*, deprecated, message: "it has no effect")
  open var maxBiometryFailures: NSNumber? {
    get { nil }
    set { _ = newValue }
  }

  // MARK: Biometry

  /// What was enrolled for biometry when a policy with biometry was last looked at or evaluated here, as 32 bytes that change
  /// when it does; nil before that, or where nothing is enrolled.
  open var evaluatedPolicyDomainState: Data? { engine.evaluatedDomainState.map { Data($0) } }

  /// What is enrolled now.
  open var domainState: LADomainState {
    let (isThere, enrollment) = engine.biometry()
    return LADomainState(biometryType: isThere ? .touchID : .none, stateHash: enrollment.map { Data($0) })
  }

  /// Which kind of biometry is configured: ``LABiometryType/touchID`` for whatever `LATCHKEY_PRESENCE` names.
  open var biometryType: LABiometryType { engine.biometry().isThere ? .touchID : .none }
}
