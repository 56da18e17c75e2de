public import Foundation
package import LatchkeyKeychainModel

/// Who may use an item, and when: the value of `kSecAttrAccessControl` (Apple, SecAccessControl.h).
///
/// Two of the same protection and flags are equal.
public final class SecAccessControl: Hashable, Sendable {
  /// The typed form, which the keychain stores.
  package let accessControl: AccessControl

  /// An access control as the keychain has stored it.
  package init(_ accessControl: AccessControl) { self.accessControl = accessControl }

  /// Whether both have the same protection and flags.
  public static func == (a: SecAccessControl, b: SecAccessControl) -> Bool { a.accessControl == b.accessControl }

  /// Hashes the protection and the flags.
  public func hash(into hasher: inout Hasher) { hasher.combine(accessControl) }
}

extension SecAccessControl: CustomStringConvertible {
  /// The protection's code and the flags in hexadecimal.
  public var description: String {
    let flags = String(accessControl.flags.rawValue, radix: 16)
    return "<SecAccessControlRef: \(accessControl.protection.rawValue);flags(0x\(flags))>"
  }
}

/// An access control of `protection`, one of `kSecAttrAccessible…`, and `flags`.
///
/// It is nil, and the error `errSecParam`, when the protection is none of those; when the flags hold "or" and "and", or
/// both kinds of biometry; and when user presence stands with anything but an application password and the usage of a
/// private key (SecAccessControl.m of Security-61901). The error is the caller's to release: `takeRetainedValue()`.
@discardableResult
public func SecAccessControlCreateWithFlags(
  _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
  func refuse(_ reason: String) -> SecAccessControl? {
    error?.pointee = .passRetained(
      NSError(
        domain: NSOSStatusErrorDomain, code: Int(errSecParam), userInfo: [NSLocalizedDescriptionKey: reason]))
    return nil
  }
  guard let text = protection as? NSString, let accessibility = Accessibility(rawValue: text as String) else {
    return refuse("the protection of an access control is one of kSecAttrAccessible…")
  }
  let flags = AccessControl.Flags(rawValue: flags.rawValue)
  guard flags.isConsistent else {
    return refuse(
      "these flags do not go together: take one of .or and .and, one kind of biometry, and beside .userPresence only"
        + " .applicationPassword and .privateKeyUsage")
  }
  return SecAccessControl(AccessControl(protection: accessibility, flags: flags))
}

/// The identifier of access controls: ``CFGetTypeID(_:)`` answers it for them.
@discardableResult
public func SecAccessControlGetTypeID() -> CFTypeID { 257 }
