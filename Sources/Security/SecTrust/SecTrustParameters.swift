// What is judged, and by which rules (Apple, SecTrust.h). Every change ends what an evaluation had said.

public import Foundation

/// Stores a trust in certificates.
///
/// - Parameters:
///   - certificates: a `SecCertificate`, or an array of them with the one to be trusted first.
///   - policies: a `SecPolicy`, or an array of them, all of which must be met; nil: that of X.509 alone.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, an empty array too, and then stores nothing.
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

/// The objects of an array that has none but such, or the one object; nil for anything else.
private func objects<Object: AnyObject>(_ value: AnyObject) -> [Object]? {
  if let object = value as? Object { return [object] }
  return (value as? NSArray) as? [Object]
}

/// Sets the policies, as ``SecTrustCreateWithCertificates(_:_:_:)`` takes them.
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

/// Sets the roots to be trusted: these alone, until ``SecTrustSetAnchorCertificatesOnly(_:_:)`` says otherwise. Nil: those of
/// the system.
///
/// - Returns: `errSecSuccess`; `errSecParam` for an array that has anything but `SecCertificate`.
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

/// Sets whether the anchors that were set are trusted alone, or with the system's.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
  trust.change { $0.trustsOnlyAnchors = anchorCertificatesOnly }
  return errSecSuccess
}

/// Stores an array of the anchors that were set; nil if none were.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
  _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  anchors.pointee = trust.parameters.anchors.map { $0 as NSArray }
  return errSecSuccess
}

/// Sets the moment for which the certificates are judged; without it, it is the first at which they are.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
  let time = verifyDate.timeIntervalSinceReferenceDate
  guard time.isFinite else { return errSecParam }
  trust.change { $0.verifyTime = time }
  return errSecSuccess
}

/// The moment for which the certificates are judged, in seconds since 2001-01-01 00:00:00 UTC; now, from now on, if none
/// was set.
@discardableResult
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime { trust.verifyTime }

/// Sets whether issuers may be fetched from the network. Nothing here does: it is kept, and has no effect.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
  trust.change { $0.mayFetch = allowFetch }
  return errSecSuccess
}

/// Stores what ``SecTrustSetNetworkFetchAllowed(_:_:)`` has set; false at first.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: UnsafeMutablePointer<Bool>) -> OSStatus {
  allowFetch.pointee = trust.parameters.mayFetch
  return errSecSuccess
}
