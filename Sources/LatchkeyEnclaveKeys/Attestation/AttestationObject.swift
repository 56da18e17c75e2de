// WebAuthn level 2 6.5.4 (attestation object), and draft-ietf-acme-device-attest 5, whose objects lack authData.

/// An attestation statement in its envelope, which names the format: `{"fmt": …, "attStmt": {…}}` in CBOR.
package struct AttestationObject: Hashable, Sendable {
  /// The statement's format: ``TPMStatement/format``, ``SoftwareStatement/format``, or an unknown one.
  package var format: String
  /// The statement's fields, by name.
  package var statement: [String: CBORValue]

  /// Creates an object.
  package init(format: String, statement: [String: CBORValue]) {
    self.format = format
    self.statement = statement
  }

  /// Parses an object. `authData`, which only web browsers include, is ignored.
  package init(encoded bytes: [UInt8]) throws(AttestationFormatError) {
    let value: CBORValue
    do throws(CBORError) { value = try CBORValue(encoded: bytes) } catch { throw .cbor(error) }
    guard case .map(let entries) = value else { throw .field("attestation object") }
    var fields = AttestationFields(entries)
    format = try fields.text("fmt", limit: Self.maximumFormat)
    statement = try fields.map("attStmt")
    fields.leaveOut("authData")
    try fields.finish()
  }

  /// The object in CBOR.
  package var encoded: [UInt8] {
    CBORValue.map(["fmt": .text(format), "attStmt": .map(statement)]).encoded
  }

  /// Names of formats are registered with at most 32 bytes (WebAuthn level 2 8.1).
  private static let maximumFormat = 32
}
