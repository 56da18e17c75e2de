public import Foundation
package import LatchkeyKeychainModel

/// The conditions for using an item: the value of `kSecAttrAccessControl` (Apple, SecAccessControl.h).
///
/// Two access controls with the same protection and flags are equal.
public final class SecAccessControl: Hashable, Sendable {
  /// The typed form, which the keychain stores.
  package let accessControl: AccessControl

  /// Creates an access control from its typed form.
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

/// Creates an access control from `protection`, one of `kSecAttrAccessible…`, and `flags`.
///
/// It returns nil and the error `errSecParam` if the protection is unknown; if the flags contain an unknown bit, both "or"
/// and "and", or both kinds of biometry; and if they combine user presence with any flag but those for an application
/// password and private key usage (SecAccessControl.m of Security-61901). The caller must release the error:
/// `takeRetainedValue()`.
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

/// The identifier of access controls, which ``CFGetTypeID(_:)`` returns for them.
@discardableResult
public func SecAccessControlGetTypeID() -> CFTypeID { 257 }
