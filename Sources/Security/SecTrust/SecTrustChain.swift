// The chain from the leaf to a root (Apple, SecTrust.h): the one that is trusted, or as much as was found. It is looked for
// now if it was not; where nothing judges trust, it is the leaf alone.

public import Foundation
internal import LatchkeyKeychainModel

/// An array of the chain's certificates, the leaf first.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.outcome().chain as NSArray }

/// How many certificates the chain has.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { trust.outcome().chain.count }

/// A certificate of the chain, the leaf at 0; nil beyond its end.
@available(*, deprecated, renamed: "SecTrustCopyCertificateChain")
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
  let chain = trust.outcome().chain
  return chain.indices.contains(ix) ? chain[ix] : nil
}

/// The leaf's public key, whether or not it is trusted; nil for a kind of key that there is none of here.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
  trust.parameters.certificates.first.flatMap { SecCertificateCopyKey($0) }
}

/// The leaf's public key, as iOS before 14 spells the call.
@available(*, deprecated, renamed: "SecTrustCopyKey")
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Stores an array of the roots that the system trusts (macOS).
///
/// - Returns: `errSecSuccess`; `errSecTrustNotAvailable` if the system has none; `errSecUnimplemented` where nothing judges
///   trust.
@discardableResult
public func SecTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<CFArray?>) -> OSStatus {
  guard let evaluator = TrustEvaluatorRegistry.evaluator else { return errSecUnimplemented }
  let certificates = evaluator.systemAnchors.compactMap { SecCertificate(der: $0) }
  if certificates.isEmpty { return errSecTrustNotAvailable }
  anchors.pointee = certificates as NSArray
  return errSecSuccess
}
