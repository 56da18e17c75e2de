public import Foundation
internal import Crypto
internal import LatchkeyByteCoding
internal import LatchkeyKeychainModel
internal import Logging
public import Security

/// The identity that this device has at the server.
public struct EnrolledIdentity: Sendable {
  /// The device's identifier.
  public let device: String
  /// Its user.
  public let user: String
  /// The certificate with its private key.
  public let identity: SecIdentity
  /// The start of the certificate's validity.
  public let notBefore: Date
  /// The end of the certificate's validity.
  public let notAfter: Date
  /// Whether an approval key is registered.
  public let hasApprovalKey: Bool
  /// The part of the certificate's validity that is left when it is due.
  private let renewalFraction: Double
  /// The credential and the keys for signed requests.
  let signer: Messenger.Signer

  /// Whether the certificate is valid at this time.
  public func isValid(at date: Date) -> Bool { notBefore <= date && date < notAfter }

  /// Whether less than this fraction of the certificate's validity is left.
  func isDue(at date: Date, fraction: Double) -> Bool {
    notAfter.timeIntervalSince(date) < notAfter.timeIntervalSince(notBefore) * fraction
  }

  /// The identity of a record; nil if there is none, or its key or certificate is missing.
  init?(_ record: EnrollmentRecord, _ configuration: EnrollmentConfiguration) throws(EnrollmentError) {
    guard let device = record.device, let user = record.user, let key = record.serverKey, let keyID = record.serverKeyID
    else { return nil }
    // A renewal that was interrupted leaves two: the later end is the newer certificate's; of equal ends the first, the default, is taken.
    guard let credential = try Self.credentials(of: device, configuration).max(by: Self.endsEarlier),
      let identity = credential.identity,
      let notBefore = SecCertificateCopyNotValidBeforeDate(identity.certificate),
      let notAfter = SecCertificateCopyNotValidAfterDate(identity.certificate)
    else { return nil }
    self.device = device
    self.user = user
    self.identity = identity
    self.notBefore = notBefore as Date
    self.notAfter = notAfter as Date
    hasApprovalKey = record.hasApprovalKey
    renewalFraction = configuration.renewalFraction
    signer = Messenger.Signer(
      device: device, credential: credential, serverKey: Messenger.ServerKey(id: keyID, publicKey: Array(key)))
  }

  /// The serial number of the certificate, in hexadecimal digits.
  public var serialNumber: String {
    (SecCertificateCopySerialNumberData(identity.certificate, nil) as Data?).map { Hexadecimal.encode(Array($0)) } ?? ""
  }

  /// Whether the private key is in the enclave; if not, the server made it, and it is an item of the keychain.
  public var isKeyInEnclave: Bool {
    let attributes = SecKeyCopyAttributes(identity.key) as? [CFString: Any]
    return attributes?[kSecAttrTokenID] as? String == kSecAttrTokenIDSecureEnclave as String
  }

  /// When a scheduled renewal is due (`latchkey renew`): up to a twelfth of the validity before ``EnrollmentConfiguration/renewalFraction``
  /// of it is left. How much before is drawn from the certificate, so that devices that enrolled together do not renew together, and each
  /// process that asks gets the same.
  public var renewalDate: Date {
    let digest = SHA256.hash(data: identity.certificate.der)
    let spread = digest.prefix(2).reduce(0.0) { $0 * 256 + Double($1) } / 65_536
    let validity = notAfter.timeIntervalSince(notBefore)
    return notAfter.addingTimeInterval(-validity * min(0.95, renewalFraction * (1 + spread / 4)))
  }

  /// The credentials of a device. Several devices may be enrolled at one server; the certificate identifies its device.
  static func credentials(
    of device: String, _ configuration: EnrollmentConfiguration
  ) throws(EnrollmentError) -> [Credential] {
    try configuration.credentials.credentials(for: configuration.identitySpace).filter {
      $0.identity.map { name($0.certificate) } == device
    }
  }

  /// Whether a credential's certificate ends before another's.
  static func endsEarlier(_ a: Credential, _ b: Credential) -> Bool { end(of: a) < end(of: b) }

  private static func end(of credential: Credential) -> Date {
    credential.identity.flatMap { SecCertificateCopyNotValidAfterDate($0.certificate) as Date? } ?? .distantPast
  }

  /// The common name of a certificate.
  static func name(_ certificate: SecCertificate) -> String? {
    var name: CFString?
    return SecCertificateCopyCommonName(certificate, &name) == errSecSuccess ? name as String? : nil
  }
}

extension EnrollmentClient {
  /// The stored identity, valid or not; nil if there is none.
  public func identity() async throws(EnrollmentError) -> EnrolledIdentity? {
    guard let record = try await record() else { return nil }
    let configuration = configuration
    return try await blocking { () throws(EnrollmentError) in try EnrolledIdentity(record, configuration) }
  }

  /// Whether a change of the identity key was begun and not finished: the next operation or renewal finishes it.
  public func isChangingKey() async throws(EnrollmentError) -> Bool { try await record()?.isChangingKey == true }

  /// The identity for a request, renewed first if it expires soon.
  ///
  /// - Throws: `.notEnrolled`, `.identityExpired`.
  func validIdentity() async throws -> EnrolledIdentity {
    guard let identity = try await identity() else { throw EnrollmentError.notEnrolled }
    let now = configuration.clock()
    guard identity.isValid(at: now) else { throw EnrollmentError.identityExpired }
    let isChanging = try await record()?.isChangingKey == true
    guard isChanging || identity.isDue(at: now, fraction: configuration.renewalFraction) else { return identity }
    do {
      return try await renewals.once { [self] in try await renewed(identity) }
    } catch {
      try Task.checkCancellation()
      // The old certificate is still valid; if it is not accepted, the request itself reports that.
      configuration.logger.notice("the certificate was not renewed", metadata: ["reason": "\(error)"])
      return identity
    }
  }
}

/// Merges concurrent renewals into one.
actor RenewalGate {
  private var running: Task<EnrolledIdentity, any Error>?

  func once(_ renew: @escaping @Sendable () async throws -> EnrolledIdentity) async throws -> EnrolledIdentity {
    if let running { return try await running.value }
    // Not a child of the first caller, which may be canceled while others wait for the result.
    let task = Task { try await renew() }
    running = task
    defer { running = nil }
    return try await task.value
  }
}
