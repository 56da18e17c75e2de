/// A TPM's statement about one of its keys (WebAuthn level 2 8.3, "tpm").
package struct TPMStatement: Hashable, Sendable {
  /// The attestation object's `fmt`.
  package static let format = "tpm"
  /// The only defined version.
  package static let version = "2.0"
  /// The maximum number of certificates in a statement.
  package static let maximumCertificates = 8

  /// The attestation key's algorithm (COSE): -7 is ECDSA, -257 RSASSA-PKCS1-v1_5, both with SHA-256.
  package var algorithm: Int64
  /// DER: the attestation key's certificate first, then each issuer's; empty if the key has none, and must be pinned.
  package var certificates: [[UInt8]]
  /// The signature of ``certifyInfo``, a TPMT_SIGNATURE (``TPMSignature``).
  package var signature: [UInt8]
  /// The signed TPMS_ATTEST (``TPMAttest``).
  package var certifyInfo: [UInt8]
  /// The attested key's TPMT_PUBLIC (``TPMPublic``).
  package var publicArea: [UInt8]

  /// Creates a statement.
  package init(
    algorithm: Int64, certificates: [[UInt8]], signature: [UInt8], certifyInfo: [UInt8], publicArea: [UInt8]
  ) {
    self.algorithm = algorithm
    self.certificates = certificates
    self.signature = signature
    self.certifyInfo = certifyInfo
    self.publicArea = publicArea
  }

  /// Parses a statement.
  package init(_ statement: [String: CBORValue]) throws(AttestationFormatError) {
    var fields = AttestationFields(statement)
    guard try fields.text("ver", limit: 8) == Self.version else { throw .field("ver") }
    algorithm = try fields.integer("alg")
    certificates = []
    for value in try fields.array("x5c", limit: Self.maximumCertificates) {
      guard case .bytes(let certificate) = value, !certificate.isEmpty else { throw .field("x5c") }
      certificates.append(certificate)
    }
    signature = try fields.bytes("sig", 1...1024)
    certifyInfo = try fields.bytes("certInfo", 1...1024)
    publicArea = try fields.bytes("pubArea", 1...1024)
    try fields.finish()
  }

  /// The statement in its envelope.
  package var object: AttestationObject {
    AttestationObject(
      format: Self.format,
      statement: [
        "ver": .text(Self.version), "alg": .integer(algorithm), "x5c": .array(certificates.map(CBORValue.bytes)),
        "sig": .bytes(signature), "certInfo": .bytes(certifyInfo), "pubArea": .bytes(publicArea),
      ])
  }
}
