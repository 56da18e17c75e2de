internal import Crypto
public import Foundation
internal import SwiftASN1
internal import X509

/// The status of a certificate in an OCSP response (RFC 6960 4.2.1).
public enum OCSPStatus: Sendable, Hashable {
  /// It was issued and not revoked.
  case good
  /// It was revoked at this date, for this CRLReason (RFC 5280 5.3.1); nil for unspecified.
  case revoked(Date, reason: Int?)
  /// The responder does not know it.
  case unknown
}

/// A response without content, which is not signed (RFC 6960 4.2.1).
public enum OCSPRefusal: UInt8, Sendable {
  /// The request is not one.
  case malformedRequest = 1
  /// The responder failed.
  case internalError = 2
  /// The responder cannot respond now.
  case tryLater = 3
  /// The responder does not know the certificates' issuer (RFC 5019 2.2.3).
  case unauthorized = 6

  /// OCSPResponse in DER.
  public var der: [UInt8] { [0x30, 0x03, 0x0A, 0x01, rawValue] }
}

/// A signed OCSP response.
public struct OCSPResponse: Sendable {
  /// OCSPResponse in DER.
  public let der: [UInt8]
  /// SHA-256 of all that is signed: equal for two responses that say the same, whose signatures differ.
  public let contentHash: [UInt8]
}

/// Signs OCSP responses for one authority: the authority itself, or a responder to which it delegates that (RFC 6960 4.2.2.2).
public struct OCSPResponder: Sendable {
  private let authority: CertificateAuthority
  private let signer: AuthoritySigner
  /// The delegated responder's certificate.
  private let certificate: [UInt8]?
  /// The end of the responder's certificate; of the authority's, if that signs itself.
  public let notAfter: Date

  /// A responder that signs with the authority's own key.
  public init(_ authority: CertificateAuthority) {
    self.authority = authority
    signer = authority.signer
    certificate = nil
    notAfter = authority.notAfter
  }

  /// A responder with a key of its own, to which the authority issues a certificate: extended key usage OCSPSigning, and no
  /// check of the certificate itself (RFC 6960 4.2.2.2.1), since it is short-lived.
  ///
  /// - Parameter serial: 16 to 20 random bytes, the first below 0x80 and not 0.
  public init(
    delegatedBy authority: CertificateAuthority, key: any AuthorityKey, serial: [UInt8], notBefore: Date,
    notAfter: Date
  ) throws(AuthorityError) {
    self.authority = authority
    signer = try AuthoritySigner(key)
    certificate = try authority.issueResponder(
      publicKey: key.publicKey, serial: serial, notBefore: notBefore, notAfter: notAfter)
    self.notAfter = notAfter
  }

  /// Whether the authority is the issuer of this certificate, as far as the request says.
  public func knows(_ certificate: OCSPCertificateID) -> Bool { authority.isIssuer(of: certificate) }

  /// Signs a response.
  ///
  /// - Parameters:
  ///   - statuses: a status for each certificate of the request, in its order. Certificates of other issuers are unknown.
  ///   - producedAt: the time of the response; `thisUpdate` and `nextUpdate`: between which the statuses are valid.
  public func response(
    to request: OCSPRequest, _ statuses: [OCSPStatus], producedAt: Date, thisUpdate: Date, nextUpdate: Date
  ) throws(AuthorityError) -> OCSPResponse {
    guard statuses.count == request.certificates.count else {
      throw .misuse("an OCSP response has a status for each certificate of its request")
    }
    guard thisUpdate < nextUpdate else { throw .misuse("an OCSP response's next update is after this one") }
    do {
      let data = try ResponseData(
        keyHash: Array(Insecure.SHA1.hash(data: signer.key.publicKey)), producedAt: OCSPTime(producedAt),
        lines: zip(request.certificates, statuses).map { certificate, status in
          .init(certificate: certificate, status: knows(certificate) ? status : .unknown)
        }, thisUpdate: OCSPTime(thisUpdate), nextUpdate: OCSPTime(nextUpdate), nonce: request.nonce)
      var body = DER.Serializer()
      try body.serialize(data)
      let basic = try signer.signed(body.serializedBytes) { coder in
        guard let certificate else { return }
        coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
          coder.appendConstructedNode(identifier: .sequence) { $0.serializeRawBytes(certificate) }
        }
      }
      return OCSPResponse(
        der: try Self.wrapped(basic), contentHash: Array(SHA256.hash(data: body.serializedBytes)))
    } catch let error as AuthorityError {
      throw error
    } catch {
      throw .misuse("this cannot be put into an OCSP response: \(error)")
    }
  }

  /// OCSPResponse: successful, of the basic type.
  private static func wrapped(_ basic: [UInt8]) throws -> [UInt8] {
    var whole = DER.Serializer()
    try whole.appendConstructedNode(identifier: .sequence) { coder in
      coder.appendPrimitiveNode(identifier: .enumerated) { $0.append(0) }
      try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
        try coder.appendConstructedNode(identifier: .sequence) { coder in
          try coder.serialize(OCSPIdentifier.basic)
          try coder.serialize(ASN1OctetString(contentBytes: basic[...]))
        }
      }
    }
    return whole.serializedBytes
  }
}

/// ResponseData (RFC 6960 4.2.1), version 1, of a responder that is named by its key.
private struct ResponseData: DERSerializable {
  struct Line {
    let certificate: OCSPCertificateID
    let status: OCSPStatus
  }

  let keyHash: [UInt8]
  let producedAt: OCSPTime
  let lines: [Line]
  let thisUpdate: OCSPTime
  let nextUpdate: OCSPTime
  let nonce: [UInt8]?

  func serialize(into coder: inout DER.Serializer) throws {
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      try coder.serialize(explicitlyTaggedWithTagNumber: 2, tagClass: .contextSpecific) {
        try $0.serialize(ASN1OctetString(contentBytes: keyHash[...]))
      }
      try coder.serialize(producedAt)
      try coder.appendConstructedNode(identifier: .sequence) { coder in
        for line in lines { try serialize(line, into: &coder) }
      }
      guard let nonce else { return }
      try coder.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) { coder in
        try coder.appendConstructedNode(identifier: .sequence) { coder in
          var value = DER.Serializer()
          try value.serialize(ASN1OctetString(contentBytes: nonce[...]))
          try coder.serialize(
            Certificate.Extension(oid: OCSPIdentifier.nonce, critical: false, value: value.serializedBytes[...]))
        }
      }
    }
  }

  /// SingleResponse.
  private func serialize(_ line: Line, into coder: inout DER.Serializer) throws {
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      coder.serializeRawBytes(line.certificate.encoded)
      switch line.status {
      case .good: coder.appendPrimitiveNode(identifier: Self.choice(0)) { _ in }
      case .unknown: coder.appendPrimitiveNode(identifier: Self.choice(2)) { _ in }
      case .revoked(let date, let reason):
        try coder.appendConstructedNode(identifier: Self.choice(1)) { coder in
          try coder.serialize(OCSPTime(date))
          guard let reason, reason != 0 else { return }
          coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) {
            $0.appendPrimitiveNode(identifier: .enumerated) { $0.append(UInt8(truncatingIfNeeded: reason)) }
          }
        }
      }
      try coder.serialize(thisUpdate)
      try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { try $0.serialize(nextUpdate) }
    }
  }

  private static func choice(_ number: UInt) -> ASN1Identifier {
    ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
  }
}

/// A time of OCSP: always GeneralizedTime, in whole seconds (RFC 6960 4.2.2.1).
private struct OCSPTime: DERSerializable {
  private let time: DERTime

  init(_ date: Date) throws(AuthorityError) { time = try DERTime(date) }

  func serialize(into coder: inout DER.Serializer) throws { try time.serializeGeneralized(into: &coder) }
}

extension CertificateAuthority {
  /// Whether a request's certificate was issued by this authority, as far as its hashes say.
  func isIssuer(of certificate: OCSPCertificateID) -> Bool {
    guard let name = try? DER.Serializer.serialized(element: self.certificate.subject) else { return false }
    return certificate.isIssued(byName: name, key: key.publicKey)
  }

  /// Issues the certificate of a delegated OCSP responder.
  func issueResponder(
    publicKey: [UInt8], serial: [UInt8], notBefore: Date, notAfter: Date
  ) throws(AuthorityError) -> [UInt8] {
    guard let point = try? P256.Signing.PublicKey(x963Representation: publicKey) else {
      throw .misuse("an OCSP responder's key is one of P-256")
    }
    guard notAfter <= self.notAfter else {
      throw .misuse("the authority's own certificate ends before: renew it first")
    }
    let subject: DistinguishedName
    do { subject = try DistinguishedName { CommonName("OCSP responder") } } catch { throw .misuse("no name") }
    let key = Certificate.PublicKey(point)
    return try Self.issue(
      subject: subject, publicKey: key, serial: serial, issuer: certificate.subject, signer: signer,
      notBefore: notBefore, notAfter: notAfter
    ) {
      try $0.append(Critical(BasicConstraints.notCertificateAuthority).makeCertificateExtension())
      try $0.append(Critical(KeyUsage(digitalSignature: true)).makeCertificateExtension())
      try $0.append(ExtendedKeyUsage([.ocspSigning]).makeCertificateExtension())
      // RFC 6960 4.2.2.2.1: NULL.
      $0.append(Certificate.Extension(oid: OCSPIdentifier.noCheck, critical: false, value: [0x05, 0x00]))
      try $0.append(SubjectKeyIdentifier(hash: key).makeCertificateExtension())
      try $0.append(AuthorityKeyIdentifier(keyIdentifier: keyIdentifier).makeCertificateExtension())
    }
  }
}

extension DER.Serializer {
  fileprivate static func serialized(element: some DERSerializable) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(element)
    return serializer.serializedBytes
  }
}
