import Crypto
import CryptoExtras
import SwiftASN1
import X509

import struct Foundation.Date

// RFC 5280 6.1, as far as chains of attestation keys need it: no policies, no name constraints (a certificate that has some
// is refused), no revocation. Short and synchronous, since X509's own verifier is neither and takes no TPM's certificates.

extension CertificateFault: Error {}

/// A chain from an attestation key's certificate to a root.
enum CertificateChain {
  /// Checks that `chain` leads to one of `roots`, and every certificate on the way. What the first one must say beyond that
  /// is for ``AttestationKeyCertificate``.
  static func check(_ chain: [Certificate], roots: [Certificate], at time: Date) throws(AttestationError) {
    for (place, certificate) in chain.enumerated() {
      try Self.at(place) { () throws(CertificateFault) in
        if place > 0 { try checkAuthority(certificate, below: place - 1) }
        try checkCommon(certificate, at: time)
      }
      if place > 0, roots.contains(certificate) { return }
      if let root = roots.first(where: { isIssued(certificate, by: $0) }) {
        return try Self.at(place + 1) { () throws(CertificateFault) in
          try checkAuthority(root, below: place)
          try checkCommon(root, at: time)
        }
      }
      guard place + 1 < chain.count else { break }
      guard isIssued(certificate, by: chain[place + 1]) else { throw .certificate(place, .issuer) }
    }
    throw .untrusted
  }

  private static func at(
    _ place: Int, _ body: () throws(CertificateFault) -> Void
  ) throws(AttestationError) {
    do throws(CertificateFault) { try body() } catch { throw .certificate(place, error) }
  }

  /// What must be true of an authority's certificate above `below` others, the attestation key's not counted.
  static func checkAuthority(_ certificate: Certificate, below: Int) throws(CertificateFault) {
    guard certificate.version == .v3 else { throw .version }
    switch try? certificate.extensions.basicConstraints {
    case .isCertificateAuthority(let maximum)?:
      guard maximum.map({ $0 >= below }) ?? true else { throw .pathLength }
    default: throw .basicConstraints
    }
    guard let usage = try? certificate.extensions.keyUsage ?? KeyUsage(keyCertSign: true), usage.keyCertSign else {
      throw .keyUsage
    }
    // An authority that is limited to other uses does not issue certificates of attestation keys.
    try AttestationKeyCertificate.checkUsage(certificate, mayBeAbsent: true)
  }

  /// What must be true of every certificate.
  private static func checkCommon(_ certificate: Certificate, at time: Date) throws(CertificateFault) {
    guard time >= certificate.notValidBefore else { throw .notYetValid }
    guard time <= certificate.notValidAfter else { throw .expired }
    guard strongSignatures.contains(certificate.signatureAlgorithm), isStrong(certificate.publicKey) else {
      throw .algorithm
    }
    for entry in certificate.extensions {
      if entry.oid == .X509ExtensionID.nameConstraints { throw .criticalExtension }
      if entry.critical && !understood.contains(entry.oid) { throw .criticalExtension }
    }
  }

  private static func isIssued(_ certificate: Certificate, by issuer: Certificate) -> Bool {
    certificate.issuer == issuer.subject && issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
  }

  /// A certificate whose one spelling it is: X509 takes a signature whose last bits are said not to count, and nobody signs
  /// how many those are.
  static func certificate(_ encoded: [UInt8]) throws(CertificateFault) -> Certificate {
    guard let certificate = try? Certificate(derEncoded: encoded),
      encoded.suffix(from: max(0, encoded.count - certificate.signature.rawRepresentation.count - 1))
        .elementsEqual([0] + certificate.signature.rawRepresentation)
    else { throw .malformed }
    return certificate
  }

  /// No curve here is too weak; RSA is below 2048 bits.
  static func isStrong(_ key: Certificate.PublicKey) -> Bool {
    _RSA.Signing.PublicKey(key).map { $0.keySizeInBits >= 2048 } ?? true
  }

  private static let strongSignatures: Set<Certificate.SignatureAlgorithm> = [
    .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .sha256WithRSAEncryption, .sha384WithRSAEncryption,
    .sha512WithRSAEncryption,
  ]

  private static let understood: Set<ASN1ObjectIdentifier> = [
    .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
    .X509ExtensionID.subjectAlternativeName,
  ]
}
