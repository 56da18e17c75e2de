public import Foundation
internal import SwiftASN1
internal import X509

/// Issues client and server certificates and revocation lists (RFC 5280) with an ``AuthorityKey``.
public struct CertificateAuthority: Sendable {
  /// The authority's own certificate and those above it, in DER, nearest first.
  public let chain: [[UInt8]]
  /// The `http` URL of the revocation list, included in every certificate issued from now on; nil for none.
  public var revocationListURL: String?
  /// The `http` URL of the OCSP responder, included in every client's certificate issued from now on; nil for none. A server's
  /// certificate has none: it is not recorded, and a responder would not know it.
  public var statusURL: String?
  /// The `http` URL of this authority's certificate in DER, included in every certificate issued from now on; nil for none.
  public var issuerURL: String?
  /// The authority's key.
  let key: any AuthorityKey
  let certificate: Certificate
  let signer: AuthoritySigner

  /// Creates an authority from its certificate chain.
  ///
  /// - Throws: `.misuse` unless the first certificate is an authority's with this key, and each is signed by the next.
  public init(chain: [[UInt8]], key: any AuthorityKey) throws(AuthorityError) {
    let signer = try AuthoritySigner(key)
    var certificates: [Certificate] = []
    for (place, der) in chain.enumerated() {
      guard let certificate = try? Certificate(derEncoded: der) else {
        throw .misuse("certificate \(place + 1) of the authority's chain cannot be read")
      }
      // Before what else is wrong with a chain: one in the wrong order has another authority's certificate first.
      guard place > 0 || certificate.publicKey == signer.publicKey else {
        throw .misuse("the authority's certificate, the first of the chain, is for another key")
      }
      try Self.checkAuthority(certificate, place: place)
      certificates.append(certificate)
    }
    guard let first = certificates.first else { throw .misuse("give the authority's certificate") }
    for (lower, upper) in zip(certificates, certificates.dropFirst())
    where lower.issuer != upper.subject || !upper.publicKey.isValidSignature(lower.signature, for: lower) {
      throw .misuse("a certificate of the authority's chain was not issued by the next one: order it nearest first")
    }
    self.chain = chain
    self.key = key
    self.signer = signer
    certificate = first
    let last = certificates[certificates.count - 1]
    isComplete = last.issuer == last.subject && last.publicKey.isValidSignature(last.signature, for: last)
  }

  /// Creates an authority with a self-signed certificate: valid ten years, path length 0.
  ///
  /// - Parameter serial: 16 to 20 random bytes, the first below 0x80 and not 0.
  public init(name: String, key: any AuthorityKey, now: Date, serial: [UInt8]) throws(AuthorityError) {
    let signer = try AuthoritySigner(key)
    let subject: DistinguishedName
    do { subject = try DistinguishedName { CommonName(name) } } catch { throw .misuse("no name for an authority") }
    // The validity starts an hour back for peers with slow clocks.
    let der = try Self.issue(
      subject: subject, publicKey: signer.publicKey, serial: serial, issuer: subject, signer: signer,
      notBefore: now.addingTimeInterval(-3600), notAfter: now.addingTimeInterval(10 * 365.25 * 86_400)
    ) {
      try $0.append(Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0)).makeCertificateExtension())
      try $0.append(Critical(KeyUsage(keyCertSign: true, cRLSign: true)).makeCertificateExtension())
      try $0.append(SubjectKeyIdentifier(hash: signer.publicKey).makeCertificateExtension())
    }
    try self.init(chain: [der], key: key)
  }

  /// Whether the chain ends in a self-signed certificate. Peers that verify against an incomplete chain, first this server,
  /// refuse all issued certificates: they look for the last one's issuer.
  public let isComplete: Bool

  /// The end of the authority's own certificate. No issued certificate may end later.
  public var notAfter: Date { certificate.notValidAfter }

  /// The authority key identifier of issued certificates (RFC 5280 4.2.1.1).
  var keyIdentifier: ArraySlice<UInt8> {
    let stated = try? certificate.extensions.subjectKeyIdentifier
    return (stated ?? SubjectKeyIdentifier(hash: certificate.publicKey)).keyIdentifier
  }

  /// The key identifier of issued certificates' issuer (RFC 5280 4.2.1.1), by which several authorities are told apart.
  public var identifier: [UInt8] { Array(keyIdentifier) }

  /// Whether a certificate in DER is an authority's.
  public static func isAuthority(_ certificate: [UInt8]) -> Bool {
    guard let certificate = try? Certificate(derEncoded: certificate) else { return false }
    if case .isCertificateAuthority? = try? certificate.extensions.basicConstraints { return true }
    return false
  }

  private static func checkAuthority(_ certificate: Certificate, place: Int) throws(AuthorityError) {
    guard case .isCertificateAuthority(let below)? = try? certificate.extensions.basicConstraints,
      below.map({ $0 >= place }) ?? true
    else { throw .misuse("certificate \(place + 1) of the authority's chain is no authority's for what is below it") }
    let usage = try? certificate.extensions.keyUsage ?? KeyUsage(keyCertSign: true, cRLSign: true)
    guard let usage, usage.keyCertSign, usage.cRLSign || place > 0 else {
      throw .misuse("the key of certificate \(place + 1) of the authority's chain may not sign certificates and lists")
    }
  }
}
