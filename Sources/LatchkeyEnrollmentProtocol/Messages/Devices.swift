internal import Crypto

/// Registers a device that made its own key: the body of ``Routes/devices``. Sent with an Idempotency-Key.
public struct DeviceRegistration: Codable, Sendable, Hashable {
  /// What people call the device; 1 to 64 characters.
  public var name: String
  /// PKCS#10, DER; base64. Only its key and the proof that it is held count: the server names the subject.
  public var signingRequest: Base64Bytes
  /// Where the key of the request lives: the attestation object that answers ``challenge(token:signingRequest:)``, CBOR;
  /// base64. Nil where the key's keychain makes none; a server may refuse that.
  public var attestation: Base64Bytes?

  /// A registration.
  public init(name: String, signingRequest: Base64Bytes, attestation: Base64Bytes? = nil) {
    self.name = name
    self.signingRequest = signingRequest
    self.attestation = attestation
  }

  /// What the attestation of an identity key answers: SHA-256 of a fixed text, the SHA-256 of the session's token, which the
  /// server has just given out, and that of the signing request. So an answer counts for one session and one request.
  ///
  /// - Parameter tokenHash: SHA-256 of the bearer token's text.
  public static func challenge(tokenHash: [UInt8], signingRequest: [UInt8]) -> [UInt8] {
    Array(
      SHA256.hash(
        data: Array("latchkey-identity-attestation-v1\n".utf8) + tokenHash + Array(SHA256.hash(data: signingRequest))))
  }

  /// The same for a token.
  public static func challenge(token: String, signingRequest: [UInt8]) -> [UInt8] {
    challenge(tokenHash: Array(SHA256.hash(data: Array(token.utf8))), signingRequest: signingRequest)
  }
}

/// Registers a device whose key the server makes: the body of ``Routes/serverMadeIdentities``.
public struct ServerMadeIdentityRequest: Codable, Sendable, Hashable {
  /// What people call the device; 1 to 64 characters.
  public var name: String
  /// What the PKCS#12 file is to be protected with; at least 8 characters. A secret.
  public var passphrase: String

  /// A request.
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
  /// The end of the certificate, seconds since 1970.
  public var notAfter: Int64
  /// X9.63 of the key that signs the server's answers; base64.
  public var serverKey: Base64Bytes
  /// The `keyid` of those signatures.
  public var serverKeyID: String
  /// The PKCS#12 file, where the server made the key; base64.
  public var pkcs12: Base64Bytes?

  /// A device.
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

/// Asks for a new certificate: the body of ``Routes/renewal``.
public struct RenewalRequest: Codable, Sendable, Hashable {
  /// PKCS#10, DER, of the same key or a new one; base64.
  public var signingRequest: Base64Bytes

  /// A request.
  public init(signingRequest: Base64Bytes) { self.signingRequest = signingRequest }
}

/// Registers the key that approves: the body of ``Routes/approvalKey``.
public struct ApprovalKeyRegistration: Codable, Sendable, Hashable {
  /// X9.63, 65 bytes; base64.
  public var publicKey: Base64Bytes
  /// The challenge of purpose `attestation` that the statement answers.
  public var challengeID: String
  /// The attestation object, CBOR; base64.
  public var attestation: Base64Bytes

  /// A registration.
  public init(publicKey: Base64Bytes, challengeID: String, attestation: Base64Bytes) {
    self.publicKey = publicKey
    self.challengeID = challengeID
    self.attestation = attestation
  }
}

/// A certificate of a device: a row of the answer of ``Routes/certificates``.
public struct CertificateSummary: Codable, Sendable, Hashable {
  /// Its serial number, hexadecimal digits.
  public var serial: String
  /// Its end, seconds since 1970.
  public var notAfter: Int64
  /// When it was revoked; nil for one that counts.
  public var revoked: Int64?
  /// Whether it is the one that was shown with this question.
  public var isShown: Bool

  /// A certificate.
  public init(serial: String, notAfter: Int64, revoked: Int64?, isShown: Bool) {
    self.serial = serial
    self.notAfter = notAfter
    self.revoked = revoked
    self.isShown = isShown
  }
}

/// The answer of ``Routes/certificates``.
public struct CertificateList: Codable, Sendable, Hashable {
  /// The device's certificates that have not reached their end, the latest end last.
  public var certificates: [CertificateSummary]

  /// A list.
  public init(certificates: [CertificateSummary]) { self.certificates = certificates }
}

/// Revokes one certificate: the body of ``Routes/certificateRevocation``.
public struct CertificateRevocation: Codable, Sendable, Hashable {
  /// Its serial number, hexadecimal digits.
  public var serial: String

  /// A revocation.
  public init(serial: String) { self.serial = serial }
}

/// What is known of the device that asks: the answer of ``Routes/device``.
public struct DeviceStatus: Codable, Sendable, Hashable {
  /// Its identifier.
  public var device: String
  /// Its name.
  public var name: String
  /// The user it belongs to.
  public var user: String
  /// The end of the certificate that was shown, seconds since 1970.
  public var notAfter: Int64
  /// Whether an approval key is registered.
  public var hasApprovalKey: Bool
  /// What vouches for the approval key: `tpm`; `tpm-unguarded` (it need not ask for the key's authorization);
  /// `tpm-unverified` (nobody known vouches for it), `latchkey-software` (no proof); or nothing.
  public var approvalKeyEvidence: String?

  /// A status.
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
