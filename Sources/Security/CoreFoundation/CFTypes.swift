// Core Foundation's types, as the Security API names them (Apple, Core Foundation).
//
// Each is Foundation's class of the same meaning: on Apple's systems the two are bridged without cost, and only with
// classes do the casts, literals and out-parameters of keychain code compile unchanged.

public import Foundation

/// Any object of Core Foundation.
public typealias CFTypeRef = AnyObject

/// A string: `kSecClass as String`, `"text" as CFString`.
public typealias CFString = NSString
/// A string that can be changed.
public typealias CFMutableString = NSMutableString
/// A dictionary: queries and attributes are such, `[…] as CFDictionary`.
public typealias CFDictionary = NSDictionary
/// A dictionary that can be changed.
public typealias CFMutableDictionary = NSMutableDictionary
/// An array.
public typealias CFArray = NSArray
/// An array that can be changed.
public typealias CFMutableArray = NSMutableArray
/// A set.
public typealias CFSet = NSSet
/// Bytes.
public typealias CFData = NSData
/// Bytes that can be changed.
public typealias CFMutableData = NSMutableData
/// A moment.
public typealias CFDate = NSDate
/// A number.
public typealias CFNumber = NSNumber
/// A truth value; ``CFGetTypeID(_:)`` tells it from a number.
public typealias CFBoolean = NSNumber
/// An error.
public typealias CFError = NSError
/// The absence of a value where an object must stand.
public typealias CFNull = NSNull

/// A count or a place in a sequence.
public typealias CFIndex = Int
/// Bits that are options.
public typealias CFOptionFlags = UInt
/// Seconds since 2001-01-01 00:00:00 UTC.
public typealias CFAbsoluteTime = Double
/// What tells the classes of objects apart, while a program runs.
public typealias CFTypeID = UInt
/// A hash of an object.
public typealias CFHashCode = UInt

/// What allocates memory for Core Foundation. There is only the default one here, which is nil.
public final class CFAllocator: Sendable {
  private init() {}
}

/// The default allocator: what is passed where an allocator is asked for.
public let kCFAllocatorDefault: CFAllocator! = nil

/// True, as an object.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False, as an object.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
/// The null object.
public let kCFNull: CFNull! = NSNull()

/// The truth value of `boolean`; false for nil.
@discardableResult
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean?.boolValue ?? false }
