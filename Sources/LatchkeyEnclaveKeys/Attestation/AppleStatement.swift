/// The statement of Apple's servers about a key in a Secure Enclave (Managed Device Attestation), as devices answer ACME's challenge
/// device-attest-01 with it. All of it is in the certificates.
package struct AppleStatement: Hashable, Sendable {
  /// The attestation object's `fmt`.
  package static let format = "apple"
  /// The maximum number of certificates in a statement; Apple's has two.
  package static let maximumCertificates = 4

  /// DER: the key's certificate first, then each issuer's.
  package var certificates: [[UInt8]]

  /// Creates a statement.
  package init(certificates: [[UInt8]]) { self.certificates = certificates }

  /// Parses a statement. Fields beside the certificates are not signed, and are ignored.
  package init(_ statement: [String: CBORValue]) throws(AttestationFormatError) {
    var fields = AttestationFields(statement)
    certificates = []
    for value in try fields.array("x5c", limit: Self.maximumCertificates) {
      guard case .bytes(let certificate) = value, !certificate.isEmpty else { throw .field("x5c") }
      certificates.append(certificate)
    }
    guard !certificates.isEmpty else { throw .field("x5c") }
  }

  /// The statement in its envelope.
  package var object: AttestationObject {
    AttestationObject(format: Self.format, statement: ["x5c": .array(certificates.map(CBORValue.bytes))])
  }
}
