import Crypto
import LatchkeyByteCoding
import LatchkeyEnclaveKeys

/// A TPM's statement about a key, signed by an attestation key in this process.
struct PaperTPM {
  let attestationKey = P256.Signing.PrivateKey()
  /// The attributes that the statement gives the keys, beside those of a signing key of the TPM's own.
  var attributes: TPMObjectAttributes = []
  /// The policy that authorizes their use; empty for none.
  var authPolicy: [UInt8] = []
  private static let always: TPMObjectAttributes = [.fixedTPM, .fixedParent, .sensitiveDataOrigin, .sign]

  /// The attestation object of a key.
  func attestation(of key: P256.Signing.PublicKey, challenge: [UInt8]) throws -> [UInt8] {
    var area = ByteWriter()
    for value in [TPMAlgorithm.ecc.rawValue, TPMAlgorithm.sha256.rawValue] { area.uint16BigEndian(value) }
    area.uint32BigEndian(Self.always.union(attributes).rawValue)
    Self.append(authPolicy, to: &area)
    for value in [0x0010, 0x0010, TPMCurve.p256.rawValue, 0x0010] as [UInt16] { area.uint16BigEndian(value) }
    let point = [UInt8](key.rawRepresentation)
    Self.append(Array(point[..<32]), to: &area)
    Self.append(Array(point[32...]), to: &area)

    var attest = ByteWriter()
    attest.uint32BigEndian(TPMAttest.magic)
    attest.uint16BigEndian(TPMAttest.typeCertify)
    Self.append([0, 11] + [UInt8](repeating: 1, count: 32), to: &attest)
    Self.append(Array(SHA256.hash(data: challenge)), to: &attest)
    attest.uint64BigEndian(1)
    attest.uint32BigEndian(1)
    attest.uint32BigEndian(1)
    attest.uint8(1)
    attest.uint64BigEndian(1)
    Self.append(TPMPublic.name(of: area.bytes) ?? [], to: &attest)
    Self.append([0, 11] + [UInt8](repeating: 2, count: 32), to: &attest)

    let raw = [UInt8](try attestationKey.signature(for: attest.bytes).rawRepresentation)
    var signature = ByteWriter()
    signature.uint16BigEndian(TPMAlgorithm.ecdsa.rawValue)
    signature.uint16BigEndian(TPMAlgorithm.sha256.rawValue)
    Self.append(Array(raw[..<32]), to: &signature)
    Self.append(Array(raw[32...]), to: &signature)
    return TPMStatement(
      algorithm: -7, certificates: [], signature: signature.bytes, certifyInfo: attest.bytes, publicArea: area.bytes
    ).object.encoded
  }

  private static func append(_ bytes: [UInt8], to writer: inout ByteWriter) {
    writer.uint16BigEndian(UInt16(bytes.count))
    writer.append(bytes)
  }
}
