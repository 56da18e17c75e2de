import Crypto
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import SwiftASN1
import X509

import struct Foundation.Date

// Apple's "Device Management", DeviceInformationResponse, DevicePropertiesAttestation, for the extensions.

/// A parsed statement of Apple's servers, to be verified.
struct AppleEvidence {
  let statement: AppleStatement

  func verify(
    challengeDigest: [UInt8], trust: AttestationTrust, at time: Date
  ) throws(AttestationError) -> Attestation {
    guard !trust.appleRoots.isEmpty else { throw .nothingTrusted }
    let chain = try CertificateChain.certificates(statement.certificates)
    let leaf = chain[0]
    do throws(CertificateFault) { try Self.checkLeaf(leaf) } catch { throw .certificate(0, error) }
    guard let freshness = try Self.value(Self.freshness, of: leaf) else {
      throw .malformed("the certificate has no freshness code")
    }
    guard constantTimeEquals(freshness, challengeDigest) else { throw .wrongChallenge }
    guard let key = P256.Signing.PublicKey(leaf.publicKey) else {
      throw .unsupportedKey("no point of P-256: have the device make a key of 256 bits")
    }
    let device = AppleDevice(
      serialNumber: try Self.text(Self.serialNumber, of: leaf), udid: try Self.text(Self.udid, of: leaf),
      certificate: statement.certificates[0])
    try CertificateChain.check(chain, roots: trust.appleRoots, for: .anything, at: time)
    return Attestation(
      level: .secureEnclave, publicKey: [UInt8](key.x963Representation),
      subjectPublicKeyInfo: [UInt8](key.derRepresentation), isAuthorizationEnforcedByHardware: false,
      isPresenceEnforcedByHardware: false, appleDevice: device)
  }

  private static func checkLeaf(_ certificate: Certificate) throws(CertificateFault) {
    guard certificate.version == .v3 else { throw .version }
    let constraints: BasicConstraints?
    do { constraints = try certificate.extensions.basicConstraints } catch { throw .basicConstraints }
    if case .isCertificateAuthority? = constraints { throw .basicConstraints }
    guard let usage = try? certificate.extensions.keyUsage ?? KeyUsage(digitalSignature: true), usage.digitalSignature
    else { throw .keyUsage }
  }

  /// The bytes of an extension: what is inside its OCTET STRING is no DER.
  private static func value(
    _ oid: ASN1ObjectIdentifier, of certificate: Certificate
  ) throws(AttestationError) -> [UInt8]? {
    let found = certificate.extensions.filter { $0.oid == oid }
    guard found.count < 2 else { throw .malformed("the certificate has the extension \(oid) twice") }
    return found.first.map { Array($0.value) }
  }

  private static func text(
    _ oid: ASN1ObjectIdentifier, of certificate: Certificate
  ) throws(AttestationError) -> String? {
    guard let bytes = try value(oid, of: certificate) else { return nil }
    guard (1...64).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .malformed("the certificate names its device by something else than 1 to 64 visible characters")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let serialNumber: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 9, 1]
  private static let udid: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 9, 2]
  private static let freshness: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 11, 1]
}
