import Crypto
import LatchkeyByteCoding
import LatchkeyEnclaveKeys

import struct Foundation.Date

/// A parsed software statement, to be verified. It never proves more than its level.
struct SoftwareEvidence {
  let signed: SignedSoftwareStatement
  let statement: SoftwareStatement

  init(_ signed: SignedSoftwareStatement) throws(AttestationError) {
    self.signed = signed
    statement = try reading { () throws(AttestationFormatError) in try SoftwareStatement(encoded: signed.statement) }
  }

  func verify(challengeDigest: [UInt8]) throws(AttestationError) -> Attestation {
    guard constantTimeEquals(statement.challengeDigest, challengeDigest) else { throw .wrongChallenge }
    guard let key = try? P256.Signing.PublicKey(x963Representation: statement.publicKey) else {
      throw .unsupportedKey("no point of P-256")
    }
    guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signed.signature),
      key.isValidSignature(signature, for: signed.statement)
    else { throw .badSignature }
    return Attestation(
      level: .software, publicKey: statement.publicKey, subjectPublicKeyInfo: [UInt8](key.derRepresentation),
      isAuthorizationEnforcedByHardware: false, isPresenceEnforcedByHardware: false,
      stated: StatedProtection(
        accessibility: statement.accessibility, flags: statement.flags,
        created: Date(timeIntervalSince1970: Double(statement.created))))
  }
}
