// Names of Apple's headers for integers, which Foundation lacks on Linux (Apple, NSObjCRuntime.h, MacTypes.h).

/// A signed integer of the machine's word size.
public typealias NSInteger = Int
/// An unsigned integer of the machine's word size.
public typealias NSUInteger = UInt
/// Four characters as one number, such as `kSecAttrType` and `kSecAttrCreator` hold.
public typealias FourCharCode = UInt32
/// A ``FourCharCode`` that names a type.
public typealias OSType = FourCharCode
