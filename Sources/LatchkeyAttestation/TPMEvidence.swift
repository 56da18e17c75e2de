import Crypto
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import SwiftASN1
import X509

import struct Foundation.Date

// WebAuthn level 2 8.3, "Verification procedure", with the challenge's digest in place of attToBeSigned's.

/// A parsed TPM statement, to be verified.
struct TPMEvidence {
  let statement: TPMStatement
  let attest: TPMAttest
  let publicArea: TPMPublic
  let signature: TPMStatementSignature

  init(_ statement: TPMStatement) throws(AttestationError) {
    self.statement = statement
    attest = try reading { () throws(AttestationFormatError) in try TPMAttest(encoded: statement.certifyInfo) }
    publicArea = try reading { () throws(AttestationFormatError) in try TPMPublic(encoded: statement.publicArea) }
    signature = try TPMStatementSignature(statement.signature, algorithm: statement.algorithm)
  }

  /// Cheap checks come first. All of them must pass, so the order has no other meaning.
  func verify(
    challengeDigest: [UInt8], trust: AttestationTrust, at time: Date
  ) throws(AttestationError) -> Attestation {
    guard !trust.trustsNoTPM else { throw .nothingTrusted }
    guard attest.magic == TPMAttest.magic, attest.type == TPMAttest.typeCertify else { throw .notCertified }
    guard constantTimeEquals(attest.extraData, challengeDigest) else { throw .wrongChallenge }
    guard let name = TPMPublic.name(of: statement.publicArea) else {
      throw .unsupportedAlgorithm("the hash function of the key's name")
    }
    guard name == attest.name else { throw .wrongName }
    guard let x963 = publicArea.x963, let key = try? P256.Signing.PublicKey(x963Representation: x963) else {
      throw .unsupportedKey("no point of P-256")
    }
    try checkAttributes()
    let attestationKey = try attestationKey(trust, at: time)
    return Attestation(
      level: .tpm, publicKey: x963, subjectPublicKeyInfo: [UInt8](key.derRepresentation),
      isAuthorizationEnforcedByHardware: isAuthorizationEnforced, isPresenceEnforcedByHardware: isPresenceEnforced,
      attestationKey: attestationKey)
  }

  /// The key was generated in this TPM, never leaves it, and is not restricted.
  private func checkAttributes() throws(AttestationError) {
    let attributes = publicArea.attributes
    guard attributes.contains(.fixedTPM) else { throw .wrongAttributes("fixedTPM is clear") }
    guard attributes.contains(.fixedParent) else { throw .wrongAttributes("fixedParent is clear") }
    guard attributes.contains(.sensitiveDataOrigin) else { throw .wrongAttributes("sensitiveDataOrigin is clear") }
    guard !attributes.contains(.restricted) else { throw .wrongAttributes("restricted is set") }
  }

  /// Each use of the key requires its authorization value, and wrong values lock the TPM.
  private var isAuthorizationEnforced: Bool {
    publicArea.nameAlgorithm == .sha256
      && [TPMPolicy.authValue, TPMPolicy.physicalPresenceAndAuthValue].contains(publicArea.authPolicy)
      && publicArea.attributes.isDisjoint(with: [.userWithAuth, .noDA])
  }

  /// The key is usable without a policy, and wrong authorization values are not counted.
  var saysUnguarded: Bool { publicArea.attributes.isSuperset(of: [.userWithAuth, .noDA]) }

  /// Each use of the key requires physical presence.
  private var isPresenceEnforced: Bool {
    publicArea.nameAlgorithm == .sha256
      && [TPMPolicy.physicalPresence, TPMPolicy.physicalPresenceAndAuthValue].contains(publicArea.authPolicy)
      && !publicArea.attributes.contains(.userWithAuth)
  }

  /// Returns the attestation key that signed the statement, after validating its trust.
  private func attestationKey(_ trust: AttestationTrust, at time: Date) throws(AttestationError) -> AttestationKey {
    let chain = try CertificateChain.certificates(statement.certificates)
    guard let leaf = chain.first else {
      for pinned in trust.pinnedKeys where signature.isValid(for: statement.certifyInfo, by: pinned.key) {
        return AttestationKey(subjectPublicKeyInfo: pinned.encoded, isPinned: true)
      }
      throw .untrusted
    }
    guard signature.isValid(for: statement.certifyInfo, by: leaf.publicKey) else { throw .badSignature }
    if let pinned = trust.pinnedKeys.first(where: { $0.key == leaf.publicKey }) {
      return AttestationKey(
        subjectPublicKeyInfo: pinned.encoded, isPinned: true, certificate: statement.certificates.first)
    }
    let identity: TPMIdentity
    do throws(CertificateFault) {
      identity = try AttestationKeyCertificate.check(leaf)
    } catch {
      throw .certificate(0, error)
    }
    try CertificateChain.check(chain, roots: trust.roots, for: .attestationKeys, at: time)
    var serializer = DER.Serializer()
    do { try serializer.serialize(leaf.publicKey) } catch { throw .certificate(0, .malformed) }
    return AttestationKey(
      subjectPublicKeyInfo: serializer.serializedBytes, isPinned: false, certificate: statement.certificates.first,
      tpm: identity)
  }
}
