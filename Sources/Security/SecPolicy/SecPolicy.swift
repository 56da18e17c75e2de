public import Foundation
internal import LatchkeyKeychainModel

/// What certificates are trusted for (Apple, SecPolicy.h). Two that ask for the same are equal.
public final class SecPolicy: Hashable, Sendable {
  /// What is asked.
  enum Rule: Hashable, Sendable {
    /// Of the certificates themselves, and of their path.
    case purpose(TrustQuestion.Purpose)
    /// Whether they are revoked, in the ways of these `kSecRevocation…`.
    case revocation(CFOptionFlags)
  }
  let rule: Rule

  init(_ rule: Rule) { self.rule = rule }

  /// Whether both ask for the same.
  public static func == (a: SecPolicy, b: SecPolicy) -> Bool { a.rule == b.rule }

  /// Hashes what is asked for.
  public func hash(into hasher: inout Hasher) { hasher.combine(rule) }
}

extension SecPolicy: CustomStringConvertible {
  /// The identifier, and what is asked for.
  public var description: String {
    switch rule {
    case .purpose(.basic): "<SecPolicyRef: \(kSecPolicyAppleX509Basic)>"
    case .purpose(.server(let host)): "<SecPolicyRef: \(kSecPolicyAppleSSLServer), host \(host ?? "any")>"
    case .purpose(.client): "<SecPolicyRef: \(kSecPolicyAppleSSLClient)>"
    case .revocation(let flags): "<SecPolicyRef: \(kSecPolicyAppleRevocation), flags \(flags)>"
    }
  }
}

/// The policy that any certificate meets whose path is good.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.purpose(.basic)) }

/// The policy of TLS.
///
/// - Parameters:
///   - server: whether the certificate is a server's; else a client's.
///   - hostname: the name or the address that it must be for, if it is a server's; nil: any. Names of clients say nothing.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(.purpose(server ? .server(host: hostname.map { $0 as String }) : .client))
}

/// The policy of revocation, to be used beside another. Nothing here asks the network or reads lists: with
/// `kSecRevocationRequirePositiveResponse` nothing is trusted, and without it this says nothing.
///
/// - Returns: nil if `revocationFlags` names no method.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
  guard revocationFlags & (kSecRevocationUseAnyAvailableMethod | kSecRevocationNetworkAccessDisabled) != 0 else {
    return nil
  }
  return SecPolicy(.revocation(revocationFlags))
}

/// The policy of an identifier: `kSecPolicyAppleX509Basic`, `…SSL`, `…SSLServer`, `…SSLClient` or `…Revocation`.
///
/// - Parameter properties: `kSecPolicyName` and `kSecPolicyClient` for TLS, `kSecPolicyRevocationFlags` for revocation.
/// - Returns: nil for any other identifier, and for a name that is no string.
@discardableResult
public func SecPolicyCreateWithProperties(_ policyIdentifier: CFTypeRef, _ properties: CFDictionary?) -> SecPolicy? {
  let name = properties?.object(forKey: kSecPolicyName)
  guard let identifier = policyIdentifier as? CFString, name == nil || name is CFString else { return nil }
  let host = name as? CFString
  switch identifier {
  case kSecPolicyAppleX509Basic: return SecPolicyCreateBasicX509()
  case kSecPolicyAppleSSLServer: return SecPolicyCreateSSL(true, host)
  case kSecPolicyAppleSSLClient: return SecPolicyCreateSSL(false, host)
  case kSecPolicyAppleSSL:
    let isClient = (properties?.object(forKey: kSecPolicyClient) as? NSNumber)?.boolValue ?? false
    return SecPolicyCreateSSL(!isClient, host)
  case kSecPolicyAppleRevocation:
    let flags = (properties?.object(forKey: kSecPolicyRevocationFlags) as? NSNumber)?.uintValue
    return SecPolicyCreateRevocation(flags ?? kSecRevocationUseAnyAvailableMethod)
  default: return nil
  }
}

/// What the policy says: `kSecPolicyOid`, and `kSecPolicyName`, `kSecPolicyClient` and `kSecPolicyRevocationFlags` where it
/// has them. Both sides of TLS have the one identifier `kSecPolicyAppleSSL` here.
@discardableResult
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
  var entries = DictionaryEntries(capacity: 3)
  switch policyRef.rule {
  case .purpose(.basic): entries.set(kSecPolicyOid, kSecPolicyAppleX509Basic)
  case .purpose(.server(let host)):
    entries.set(kSecPolicyOid, kSecPolicyAppleSSL)
    if let host { entries.set(kSecPolicyName, host as NSString) }
  case .purpose(.client):
    entries.set(kSecPolicyOid, kSecPolicyAppleSSL)
    entries.set(kSecPolicyClient, NSNumber(value: true))
  case .revocation(let flags):
    entries.set(kSecPolicyOid, kSecPolicyAppleRevocation)
    entries.set(kSecPolicyRevocationFlags, NSNumber(value: flags))
  }
  return entries.dictionary
}

/// The identifier of policies: ``CFGetTypeID(_:)`` answers it for them.
@discardableResult
public func SecPolicyGetTypeID() -> CFTypeID { 262 }
