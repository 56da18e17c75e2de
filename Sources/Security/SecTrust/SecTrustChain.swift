// The chain from the leaf to a root (Apple, SecTrust.h): the trusted one, or the part that was found. The functions evaluate
// the trust if necessary; without an evaluator, the chain is the leaf alone.

public import Foundation
internal import LatchkeyKeychainModel

/// An array of the chain's certificates, the leaf first.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.outcome().chain as NSArray }

/// The number of certificates in the chain.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { trust.outcome().chain.count }

/// A certificate of the chain, with the leaf at 0; nil for an index out of range.
@available(*, deprecated, renamed: "SecTrustCopyCertificateChain")
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
  let chain = trust.outcome().chain
  return chain.indices.contains(ix) ? chain[ix] : nil
}

/// The leaf's public key, even if the leaf is not trusted; nil for an unsupported key.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
  trust.parameters.certificates.first.flatMap { SecCertificateCopyKey($0) }
}

/// The leaf's public key, by the name of the function before iOS 14.
@available(*, deprecated, renamed: "SecTrustCopyKey")
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Stores an array of the roots that the system trusts (macOS).
///
/// - Returns: `errSecSuccess`; `errSecTrustNotAvailable` if the system has none; `errSecUnimplemented` without an
///   evaluator.
@discardableResult
public func SecTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<CFArray?>) -> OSStatus {
  guard let evaluator = TrustEvaluatorRegistry.evaluator else { return errSecUnimplemented }
  let certificates = evaluator.systemAnchors.compactMap { SecCertificate(der: $0) }
  if certificates.isEmpty { return errSecTrustNotAvailable }
  anchors.pointee = certificates as NSArray
  return errSecSuccess
}
