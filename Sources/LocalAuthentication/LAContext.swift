public import Foundation
import LatchkeyKeychainModel
public import Security
import Synchronization

/// The maximum time for which a successful biometry can be reused, in seconds.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300

/// The type of an error parameter, as in Apple's methods: `&error` of an `NSError?`, or nil.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Prompts for user presence, and caches the consent for items and keys that are used with it (Apple, LAContext.h;
/// `kSecUseAuthenticationContext`).
///
/// It belongs to the keychain that was current at its first use. Any thread may use it. Calls without a reply or `await`
/// do not prompt, but may read the disk and check the authenticators.
open class LAContext: NSObject, @unchecked Sendable {
  // Sendable because all mutable state is in the engine, behind locks. Subclasses must protect their own state.
  let engine = ContextEngine()

  /// Creates a context without cached consent.
  public override init() { super.init() }

  // MARK: Policies

  /// Returns whether `policy` could be evaluated now, without a prompt.
  ///
  /// - Parameter error: set to the reason on failure: an error of ``LAErrorDomain``, for `as? LAError`.
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

  /// Prompts for the factors that `policy` requires, unless this context has them cached.
  ///
  /// - Parameters:
  ///   - localizedReason: the reason shown to the user; an empty one is an error (``LAError/Code/notInteractive``).
  ///   - reply: called once, on the context's own queue and asynchronously, with true, or with false and an error of
  ///     ``LAErrorDomain``.
  @preconcurrency
  open func evaluatePolicy(
    _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    engine.evaluate(policy, reason: localizedReason) { [self] isGiven, error in
      withExtendedLifetime(self) { reply(isGiven, error) }
    }
  }

  /// Prompts for the factors that `policy` requires, unless this context has them cached. Canceling the task invalidates the
  /// context.
  ///
  /// - Returns: true.
  /// - Throws: an error of ``LAErrorDomain``, such as ``LAError/Code/userCancel``.
  @discardableResult
  open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
    try await answered { self.evaluatePolicy(policy, localizedReason: localizedReason, reply: $0) }
  }

  // MARK: Access controls

  /// Prompts for the factors that `accessControl` requires, unless this context has them cached. Later uses of items and keys
  /// with this context do not prompt again.
  ///
  /// - Parameters:
  ///   - localizedReason: the reason shown to the user; an empty one is an error (``LAError/Code/notInteractive``).
  ///   - reply: called once, on the context's own queue and asynchronously.
  @preconcurrency
  open func evaluateAccessControl(
    _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String,
    reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    engine.evaluate(accessControl, operation, reason: localizedReason) { [self] isGiven, error in
      withExtendedLifetime(self) { reply(isGiven, error) }
    }
  }

  /// Prompts for the factors that `accessControl` requires, unless this context has them cached. Canceling the task
  /// invalidates the context.
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

  /// Ends the context: cancels a running prompt (``LAError/Code/appCancel``), deletes cached consent, wipes held keys, and
  /// makes every later call fail with ``LAError/Code/invalidContext``.
  open func invalidate() { engine.invalidate() }

  // MARK: Credentials

  /// Sets the context's credential, or deletes it with nil.
  ///
  /// - Returns: whether it was accepted. An invalidated context accepts none, and a smart card's PIN is never accepted.
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

  /// The title of the fallback from biometry to the passcode; an empty one hides it.
  open var localizedFallbackTitle: String? {
    get { engine.options.fallbackTitle }
    set { engine.setOptions { $0.fallbackTitle = newValue } }
  }

  /// The title of the cancel action.
  open var localizedCancelTitle: String? {
    get { engine.options.cancelTitle }
    set { engine.setOptions { $0.cancelTitle = newValue } }
  }

  /// The reason shown to the user when an item or a key is used with this context.
  open var localizedReason: String {
    get { engine.options.reason }
    set { engine.setOptions { $0.reason = newValue } }
  }

  /// Whether prompts are forbidden; calls that need one then fail with ``LAError/Code/notInteractive``.
  open var interactionNotAllowed: Bool {
    get { engine.options.interactionNotAllowed }
    set { engine.setOptions { $0.interactionNotAllowed = newValue } }
  }

  /// How many seconds a successful biometry in any context of this process counts for this context's policies, too; 0 by
  /// default, and at most ``LATouchIDAuthenticationMaximumAllowableReuseDuration``.
  open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
    get { engine.options.biometryReuseDuration }
    set {
      // NaN becomes 0.
      let seconds = newValue > 0 ? min(newValue, LATouchIDAuthenticationMaximumAllowableReuseDuration) : 0
      engine.setOptions { $0.biometryReuseDuration = seconds }
    }
  }

  /// No effect, as on Apple's systems since iOS 9.
  @available(*, deprecated, message: "it has no effect")
  open var maxBiometryFailures: NSNumber? {
    get { nil }
    set { _ = newValue }
  }

  // MARK: Biometry

  /// A digest of the biometric enrollment at the last check or evaluation of a policy with biometry in this context: 32
  /// bytes that change with the enrollment; nil before that, or if nothing is enrolled.
  open var evaluatedPolicyDomainState: Data? { engine.evaluatedDomainState.map { Data($0) } }

  /// The current enrollment.
  open var domainState: LADomainState {
    let (isThere, enrollment) = engine.biometry()
    return LADomainState(biometryType: isThere ? .touchID : .none, stateHash: enrollment.map { Data($0) })
  }

  /// The kind of the configured biometry: ``LABiometryType/touchID`` for any biometry that `LATCHKEY_PRESENCE` names.
  open var biometryType: LABiometryType { engine.biometry().isThere ? .touchID : .none }
}

/// The operation on a key or an item that needs consent (Apple, LAContext.h, `LAAccessControlOperation`).
public enum LAAccessControlOperation: Int, Sendable {
  /// Adding an item.
  case createItem = 0
  /// Reading or changing an item.
  case useItem = 1
  /// Creating a key.
  case createKey = 2
  /// Signing.
  case useKeySign = 3
  /// Decrypting.
  case useKeyDecrypt = 4
  /// Key agreement.
  case useKeyKeyExchange = 5
}

/// A credential that a program sets in a context, so that the user need not type it (Apple, LAContext.h, `LACredentialType`).
public enum LACredentialType: Int, Sendable {
  /// The application's own password, in UTF-8, for items and keys with `.applicationPassword`.
  case applicationPassword = 0
  /// A smart card's PIN. Never accepted, because smart cards are not supported.
  case smartCardPIN = -3
}
