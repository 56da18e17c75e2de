public import Foundation
package import LatchkeyKeychainModel

// On Apple's systems the runtime casts every NSError of the domain to its structure. On Linux it does for types that say how.
extension LAError: _ObjectiveCBridgeable {
  /// The class that stands for it.
  public typealias _ObjectiveCType = NSError

  /// The stored form.
  public func _bridgeToObjectiveC() -> NSError { _nsError }

  /// What `as!` calls.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
    _ = _conditionallyBridgeFromObjectiveC(source, result: &result)
  }

  /// What `as?` calls: errors of another domain, or with a code that is none of these, are no `LAError`.
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
    guard source.domain == LAErrorDomain, Code(rawValue: source.code) != nil else {
      result = nil
      return false
    }
    result = LAError(_nsError: source)
    return true
  }

  /// What `as` calls.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
    LAError(_nsError: source ?? NSError(domain: LAErrorDomain, code: Code.authenticationFailed.rawValue))
  }
}

extension NSError {
  /// The error of a context for one of presence.
  package static func localAuthentication(_ error: PresenceError) -> NSError {
    let code: LAError.Code =
      switch error {
      case .authenticationFailed: .authenticationFailed
      case .userCancel: .userCancel
      case .userFallback: .userFallback
      case .systemCancel: .systemCancel
      case .passcodeNotSet: .passcodeNotSet
      case .biometryNotAvailable: .biometryNotAvailable
      case .biometryNotEnrolled: .biometryNotEnrolled
      case .biometryLockout: .biometryLockout
      case .appCancel: .appCancel
      case .invalidContext: .invalidContext
      case .companionNotAvailable: .companionNotAvailable
      // Apple raises an exception, or has codes that are not public: nobody can be asked in this way, at any rate.
      case .notInteractive, .credentialMissing, .invalidParameter: .notInteractive
      }
    return NSError(
      domain: LAErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: error.description])
  }
}
