import Crypto
package import LatchkeyKeychainModel

/// The statement of a key in software about itself. It is not proof: the key's holder can state anything.
package struct SoftwareStatement: Hashable, Sendable {
  /// The attestation object's `fmt`.
  package static let format = "latchkey-software"
  /// The algorithm of the signature (COSE): ECDSA with SHA-256.
  package static let algorithm: Int64 = -7

  /// The public key in X9.63 form: 65 bytes.
  package var publicKey: [UInt8]
  /// The key's access control.
  package var control: AccessControl
  /// SHA-256 of the challenge: 32 bytes.
  package var challengeDigest: [UInt8]
  /// The time of the key's creation, in seconds since 1970.
  package var created: Int64

  /// Creates a statement.
  package init(publicKey: [UInt8], control: AccessControl, challengeDigest: [UInt8], created: Int64) {
    self.publicKey = publicKey
    self.control = control
    self.challengeDigest = challengeDigest
    self.created = created
  }

  /// The signed bytes: a map in CBOR.
  package var encoded: [UInt8] {
    CBORValue.map([
      "backend": .text(Self.backend), "publicKey": .bytes(publicKey),
      "protection": .text(control.protection.rawValue), "flags": .unsigned(UInt64(control.flags.rawValue)),
      "challenge": .bytes(challengeDigest), "created": .integer(created),
    ]).encoded
  }

  /// Parses the signed bytes. A statement that names a backend other than software is refused, since nothing here could prove
  /// it.
  package init(encoded bytes: [UInt8]) throws(AttestationFormatError) {
    let value: CBORValue
    do throws(CBORError) { value = try CBORValue(encoded: bytes) } catch { throw .cbor(error) }
    guard case .map(let entries) = value else { throw .field("statement") }
    var fields = AttestationFields(entries)
    guard try fields.text("backend", limit: 16) == Self.backend else { throw .field("backend") }
    publicKey = try fields.bytes("publicKey", 65...65)
    guard let protection = Accessibility(rawValue: try fields.text("protection", limit: 8)) else {
      throw .field("protection")
    }
    guard let flags = UInt(exactly: try fields.integer("flags")) else { throw .field("flags") }
    control = AccessControl(protection: protection, flags: AccessControl.Flags(rawValue: flags))
    guard control.flags.isConsistent else { throw .field("flags") }
    challengeDigest = try fields.bytes("challenge", 32...32)
    created = try fields.integer("created")
    try fields.finish()
  }

  /// The accessibility's code.
  package var accessibility: String { control.protection.rawValue }
  /// The bits of the access control's flags.
  package var flags: UInt { control.flags.rawValue }
  /// Whether each use of the key asks for its user, as the statement claims.
  package var asksForUser: Bool { control.asksForUser }

  private static let backend = EnclaveBackend.software.rawValue
}

/// A software statement with its signature by the key that it is about.
package struct SignedSoftwareStatement: Hashable, Sendable {
  /// The bytes that were signed (``SoftwareStatement/init(encoded:)``).
  package var statement: [UInt8]
  /// The signature of SHA-256 of the statement, in DER.
  package var signature: [UInt8]

  /// Creates a signed statement.
  ///
  /// - Parameters:
  ///   - statement: ``SoftwareStatement/encoded``.
  ///   - rawSignature: ECDSA of the statement's SHA-256: r and s, 32 bytes each.
  package init(statement: [UInt8], rawSignature: [UInt8]) throws(AttestationFormatError) {
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: rawSignature) else { throw .field("sig") }
    self.statement = statement
    self.signature = [UInt8](signature.derRepresentation)
  }

  /// Parses a signed statement.
  package init(_ statement: [String: CBORValue]) throws(AttestationFormatError) {
    var fields = AttestationFields(statement)
    guard try fields.integer("alg") == SoftwareStatement.algorithm else { throw .field("alg") }
    signature = try fields.bytes("sig", 8...72)
    self.statement = try fields.bytes("statement", 1...512)
    try fields.finish()
  }

  /// The statement in its envelope.
  package var object: AttestationObject {
    AttestationObject(
      format: SoftwareStatement.format,
      statement: [
        "alg": .integer(SoftwareStatement.algorithm), "sig": .bytes(signature), "statement": .bytes(statement),
      ])
  }
}
