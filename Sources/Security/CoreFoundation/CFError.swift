// Core Foundation's errors (Apple, Core Foundation, "CFError"). `CFError` is `NSError`: `as Error` casts it.

public import Foundation

/// The domain of an error code.
public typealias CFErrorDomain = CFString

/// The domain of `OSStatus` codes, which this module's errors use.
nonisolated(unsafe) public let kCFErrorDomainOSStatus: CFErrorDomain! = NSOSStatusErrorDomain as NSString
/// The domain of POSIX's `errno`.
nonisolated(unsafe) public let kCFErrorDomainPOSIX: CFErrorDomain! = NSPOSIXErrorDomain as NSString
/// The domain of Mach's codes.
nonisolated(unsafe) public let kCFErrorDomainMach: CFErrorDomain! = NSMachErrorDomain as NSString
/// The domain of Foundation's codes.
nonisolated(unsafe) public let kCFErrorDomainCocoa: CFErrorDomain! = NSCocoaErrorDomain as NSString

/// The key of an error's description for users; a string.
nonisolated(unsafe) public let kCFErrorLocalizedDescriptionKey: CFString! = NSLocalizedDescriptionKey as NSString
/// The key of an error's cause for users; a string.
nonisolated(unsafe) public let kCFErrorLocalizedFailureReasonKey: CFString! =
  NSLocalizedFailureReasonErrorKey as NSString
/// The key of an error's recovery suggestion for users; a string.
nonisolated(unsafe) public let kCFErrorLocalizedRecoverySuggestionKey: CFString! =
  NSLocalizedRecoverySuggestionErrorKey as NSString
/// The key of an error's description for developers; a string.
nonisolated(unsafe) public let kCFErrorDescriptionKey: CFString! = "NSDescription"
/// The key of an error's underlying error.
nonisolated(unsafe) public let kCFErrorUnderlyingErrorKey: CFString! = NSUnderlyingErrorKey as NSString

/// Creates an error. It omits keys of `userInfo` that are not strings.
@discardableResult
public func CFErrorCreate(
  _ allocator: CFAllocator!, _ domain: CFErrorDomain!, _ code: CFIndex, _ userInfo: CFDictionary!
) -> CFError! {
  var information: [String: Any] = [:]
  for (key, value) in userInfo ?? [:] {
    if let key = key as? String { information[key] = value }
  }
  return NSError(domain: domain.map { $0 as String } ?? NSOSStatusErrorDomain, code: code, userInfo: information)
}

/// The error's code; 0 for nil.
@discardableResult
public func CFErrorGetCode(_ err: CFError!) -> CFIndex { err?.code ?? 0 }

/// The error's domain.
@discardableResult
public func CFErrorGetDomain(_ err: CFError!) -> CFErrorDomain! { err.map { $0.domain as NSString } }

/// The error's user information; empty for nil, never nil.
@discardableResult
public func CFErrorCopyUserInfo(_ err: CFError!) -> CFDictionary! { (err?.userInfo ?? [:]) as NSDictionary }

/// The error's description for users.
@discardableResult
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! { err.map { $0.localizedDescription as NSString } }

/// The error's cause for users; nil if it has none.
@discardableResult
public func CFErrorCopyFailureReason(_ err: CFError!) -> CFString! {
  err?.localizedFailureReason.map { $0 as NSString }
}

/// The error's recovery suggestion for users; nil if it has none.
@discardableResult
public func CFErrorCopyRecoverySuggestion(_ err: CFError!) -> CFString! {
  err?.localizedRecoverySuggestion.map { $0 as NSString }
}
