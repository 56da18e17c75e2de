// Passwords that apps share with a browser (Apple, SecSharedCredential.h). There is no such browser here: nothing is stored and
// nothing is found, and the calls end with the error of Apple's systems without the feature.

public import Foundation

/// A shared password, as a key of the dictionaries of ``SecRequestSharedWebCredential(_:_:_:)``; a string.
nonisolated(unsafe) public let kSecSharedPassword: CFString = "spwd"

/// Would store a shared password. It stores nothing, and calls back on a queue of the system with an error.
///
/// - Parameter completionHandler: called once: with `errSecUnimplemented`, or with `errSecParam` for an empty domain or
///   account.
public func SecAddSharedWebCredential(
  _ fqdn: CFString, _ account: CFString, _ password: CFString?, _ completionHandler: @escaping (CFError?) -> Void
) {
  let fault = SharedWebCredentials.fault(isComplete: fqdn.length > 0 && account.length > 0)
  // The callback is called once, on a queue of the system, as Apple's is.
  nonisolated(unsafe) let handler = completionHandler
  DispatchQueue.global().async { handler(fault.error) }
}

/// Would find shared passwords. It finds nothing, and calls back on a queue of the system with an error.
///
/// - Parameter completionHandler: called once, with nil and an error: `errSecUnimplemented`, or `errSecParam` for an empty domain
///   or account.
@available(*, deprecated, message: "Use ASAuthorizationController to make an ASAuthorizationPasswordRequest")
public func SecRequestSharedWebCredential(
  _ fqdn: CFString?, _ account: CFString?, _ completionHandler: @escaping (CFArray?, CFError?) -> Void
) {
  let fault = SharedWebCredentials.fault(isComplete: fqdn?.length != 0 && account?.length != 0)
  nonisolated(unsafe) let handler = completionHandler
  DispatchQueue.global().async { handler(nil, fault.error) }
}

/// A random password for a new account: four groups of three characters with hyphens between. Characters that look alike are
/// left out; at least one is a small letter, one a capital letter and one a digit.
@discardableResult
public func SecCreateSharedWebCredentialPassword() -> CFString? {
  var generator = SystemRandomNumberGenerator()
  return SharedWebCredentials.password(using: &generator) as NSString
}

enum SharedWebCredentials {
  /// The error of a call.
  static func fault(isComplete: Bool) -> KeyFault {
    isComplete
      ? KeyFault(errSecUnimplemented, "shared web credentials are not available here: keep the password as an item")
      : KeyFault(errSecParam, "the domain and the account are not empty")
  }

  static let groups: [[Character]] = ["abcdefghkmnopqrstuvwxy", "ABCDEFGHJKLMNPQRSTUVWXYZ", "3456789"].map { Array($0) }

  /// Draws passwords until one has a character of each group, which more than four of five have: so each of these is as likely
  /// as any other.
  static func password(using generator: inout some RandomNumberGenerator) -> String {
    let all = groups.flatMap { $0 }
    while true {
      let characters = (0..<12).map { _ in all[Int.random(in: all.indices, using: &generator)] }
      guard groups.allSatisfy({ group in characters.contains(where: group.contains) }) else { continue }
      return stride(from: 0, to: 12, by: 3).map { String(characters[$0..<$0 + 3]) }.joined(separator: "-")
    }
  }
}
