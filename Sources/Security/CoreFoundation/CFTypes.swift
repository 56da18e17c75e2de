// Core Foundation's types in the Security API (Apple, Core Foundation).
//
// Each is an alias of Foundation's counterpart: Apple bridges the two toll-free, and the casts, literals and
// out-parameters of keychain code compile unchanged only with classes.

public import Foundation

/// Any object of Core Foundation.
public typealias CFTypeRef = AnyObject

/// A string: `kSecClass as String`, `"text" as CFString`.
public typealias CFString = NSString
/// A mutable string.
public typealias CFMutableString = NSMutableString
/// A dictionary, such as a query or attributes: `[…] as CFDictionary`.
public typealias CFDictionary = NSDictionary
/// A mutable dictionary.
public typealias CFMutableDictionary = NSMutableDictionary
/// An array.
public typealias CFArray = NSArray
/// A mutable array.
public typealias CFMutableArray = NSMutableArray
/// A set.
public typealias CFSet = NSSet
/// Bytes.
public typealias CFData = NSData
/// Mutable bytes.
public typealias CFMutableData = NSMutableData
/// A point in time.
public typealias CFDate = NSDate
/// A number.
public typealias CFNumber = NSNumber
/// A Boolean; ``CFGetTypeID(_:)`` distinguishes it from a number.
public typealias CFBoolean = NSNumber
/// An error.
public typealias CFError = NSError
/// An object that represents the absence of a value.
public typealias CFNull = NSNull

/// A count or an index.
public typealias CFIndex = Int
/// A bit set of options.
public typealias CFOptionFlags = UInt
/// Seconds since 2001-01-01 00:00:00 UTC.
public typealias CFAbsoluteTime = Double
/// The identifier of a class of objects, valid in one run of a program.
public typealias CFTypeID = UInt
/// A hash of an object.
public typealias CFHashCode = UInt

/// An allocator of memory for Core Foundation. Only the default one exists, which is nil.
public final class CFAllocator: Sendable {
  private init() {}
}

/// The default allocator.
public let kCFAllocatorDefault: CFAllocator! = nil

/// True, as an object.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False, as an object.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
/// The null object.
public let kCFNull: CFNull! = NSNull()

/// The value of `boolean`; false for nil.
@discardableResult
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean?.boolValue ?? false }

/// Makes a `CFString` in an `AnyHashable` equal to the `String` of the same text, as on Apple's systems. Otherwise a
/// dictionary `[AnyHashable: Any]` with `kSec…` keys could not be read with the same keys as strings, or the reverse.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
  /// The text, as a `String` in an `AnyHashable`.
  public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(self as String) }
}
