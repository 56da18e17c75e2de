// Errors as Core Foundation sees them (Apple, Core Foundation, "CFError"). `CFError` is `NSError`: `as Error` casts it.

public import Foundation

/// What kind of error a code belongs to.
public typealias CFErrorDomain = CFString

/// The domain of `OSStatus` codes: errors of this module are in it.
nonisolated(unsafe) public let kCFErrorDomainOSStatus: CFErrorDomain! = NSOSStatusErrorDomain as NSString
/// The domain of POSIX's `errno`.
nonisolated(unsafe) public let kCFErrorDomainPOSIX: CFErrorDomain! = NSPOSIXErrorDomain as NSString
/// The domain of Mach's codes.
nonisolated(unsafe) public let kCFErrorDomainMach: CFErrorDomain! = NSMachErrorDomain as NSString
/// The domain of Foundation's codes.
nonisolated(unsafe) public let kCFErrorDomainCocoa: CFErrorDomain! = NSCocoaErrorDomain as NSString

/// In an error's user information: what happened, for users; a string.
nonisolated(unsafe) public let kCFErrorLocalizedDescriptionKey: CFString! = NSLocalizedDescriptionKey as NSString
/// In an error's user information: why it happened, for users; a string.
nonisolated(unsafe) public let kCFErrorLocalizedFailureReasonKey: CFString! =
  NSLocalizedFailureReasonErrorKey as NSString
/// In an error's user information: what to do about it, for users; a string.
nonisolated(unsafe) public let kCFErrorLocalizedRecoverySuggestionKey: CFString! =
  NSLocalizedRecoverySuggestionErrorKey as NSString
/// In an error's user information: what happened, for developers; a string.
nonisolated(unsafe) public let kCFErrorDescriptionKey: CFString! = "NSDescription"
/// In an error's user information: the error below this one.
nonisolated(unsafe) public let kCFErrorUnderlyingErrorKey: CFString! = NSUnderlyingErrorKey as NSString

/// A new error. Keys of `userInfo` that are no strings are left out.
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

/// The error's user information; never nil, but empty.
@discardableResult
public func CFErrorCopyUserInfo(_ err: CFError!) -> CFDictionary! { (err?.userInfo ?? [:]) as NSDictionary }

/// What happened, for users.
@discardableResult
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! { err.map { $0.localizedDescription as NSString } }

/// Why it happened, for users; nil if the error does not say.
@discardableResult
public func CFErrorCopyFailureReason(_ err: CFError!) -> CFString! {
  err?.localizedFailureReason.map { $0 as NSString }
}

/// What to do about it, for users; nil if the error does not say.
@discardableResult
public func CFErrorCopyRecoverySuggestion(_ err: CFError!) -> CFString! {
  err?.localizedRecoverySuggestion.map { $0 as NSString }
}
