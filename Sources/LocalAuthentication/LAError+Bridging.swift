public import Foundation
package import LatchkeyKeychainModel

// On Apple's systems the runtime casts every NSError of the domain to its structure. On Linux it does so only for types that
// conform to `_ObjectiveCBridgeable`.
extension LAError: _ObjectiveCBridgeable {
  /// The bridged class.
  public typealias _ObjectiveCType = NSError

  /// Returns the stored form.
  public func _bridgeToObjectiveC() -> NSError { _nsError }

  /// Implements `as!`.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
    _ = _conditionallyBridgeFromObjectiveC(source, result: &result)
  }

  /// Implements `as?`: fails for errors of another domain or with an unknown code.
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
    guard source.domain == LAErrorDomain, Code(rawValue: source.code) != nil else {
      result = nil
      return false
    }
    result = LAError(_nsError: source)
    return true
  }

  /// Implements `as`.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
    LAError(_nsError: source ?? NSError(domain: LAErrorDomain, code: Code.authenticationFailed.rawValue))
  }
}

extension NSError {
  /// Converts an error of presence to an error of a context.
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
      // Apple raises an exception, or uses codes that are not public. In each of these cases a prompt is not possible.
      case .notInteractive, .credentialMissing, .invalidParameter: .notInteractive
      }
    return NSError(
      domain: LAErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: error.description])
  }
}
