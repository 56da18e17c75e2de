public import Foundation
internal import Crypto
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
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
  /// Whether a change of the key was under way when the identity was read. Read before the credentials: if none was, they are those that
  /// the last change left.
  let isChangingKey: Bool
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
    guard let device = record.device else { return nil }
    // A renewal that was interrupted leaves two.
    let order = try CredentialOrder(record, configuration)
    guard let credential = try order.newest(of: Self.credentials(of: device, configuration)) else { return nil }
    self.init(credential, record, configuration)
  }

  /// The identity of a credential; nil without a device in the record.
  init?(_ credential: Credential, _ record: EnrollmentRecord, _ configuration: EnrollmentConfiguration) {
    guard let device = record.device, let user = record.user, let key = record.serverKey,
      let keyID = record.serverKeyID,
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
    isChangingKey = record.isChangingKey == true
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

  /// The common name of a certificate.
  static func name(_ certificate: SecCertificate) -> String? {
    var name: CFString?
    return SecCertificateCopyCommonName(certificate, &name) == errSecSuccess ? name as String? : nil
  }
}

extension EnrollmentClient {
  /// The stored identity, valid or not; nil if there is none.
  ///
  /// Record, certificates and keys are items of their own: what one process lists, another that renews may delete before it is read. At each
  /// moment there is an identity, though, so that a read that missed it is repeated.
  public func identity() async throws(EnrollmentError) -> EnrolledIdentity? {
    let configuration = configuration
    for _ in 1..<Self.mostChangesFollowed {
      guard let record = try await record(), record.device != nil else { return nil }
      do throws(EnrollmentError) {
        let read = try await blocking { () throws(EnrollmentError) in try EnrolledIdentity(record, configuration) }
        if let read { return read }
      } catch .keychain(errSecItemNotFound, _) {
        continue
      }
    }
    guard let record = try await record() else { return nil }
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
    guard isDue(identity, at: now) else { return identity }
    do {
      return try await renewals.once(changingKey: false) { [self] in
        try await inTurn {
          // Another process may have renewed it meanwhile.
          guard let current = try await self.identity() else { throw EnrollmentError.notEnrolled }
          guard isDue(current, at: configuration.clock()) else { return current }
          return try await renewed(current)
        }
      }
    } catch {
      try Task.checkCancellation()
      // The stored certificate is still valid; if it is not accepted, the request itself reports that.
      configuration.logger.notice("the certificate was not renewed", metadata: ["reason": "\(error)"])
      guard let stored = try await self.identity(), stored.isValid(at: now) else { return identity }
      return stored
    }
  }

  private func isDue(_ identity: EnrolledIdentity, at now: Date) -> Bool {
    identity.isChangingKey || identity.isDue(at: now, fraction: configuration.renewalFraction)
  }

  /// The most changes of the identity that one call follows. Each is another operation's or process's, which the server and the keychain
  /// have finished meanwhile.
  static let mostChangesFollowed = 16

  /// Sends a call as this device, and again as long as the identity was changed by another process or operation meanwhile: the server has
  /// ended the certificate of a key that was changed.
  ///
  /// - Parameter current: the identity that is stored now; nil for `validIdentity`.
  func sendAsDevice(
    _ call: Call, _ identity: EnrolledIdentity, current: (() async throws -> EnrolledIdentity)? = nil
  ) async throws -> Answer {
    var (identity, changes) = (identity, 0)
    while true {
      do {
        return try await messenger.send(call, as: identity.signer)
      } catch  where changes < Self.mostChangesFollowed && Self.mayBeChanged(error) {
        let stored: EnrolledIdentity
        do {
          stored = if let current { try await current() } else { try await validIdentity() }
        } catch let missing {
          // What the server refused says more than what is missing here; a deleted key says less.
          throw error is Refusal ? Self.following(changes, error) : missing
        }
        guard stored.signer.credential != identity.signer.credential else { throw Self.following(changes, error) }
        (identity, changes) = (stored, changes + 1)
      } catch {
        throw Self.following(changes, error)
      }
    }
  }

  /// The error of a call after so many changes of the identity: earlier attempts may have ended without a response.
  private static func following(_ changes: Int, _ error: any Error) -> any Error {
    guard changes > 0, var refusal = error as? Refusal else { return error }
    refusal.followsOpenAttempt = true
    return refusal
  }

  /// Whether a request fails so whose identity was changed after it was chosen: its certificate is revoked, or its key is deleted.
  private static func mayBeChanged(_ error: any Error) -> Bool {
    switch error {
    case let refusal as Refusal: refusal.problem.code == .revoked || refusal.problem.code == .notAuthenticated
    case EnrollmentError.keychain(let status, _): status == errSecItemNotFound
    default: false
    }
  }
}

/// Merges concurrent renewals into one.
actor RenewalGate {
  private var running: (task: Task<EnrolledIdentity, any Error>, changesKey: Bool)?

  /// - Parameter changingKey: whether the key is to be changed: a renewal under way that does not change it does not do.
  func once(
    changingKey: Bool, _ renew: @escaping @Sendable () async throws -> EnrolledIdentity
  ) async throws -> EnrolledIdentity {
    while let running {
      guard changingKey, !running.changesKey else { return try await running.task.value }
      _ = try? await running.task.value
      end(running.task)
      try Task.checkCancellation()
    }
    // Not a child of the first caller, which may be canceled while others wait for the result.
    let task = Task { try await renew() }
    running = (task, changingKey)
    defer { end(task) }
    return try await task.value
  }

  private func end(_ task: Task<EnrolledIdentity, any Error>) { if running?.task == task { running = nil } }
}
