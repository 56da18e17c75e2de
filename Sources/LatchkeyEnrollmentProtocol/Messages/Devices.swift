internal import Crypto

/// The registration of a device that generated its own key: the body of ``Routes/devices``. Sent with an Idempotency-Key.
public struct DeviceRegistration: Codable, Sendable, Hashable {
  /// The device's display name; 1 to 64 characters.
  public var name: String
  /// PKCS#10, DER; base64. Only its key and the proof of possession count: the server sets the subject.
  public var signingRequest: Base64Bytes
  /// The attestation of the request's key: the attestation object that answers ``challenge(token:signingRequest:)``, CBOR;
  /// base64. Nil if the key's keychain makes none; a server may refuse that.
  public var attestation: Base64Bytes?

  /// Creates a registration.
  public init(name: String, signingRequest: Base64Bytes, attestation: Base64Bytes? = nil) {
    self.name = name
    self.signingRequest = signingRequest
    self.attestation = attestation
  }

  /// The challenge for an identity key's attestation: SHA-256 of a fixed text, the SHA-256 of the session's token, which the
  /// server has just issued, and that of the signing request. So an answer is valid for one session and one request.
  ///
  /// - Parameter tokenHash: SHA-256 of the bearer token's text.
  public static func challenge(tokenHash: [UInt8], signingRequest: [UInt8]) -> [UInt8] {
    Array(
      SHA256.hash(
        data: Array("latchkey-identity-attestation-v1\n".utf8) + tokenHash + Array(SHA256.hash(data: signingRequest))))
  }

  /// The same challenge, from the token's text.
  public static func challenge(token: String, signingRequest: [UInt8]) -> [UInt8] {
    challenge(tokenHash: Array(SHA256.hash(data: Array(token.utf8))), signingRequest: signingRequest)
  }
}

/// The registration of a device whose key the server generates: the body of ``Routes/serverMadeIdentities``.
public struct ServerMadeIdentityRequest: Codable, Sendable, Hashable {
  /// The device's display name; 1 to 64 characters.
  public var name: String
  /// The passphrase of the PKCS#12 file; at least 8 characters. A secret.
  public var passphrase: String

  /// Creates a request.
  public init(name: String, passphrase: String) {
    self.name = name
    self.passphrase = passphrase
  }
}

/// A registered device: the answer to a registration and to a renewal.
public struct EnrolledDevice: Codable, Sendable, Hashable {
  /// The device's identifier; also the common name of its certificates and the `keyid` of its signatures.
  public var device: String
  /// The user it belongs to.
  public var user: String
  /// The certificate and its issuers, leaf first, DER; base64.
  public var certificates: [Base64Bytes]
  /// The certificate's expiry, seconds since 1970.
  public var notAfter: Int64
  /// The public key that verifies the server's answers, X9.63; base64.
  public var serverKey: Base64Bytes
  /// The `keyid` of those signatures.
  public var serverKeyID: String
  /// The PKCS#12 file, if the server generated the key; base64.
  public var pkcs12: Base64Bytes?

  /// Creates a registered device.
  public init(
    device: String, user: String, certificates: [Base64Bytes], notAfter: Int64, serverKey: Base64Bytes,
    serverKeyID: String, pkcs12: Base64Bytes? = nil
  ) {
    self.device = device
    self.user = user
    self.certificates = certificates
    self.notAfter = notAfter
    self.serverKey = serverKey
    self.serverKeyID = serverKeyID
    self.pkcs12 = pkcs12
  }
}

/// A request for a new certificate: the body of ``Routes/renewal``.
public struct RenewalRequest: Codable, Sendable, Hashable {
  /// PKCS#10, DER, of the same key or a new one; base64.
  public var signingRequest: Base64Bytes

  /// Creates a request.
  public init(signingRequest: Base64Bytes) { self.signingRequest = signingRequest }
}

/// A renewal after the certificate's end, for the same key: the body of ``Routes/expiredRenewal``.
public struct ExpiredRenewal: Codable, Sendable, Hashable {
  /// The device.
  public var device: String
  /// The answered challenge, of purpose `renewal` and of the SHA-256 of ``signingRequest``.
  public var challengeID: String
  /// The identity key's signature: ECDSA P-256 with SHA-256 over ``Challenge/signedMessage(purpose:content:)``, X9.62 DER; base64.
  public var signature: Base64Bytes
  /// PKCS#10, DER, of the identity key; base64.
  public var signingRequest: Base64Bytes

  /// Creates a request.
  public init(device: String, challengeID: String, signature: Base64Bytes, signingRequest: Base64Bytes) {
    self.device = device
    self.challengeID = challengeID
    self.signature = signature
    self.signingRequest = signingRequest
  }
}

/// The registration of the approval key: the body of ``Routes/approvalKey``.
public struct ApprovalKeyRegistration: Codable, Sendable, Hashable {
  /// X9.63, 65 bytes; base64.
  public var publicKey: Base64Bytes
  /// The challenge of purpose `attestation` that the statement answers.
  public var challengeID: String
  /// The attestation object, CBOR; base64.
  public var attestation: Base64Bytes

  /// Creates a registration.
  public init(publicKey: Base64Bytes, challengeID: String, attestation: Base64Bytes) {
    self.publicKey = publicKey
    self.challengeID = challengeID
    self.attestation = attestation
  }
}

/// A certificate of a device: an entry of the answer of ``Routes/certificates``.
public struct CertificateSummary: Codable, Sendable, Hashable {
  /// The serial number, in hexadecimal digits.
  public var serial: String
  /// The expiry, seconds since 1970.
  public var notAfter: Int64
  /// The time of revocation, seconds since 1970; nil if it is not revoked.
  public var revoked: Int64?
  /// Whether it is the certificate of this connection.
  public var isShown: Bool

  /// Creates a summary.
  public init(serial: String, notAfter: Int64, revoked: Int64?, isShown: Bool) {
    self.serial = serial
    self.notAfter = notAfter
    self.revoked = revoked
    self.isShown = isShown
  }
}

/// The answer of ``Routes/certificates``.
public struct CertificateList: Codable, Sendable, Hashable {
  /// The device's unexpired certificates, the latest expiry last.
  public var certificates: [CertificateSummary]

  /// Creates a list.
  public init(certificates: [CertificateSummary]) { self.certificates = certificates }
}

/// The revocation of one certificate: the body of ``Routes/certificateRevocation``.
public struct CertificateRevocation: Codable, Sendable, Hashable {
  /// The serial number, in hexadecimal digits.
  public var serial: String

  /// Creates a revocation.
  public init(serial: String) { self.serial = serial }
}

/// The status of the requesting device: the answer of ``Routes/device``.
public struct DeviceStatus: Codable, Sendable, Hashable {
  /// The device's identifier.
  public var device: String
  /// The device's display name.
  public var name: String
  /// The user it belongs to.
  public var user: String
  /// The expiry of the presented certificate, seconds since 1970.
  public var notAfter: Int64
  /// Whether an approval key is registered.
  public var hasApprovalKey: Bool
  /// The evidence for the approval key: `tpm`; `tpm-unguarded` (the key may be usable without authorization); `tpm-unverified`
  /// (no trusted attestation key), `latchkey-software` (no proof); or nil.
  public var approvalKeyEvidence: String?

  /// Creates a status.
  public init(
    device: String, name: String, user: String, notAfter: Int64, hasApprovalKey: Bool,
    approvalKeyEvidence: String? = nil
  ) {
    self.device = device
    self.name = name
    self.user = user
    self.notAfter = notAfter
    self.hasApprovalKey = hasApprovalKey
    self.approvalKeyEvidence = approvalKeyEvidence
  }
}
