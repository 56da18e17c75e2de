public import Foundation

/// Makes a `CFString` in an `AnyHashable` equal to the `String` of the same text, as on Apple's systems. Without this,
/// `[AnyHashable: Any]` written with `kSec…` keys cannot be read with them as strings, nor the other way round.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
  /// The text, as a `String` in an `AnyHashable`.
  public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(self as String) }
}
