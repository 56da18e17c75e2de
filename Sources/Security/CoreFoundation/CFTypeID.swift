// Type identifiers (Apple, Core Foundation, "CFType"): `CFGetTypeID` and the identifier of each class. Where Core
// Foundation's numbers are fixed, these are the same; a program compares them and never stores them.

public import Foundation

/// The identifier of the object's class; 0 for nil and for unknown classes.
@discardableResult
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID {
  switch cf {
  case is NSString: CFStringGetTypeID()
  case let number as NSNumber: type(of: number) == booleanClass ? CFBooleanGetTypeID() : CFNumberGetTypeID()
  case is NSDictionary: CFDictionaryGetTypeID()
  case is NSArray: CFArrayGetTypeID()
  case is NSData: CFDataGetTypeID()
  case is NSDate: CFDateGetTypeID()
  case is NSSet: CFSetGetTypeID()
  case is NSError: CFErrorGetTypeID()
  case is NSNull: CFNullGetTypeID()
  case is SecAccessControl: SecAccessControlGetTypeID()
  case is SecCertificate: SecCertificateGetTypeID()
  case is SecKey: SecKeyGetTypeID()
  case is SecIdentity: SecIdentityGetTypeID()
  case is SecTrust: SecTrustGetTypeID()
  case is SecPolicy: SecPolicyGetTypeID()
  case is SecTask: SecTaskGetTypeID()
  default: 0
  }
}

/// The class of Boolean values: Foundation's subclass of `NSNumber`, which has no public name.
private let booleanClass: NSNumber.Type = type(of: NSNumber(value: true))

/// Whether two objects are identical, or have equal content.
@discardableResult
public func CFEqual(_ cf1: CFTypeRef!, _ cf2: CFTypeRef!) -> Bool {
  guard let cf1, let cf2 else { return cf1 == nil && cf2 == nil }
  if cf1 === cf2 { return true }
  switch (cf1, cf2) {
  case (let a as NSObject, let b as NSObject): return a.isEqual(b)
  case (let a as any Hashable, let b as any Hashable): return AnyHashable(a) == AnyHashable(b)
  default: return false
  }
}

/// A hash of the object; equal objects have equal hashes.
@discardableResult
public func CFHash(_ cf: CFTypeRef!) -> CFHashCode {
  switch cf {
  case nil: 0
  case let object as NSObject: CFHashCode(bitPattern: object.hash)
  case let value as any Hashable: CFHashCode(bitPattern: AnyHashable(value).hashValue)
  case let object?: CFHashCode(bitPattern: ObjectIdentifier(object).hashValue)
  }
}

/// A description of the object for developers.
@discardableResult
public func CFCopyDescription(_ cf: CFTypeRef!) -> CFString! {
  cf.map { String(describing: $0) as NSString }
}

/// The identifier of null objects.
@discardableResult
public func CFNullGetTypeID() -> CFTypeID { 16 }
/// The identifier of sets.
@discardableResult
public func CFSetGetTypeID() -> CFTypeID { 17 }
/// The identifier of dictionaries.
@discardableResult
public func CFDictionaryGetTypeID() -> CFTypeID { 18 }
/// The identifier of arrays.
@discardableResult
public func CFArrayGetTypeID() -> CFTypeID { 19 }
/// The identifier of data.
@discardableResult
public func CFDataGetTypeID() -> CFTypeID { 20 }
/// The identifier of strings.
@discardableResult
public func CFStringGetTypeID() -> CFTypeID { 7 }
/// The identifier of Booleans.
@discardableResult
public func CFBooleanGetTypeID() -> CFTypeID { 21 }
/// The identifier of numbers that are not Booleans.
@discardableResult
public func CFNumberGetTypeID() -> CFTypeID { 22 }
/// The identifier of errors.
@discardableResult
public func CFErrorGetTypeID() -> CFTypeID { 27 }
/// The identifier of dates.
@discardableResult
public func CFDateGetTypeID() -> CFTypeID { 42 }
