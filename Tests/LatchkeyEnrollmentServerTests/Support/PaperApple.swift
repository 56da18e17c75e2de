import Crypto
import Foundation
import LatchkeyEnclaveKeys
import SwiftASN1
import X509

/// Apple's servers, with a root and an authority of their own, which vouch for what they are asked to.
struct PaperApple {
  private let rootKey = P384.Signing.PrivateKey()
  private let key = P384.Signing.PrivateKey()

  var root: [UInt8] {
    get throws { try certificate("Root", by: rootKey, to: Certificate.PublicKey(rootKey.publicKey), isAuthority: true) }
  }

  /// An attestation object of the format `apple`.
  func attestation(
    of device: P256.Signing.PublicKey, challenge: [UInt8], serialNumber: String? = "C02ABC", udid: String? = nil
  ) throws -> [UInt8] {
    var others: [(ASN1ObjectIdentifier, [UInt8])] = [
      ([1, 2, 840, 113635, 100, 8, 11, 1], Array(SHA256.hash(data: challenge)))
    ]
    if let serialNumber { others.append(([1, 2, 840, 113635, 100, 8, 9, 1], Array(serialNumber.utf8))) }
    if let udid { others.append(([1, 2, 840, 113635, 100, 8, 9, 2], Array(udid.utf8))) }
    let chain = [
      try certificate("a key", of: "Authority", by: key, to: Certificate.PublicKey(device), others),
      try certificate(
        "Authority", of: "Root", by: rootKey, to: Certificate.PublicKey(key.publicKey), isAuthority: true),
    ]
    return AppleStatement(certificates: chain).object.encoded
  }

  private func certificate(
    _ name: String, of issuer: String? = nil, by issuerKey: P384.Signing.PrivateKey, to key: Certificate.PublicKey,
    _ others: [(ASN1ObjectIdentifier, [UInt8])] = [], isAuthority: Bool = false
  ) throws -> [UInt8] {
    var extensions = Certificate.Extensions()
    let constraints: BasicConstraints =
      isAuthority ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
    try extensions.append(.init(constraints, critical: true))
    try extensions.append(
      .init(KeyUsage(digitalSignature: !isAuthority, keyCertSign: isAuthority), critical: true))
    for (oid, value) in others { try extensions.append(.init(oid: oid, critical: false, value: value[...])) }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key, notValidBefore: Date() - 86_400,
      notValidAfter: Date() + 30 * 86_400, issuer: try DistinguishedName { CommonName(issuer ?? name) },
      subject: try DistinguishedName { CommonName(name) }, signatureAlgorithm: .ecdsaWithSHA384,
      extensions: extensions, issuerPrivateKey: Certificate.PrivateKey(issuerKey))
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }
}
