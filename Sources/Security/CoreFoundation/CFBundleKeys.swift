// Keys of a bundle's information (Apple, CFBundle.h): `Bundle.main.infoDictionary?[kCFBundleIdentifierKey as String]`.

public import Foundation

/// The bundle's identifier; a string.
nonisolated(unsafe) public let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"
/// The bundle's name; a string.
nonisolated(unsafe) public let kCFBundleNameKey: CFString! = "CFBundleName"
/// The bundle's version; a string.
nonisolated(unsafe) public let kCFBundleVersionKey: CFString! = "CFBundleVersion"
/// The name of the bundle's program; a string.
nonisolated(unsafe) public let kCFBundleExecutableKey: CFString! = "CFBundleExecutable"
