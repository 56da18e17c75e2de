import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import SwiftASN1
import X509

/// A TPM of paper: everything that a statement is made of can be had wrong, and is signed as it is.
struct Composed {
  static let challenge = Array("a challenge of the server".utf8)
  static let now = Date(timeIntervalSince1970: 1_800_000_000)

  var key = P256.Signing.PrivateKey()
  var signer = P256.Signing.PrivateKey()
  var authority = TestAuthority()

  var algorithm: Int64 = -7
  var signatureAlgorithm = TPMAlgorithm.ecdsa
  var signatureHash = TPMAlgorithm.sha256
  var isSignatureInDER = false
  var magic = TPMAttest.magic
  var type = TPMAttest.typeCertify
  var extraData = Array(SHA256.hash(data: challenge))
  var name: [UInt8]?
  var publicType = TPMAlgorithm.ecc
  var nameAlgorithm = TPMAlgorithm.sha256
  var attributes: TPMObjectAttributes = [.fixedTPM, .fixedParent, .sensitiveDataOrigin, .sign, .decrypt]
  var authPolicy = TPMPolicy.authValue
  var curve = TPMCurve.p256
  var x: [UInt8]?
  /// The chain; nil: the usual one.
  var certificates: [[UInt8]]?
  var leaf = TestCertificate.attestationKey

  /// TPMT_PUBLIC.
  var publicArea: [UInt8] {
    var writer = ByteWriter()
    for value in [publicType.rawValue, nameAlgorithm.rawValue] { writer.uint16BigEndian(value) }
    writer.uint32BigEndian(attributes.rawValue)
    writer.sized(authPolicy)
    for value in [0x0010, 0x0010, curve.rawValue, 0x0010] as [UInt16] { writer.uint16BigEndian(value) }
    let point = [UInt8](key.publicKey.rawRepresentation)
    writer.sized(x ?? Array(point[..<32]))
    writer.sized(Array(point[32...]))
    return writer.bytes
  }

  /// TPMS_ATTEST.
  var certifyInfo: [UInt8] {
    var writer = ByteWriter()
    writer.uint32BigEndian(magic)
    writer.uint16BigEndian(type)
    writer.sized([0, 11] + [UInt8](repeating: 1, count: 32))
    writer.sized(extraData)
    writer.uint64BigEndian(123_456)
    writer.uint32BigEndian(1)
    writer.uint32BigEndian(2)
    writer.uint8(1)
    writer.uint64BigEndian(7)
    writer.sized(name ?? TPMPublic.name(of: publicArea) ?? [0, 4] + Array(Insecure.SHA1.hash(data: publicArea)))
    writer.sized([0, 11] + [UInt8](repeating: 2, count: 32))
    return writer.bytes
  }

  func statement() throws -> TPMStatement {
    let info = certifyInfo
    let signature = try signer.signature(for: info)
    let raw = [UInt8](signature.rawRepresentation)
    var writer = ByteWriter()
    writer.uint16BigEndian(signatureAlgorithm.rawValue)
    writer.uint16BigEndian(signatureHash.rawValue)
    writer.sized(Array(raw[..<32]))
    writer.sized(Array(raw[32...]))
    let chain =
      try certificates ?? [
        authority.issue(leaf, to: signer.publicKey), authority.certificate(),
      ]
    return TPMStatement(
      algorithm: algorithm, certificates: chain,
      signature: isSignatureInDER ? [UInt8](signature.derRepresentation) : writer.bytes, certifyInfo: info,
      publicArea: publicArea)
  }

  func object() throws -> [UInt8] { try statement().object.encoded }

  /// Verifies what it makes, trusting its own authority.
  func verify(_ policy: AttestationPolicy = AttestationPolicy(), at time: Date = now) throws -> Attestation {
    let trust = try AttestationTrust(roots: [authority.root()])
    return try AttestationVerifier(trust: trust, policy: policy)
      .verify(object(), challenge: Self.challenge, at: time)
  }

  /// Verifies what it makes, trusting the signing key alone.
  func verifyPinned(_ pinned: P256.Signing.PublicKey? = nil) throws -> Attestation {
    let trust = try AttestationTrust(pinnedKeys: [[UInt8]((pinned ?? signer.publicKey).derRepresentation)])
    return try AttestationVerifier(trust: trust).verify(object(), challenge: Self.challenge, at: Self.now)
  }
}

extension ByteWriter {
  mutating func sized(_ bytes: [UInt8]) {
    uint16BigEndian(UInt16(bytes.count))
    append(bytes)
  }
}
