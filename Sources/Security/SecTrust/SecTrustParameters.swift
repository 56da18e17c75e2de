// The parameters of a trust evaluation (Apple, SecTrust.h). Every change deletes the cached outcome.

public import Foundation

/// Creates a trust and stores it in `trust`.
///
/// - Parameters:
///   - certificates: a `SecCertificate`, or an array of them with the leaf first.
///   - policies: a `SecPolicy`, or an array of them, all of which must be satisfied; nil means that of X.509 alone.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, including an empty array, and then stores nothing.
@discardableResult
public func SecTrustCreateWithCertificates(
  _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
  guard let certificates: [SecCertificate] = objects(certificates), !certificates.isEmpty else { return errSecParam }
  var rules = [SecPolicyCreateBasicX509()]
  if let policies {
    guard let given: [SecPolicy] = objects(policies), !given.isEmpty else { return errSecParam }
    rules = given
  }
  trust.pointee = SecTrust(SecTrust.Parameters(certificates: certificates, policies: rules))
  return errSecSuccess
}

/// The objects of an array that contains only this type, or a single object of the type; nil for anything else.
private func objects<Object: AnyObject>(_ value: AnyObject) -> [Object]? {
  if let object = value as? Object { return [object] }
  return (value as? NSArray) as? [Object]
}

/// Sets the policies, in the forms that ``SecTrustCreateWithCertificates(_:_:_:)`` accepts.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
  guard let policies: [SecPolicy] = objects(policies), !policies.isEmpty else { return errSecParam }
  trust.change { $0.policies = policies }
  return errSecSuccess
}

/// Stores an array of the policies.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
  policies.pointee = trust.parameters.policies as NSArray
  return errSecSuccess
}

/// Sets the trusted roots. They replace the system's roots, unless ``SecTrustSetAnchorCertificatesOnly(_:_:)`` enables these
/// again. Nil restores the system's roots.
///
/// - Returns: `errSecSuccess`; `errSecParam` for an array that contains anything but `SecCertificate`.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
  var anchors: [SecCertificate]?
  if let anchorCertificates {
    guard let given = anchorCertificates as? [SecCertificate] else { return errSecParam }
    anchors = given
  }
  trust.change {
    $0.anchors = anchors
    $0.trustsOnlyAnchors = anchors != nil
  }
  return errSecSuccess
}

/// Sets whether only the custom anchors are trusted, or the system's roots, too.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
  trust.change { $0.trustsOnlyAnchors = anchorCertificatesOnly }
  return errSecSuccess
}

/// Stores an array of the custom anchors; nil if none are set.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
  _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  anchors.pointee = trust.parameters.anchors.map { $0 as NSArray }
  return errSecSuccess
}

/// Sets the time of the evaluation; by default, the time of the first evaluation.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
  let time = verifyDate.timeIntervalSinceReferenceDate
  guard time.isFinite else { return errSecParam }
  trust.change { $0.verifyTime = time }
  return errSecSuccess
}

/// The time of the evaluation, in seconds since 2001-01-01 00:00:00 UTC. If none is set, the first call sets it to now.
@discardableResult
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime { trust.verifyTime }

/// Sets whether issuers may be fetched from the network. The value is stored and has no effect.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
  trust.change { $0.mayFetch = allowFetch }
  return errSecSuccess
}

/// Stores the value of ``SecTrustSetNetworkFetchAllowed(_:_:)``; false by default.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: UnsafeMutablePointer<Bool>) -> OSStatus {
  allowFetch.pointee = trust.parameters.mayFetch
  return errSecSuccess
}
