public import Foundation
internal import LatchkeyKeychainModel

/// A policy of trust evaluations (Apple, SecPolicy.h). Two policies with the same rule are equal.
public final class SecPolicy: Hashable, Sendable {
  /// The rule of a policy.
  enum Rule: Hashable, Sendable {
    /// A rule on the certificates and their path.
    case purpose(TrustQuestion.Purpose)
    /// A rule on revocation, with the methods of these `kSecRevocation…`.
    case revocation(CFOptionFlags)
  }
  let rule: Rule

  init(_ rule: Rule) { self.rule = rule }

  /// Whether both have the same rule.
  public static func == (a: SecPolicy, b: SecPolicy) -> Bool { a.rule == b.rule }

  /// Hashes the rule.
  public func hash(into hasher: inout Hasher) { hasher.combine(rule) }
}

extension SecPolicy: CustomStringConvertible {
  /// The identifier and the properties.
  public var description: String {
    switch rule {
    case .purpose(.basic): "<SecPolicyRef: \(kSecPolicyAppleX509Basic)>"
    case .purpose(.server(let host)): "<SecPolicyRef: \(kSecPolicyAppleSSLServer), host \(host ?? "any")>"
    case .purpose(.client): "<SecPolicyRef: \(kSecPolicyAppleSSLClient)>"
    case .revocation(let flags): "<SecPolicyRef: \(kSecPolicyAppleRevocation), flags \(flags)>"
    }
  }
}

/// Creates the policy of X.509, which any certificate with a valid path satisfies.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.purpose(.basic)) }

/// Creates the policy of TLS.
///
/// - Parameters:
///   - server: whether the policy is for a server's certificate; otherwise for a client's.
///   - hostname: the name or the address that a server's certificate must contain; nil means any. Ignored for clients.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(.purpose(server ? .server(host: hostname.map { $0 as String }) : .client))
}

/// Creates the policy of revocation, for use together with another. Revocation is not checked: with
/// `kSecRevocationRequirePositiveResponse` no certificate is trusted, and without it the policy has no effect.
///
/// - Returns: nil if `revocationFlags` contains a bit that is no `kSecRevocation…`. Flags without a method are accepted.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
  let known =
    kSecRevocationUseAnyAvailableMethod | kSecRevocationPreferCRL | kSecRevocationRequirePositiveResponse
    | kSecRevocationNetworkAccessDisabled
  guard revocationFlags & ~known == 0 else { return nil }
  return SecPolicy(.revocation(revocationFlags))
}

/// Creates the policy of an identifier: `kSecPolicyAppleX509Basic`, `…SSL`, `…SSLServer`, `…SSLClient` or `…Revocation`.
///
/// - Parameter properties: `kSecPolicyName` and `kSecPolicyClient` for TLS, `kSecPolicyRevocationFlags` for revocation.
/// - Returns: nil for any other identifier, and for a name that is not a string.
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

/// The policy's properties: `kSecPolicyOid`, and `kSecPolicyName`, `kSecPolicyClient` and `kSecPolicyRevocationFlags` if
/// set. Both sides of TLS have the identifier `kSecPolicyAppleSSL` here.
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

/// The identifier of policies, which ``CFGetTypeID(_:)`` returns for them.
@discardableResult
public func SecPolicyGetTypeID() -> CFTypeID { 262 }
