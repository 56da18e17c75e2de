public import Foundation

/// Makes a `CFString` in an `AnyHashable` equal to the `String` of the same text, as on Apple's systems. Otherwise a
/// dictionary `[AnyHashable: Any]` with `kSec…` keys could not be read with the same keys as strings, or the reverse.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
  /// The text, as a `String` in an `AnyHashable`.
  public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(self as String) }
}
