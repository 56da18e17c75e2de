public import Foundation
package import LatchkeyKeychainModel

/// A process (Apple, SecTask.h): this one, with the entitlements that it had when the object was created. Each object is equal
/// only to itself.
///
/// Entitlements are those of the keychain: what `LATCHKEY_ENTITLEMENTS` names, or what lies beside the program as
/// `NAME.entitlements`. Nobody signs them: they say what a program claims, and must not decide what it may do.
public final class SecTask: Hashable, Sendable {
  /// The entitlements, or why they cannot be read.
  let entitlements: Result<Entitlements, StoreError>

  package init(_ entitlements: Result<Entitlements, StoreError>) { self.entitlements = entitlements }

  /// Whether both are the same object.
  public static func == (a: SecTask, b: SecTask) -> Bool { a === b }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension SecTask: CustomStringConvertible, CustomReflectable {
  /// The program's name and the process's number.
  public var description: String {
    "<SecTaskRef: \(ProcessInfo.processInfo.processName)[\(ProcessInfo.processInfo.processIdentifier)]>"
  }

  /// An empty mirror, so that `dump` shows only the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Creates the object of this process. It reads the entitlements now; what is wrong with them is the error of the calls below.
@discardableResult
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? {
  SecTask(Result { () throws(StoreError) in try KeychainSession.current().entitlements })
}

/// The value of an entitlement: a string, a number, a boolean, a date, data, an array or a dictionary.
///
/// - Returns: nil without an error if the program does not have the entitlement; nil with an error if its entitlements cannot
///   be read.
@discardableResult
public func SecTaskCopyValueForEntitlement(
  _ task: SecTask, _ entitlement: CFString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFTypeRef? {
  task.read(error)?.values[entitlement as String]?.object
}

/// The values of several entitlements, by name. Those that the program does not have are left out, and so is every element of
/// `entitlements` that is not a string.
///
/// - Returns: nil with an error if the entitlements cannot be read.
@discardableResult
public func SecTaskCopyValuesForEntitlements(
  _ task: SecTask, _ entitlements: CFArray, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
  guard let values = task.read(error)?.values else { return nil }
  let found = NSMutableDictionary()
  for case let name as String in entitlements {
    if let value = values[name] { found.setObject(value.object, forKey: name as NSString) }
  }
  return found.copy() as? NSDictionary
}

/// The program's identifier: its entitlement `application-identifier` (on macOS `com.apple.application-identifier`), without
/// the prefix that `com.apple.developer.team-identifier` names.
///
/// - Returns: nil without it, and an error: `EINVAL` of POSIX, as for a program that is not signed.
@discardableResult
public func SecTaskCopySigningIdentifier(
  _ task: SecTask, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
  guard let values = task.read(error)?.values else { return nil }
  guard let identifier = values.text("application-identifier") ?? values.text("com.apple.application-identifier") else {
    error?.pointee = .passRetained(NSError(domain: NSPOSIXErrorDomain, code: Int(EINVAL)))
    return nil
  }
  if let team = values.text("com.apple.developer.team-identifier"), identifier.hasPrefix(team + ".") {
    return String(identifier.dropFirst(team.count + 1)) as NSString
  }
  return identifier as NSString
}

/// The identifier of tasks, which ``CFGetTypeID(_:)`` returns for them.
@discardableResult
public func SecTaskGetTypeID() -> CFTypeID { 263 }

extension SecTask {
  /// The entitlements; nil with an error if they cannot be read.
  fileprivate func read(_ error: ErrorPlace?) -> Entitlements? {
    answer(error) { () throws(KeyFault) in
      switch entitlements {
      case .success(let entitlements): return entitlements
      case .failure(let cause): throw KeyFault(cause)
      }
    }
  }
}

extension [String: EntitlementValue] {
  fileprivate func text(_ name: String) -> String? {
    guard case .text(let text)? = self[name] else { return nil }
    return text
  }
}

extension EntitlementValue {
  /// The value as an object.
  fileprivate var object: AnyObject {
    switch self {
    case .text(let text): text as NSString
    case .bytes(let bytes): bytes.object
    case .number(let number): NSNumber(value: number)
    case .unsigned(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .flag(let flag): NSNumber(value: flag)
    case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
    case .list(let values): values.map(\.object) as NSArray
    case .dictionary(let values): values.mapValues(\.object) as NSDictionary
    }
  }
}
