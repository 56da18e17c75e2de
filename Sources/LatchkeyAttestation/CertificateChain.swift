import Crypto
import CryptoExtras
import SwiftASN1
import X509

import struct Foundation.Date

// RFC 5280 6.1 for chains of attestation keys: without policies, name constraints (certificates that have them are refused) or
// revocation. It is short and synchronous; X509's verifier is neither, and refuses TPM certificates.

extension CertificateFault: Error {}

/// A chain from an attested key's certificate, or that of an attestation key, to a root.
enum CertificateChain {
  /// What the authorities of a chain may issue, as far as they limit it (RFC 5280 4.2.1.12).
  enum Purpose {
    /// Certificates of attestation keys must be among it.
    case attestationKeys
    /// The roots are for this purpose alone.
    case anything
  }

  /// Validates every certificate of `chain` up to one of `roots`. `AttestationKeyCertificate` and `AppleEvidence` hold the further
  /// requirements for the first.
  static func check(
    _ chain: [Certificate], roots: [Certificate], for purpose: Purpose, at time: Date
  ) throws(AttestationError) {
    for (place, certificate) in chain.enumerated() {
      try Self.at(place) { () throws(CertificateFault) in
        if place > 0 { try checkAuthority(certificate, below: place - 1, for: purpose) }
        try checkCommon(certificate, at: time)
      }
      if place > 0, roots.contains(certificate) { return }
      if let root = roots.first(where: { isIssued(certificate, by: $0) }) {
        return try Self.at(place + 1) { () throws(CertificateFault) in
          try checkAuthority(root, below: place, for: purpose)
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

  /// Validates an authority's certificate that has `below` authorities below it.
  static func checkAuthority(
    _ certificate: Certificate, below: Int, for purpose: Purpose
  ) throws(CertificateFault) {
    guard certificate.version == .v3 else { throw .version }
    switch try? certificate.extensions.basicConstraints {
    case .isCertificateAuthority(let maximum)?:
      guard maximum.map({ $0 >= below }) ?? true else { throw .pathLength }
    default: throw .basicConstraints
    }
    guard let usage = try? certificate.extensions.keyUsage ?? KeyUsage(keyCertSign: true), usage.keyCertSign else {
      throw .keyUsage
    }
    // An authority limited to other uses does not issue attestation key certificates.
    guard purpose == .attestationKeys else { return }
    try AttestationKeyCertificate.checkUsage(certificate, mayBeAbsent: true)
  }

  /// Validates the requirements common to all certificates.
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

  /// Parses the certificates of a statement.
  static func certificates(_ encoded: [[UInt8]]) throws(AttestationError) -> [Certificate] {
    var chain: [Certificate] = []
    for (place, encoded) in encoded.enumerated() {
      try at(place) { () throws(CertificateFault) in chain.append(try certificate(encoded)) }
    }
    return chain
  }

  /// Parses a certificate with a canonical signature encoding. X509 accepts a BIT STRING with unused bits, and their count is
  /// not signed.
  static func certificate(_ encoded: [UInt8]) throws(CertificateFault) -> Certificate {
    guard let certificate = try? Certificate(derEncoded: encoded),
      encoded.suffix(from: max(0, encoded.count - certificate.signature.rawRepresentation.count - 1))
        .elementsEqual([0] + certificate.signature.rawRepresentation)
    else { throw .malformed }
    return certificate
  }

  /// Every curve supported here is strong. RSA is strong from 2048 bits.
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
