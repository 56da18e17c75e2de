// WebAuthn level 2 6.5.4 (attestation object), and draft-ietf-acme-device-attest 5, whose objects lack authData.

/// A statement about a key in the envelope that says its kind: `{"fmt": …, "attStmt": {…}}` in CBOR.
package struct AttestationObject: Hashable, Sendable {
  /// What kind of statement it is: ``TPMStatement/format``, ``SoftwareStatement/format``, or one that nobody here knows.
  package var format: String
  /// The statement, by its fields' names.
  package var statement: [String: CBORValue]

  /// An object of these parts.
  package init(format: String, statement: [String: CBORValue]) {
    self.format = format
    self.statement = statement
  }

  /// Reads an object. `authData`, which only web browsers put there, may stand there and is left out.
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
