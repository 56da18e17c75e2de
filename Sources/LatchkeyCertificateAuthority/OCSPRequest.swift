internal import Crypto
internal import SwiftASN1

/// A certificate in an OCSP request (RFC 6960 4.1.1, CertID): hashes of its issuer's name and key, and its serial number.
public struct OCSPCertificateID: Sendable, Hashable {
  /// The digest algorithm of the two hashes.
  public enum Digest: Sendable, Hashable {
    /// SHA-1, which RFC 5019 2.1.1 requires. It only identifies an issuer here.
    case sha1
    /// SHA-256, which RFC 9654 recommends.
    case sha256
  }

  /// The digest algorithm of the two hashes; nil for one that the responder does not know.
  public let digest: Digest?
  /// The serial number: big endian, as in the certificate.
  public let serial: [UInt8]
  let nameHash: [UInt8]
  let keyHash: [UInt8]
  /// The element as it was sent, which a response repeats (RFC 6960 4.2.1).
  let encoded: [UInt8]
}

/// An OCSP request (RFC 6960 4.1.1). A signature of the requester and its name are ignored, as RFC 5019 2.1.2 permits.
public struct OCSPRequest: Sendable {
  /// The maximum length of a request, in bytes.
  public static var longest: Int { 8 * 1024 }
  /// The maximum number of certificates in a request.
  public static var most: Int { 16 }

  /// The certificates, 1 to ``most``.
  public let certificates: [OCSPCertificateID]
  /// The nonce, 1 to 128 bytes (RFC 9654 2.1), which the response repeats; nil for none.
  public let nonce: [UInt8]?

  /// Decodes a request.
  ///
  /// - Parameter der: at most ``longest`` bytes.
  /// - Throws: `.invalidRequest`.
  public init(der: [UInt8]) throws(AuthorityError) {
    guard der.count <= Self.longest else {
      throw .invalidRequest("an OCSP request has at most \(Self.longest) bytes")
    }
    do { self = try Self.decode(DER.parse(der)) } catch let error as AuthorityError { throw error } catch {
      throw .invalidRequest("this is no OCSP request in DER")
    }
  }

  private init(certificates: [OCSPCertificateID], nonce: [UInt8]?) {
    self.certificates = certificates
    self.nonce = nonce
  }

  private static func decode(_ node: ASN1Node) throws -> OCSPRequest {
    try DER.sequence(node, identifier: .sequence) { whole in
      guard let first = whole.next() else { throw unreadable }
      let request = try DER.sequence(first, identifier: .sequence) { try body(&$0) }
      // The signature, of which only the form is checked.
      _ = try DER.optionalExplicitlyTagged(&whole, tagNumber: 0, tagClass: .contextSpecific) { $0 }
      return request
    }
  }

  private static func body(_ parts: inout ASN1NodeCollection.Iterator) throws -> OCSPRequest {
    let version = try DER.optionalExplicitlyTagged(&parts, tagNumber: 0, tagClass: .contextSpecific) {
      try Int(derEncoded: $0)
    }
    guard version ?? 0 == 0 else { throw AuthorityError.invalidRequest("an OCSP request is of version 1") }
    _ = try DER.optionalExplicitlyTagged(&parts, tagNumber: 1, tagClass: .contextSpecific) { $0 }
    guard let list = parts.next() else { throw unreadable }
    let certificates = try certificates(list)
    let nonce =
      try DER.optionalExplicitlyTagged(&parts, tagNumber: 2, tagClass: .contextSpecific) { try self.nonce($0) } ?? nil
    return OCSPRequest(certificates: certificates, nonce: nonce)
  }

  private static func certificates(_ list: ASN1Node) throws -> [OCSPCertificateID] {
    try DER.sequence(list, identifier: .sequence) { requests in
      var all: [OCSPCertificateID] = []
      while let request = requests.next() {
        guard all.count < most else {
          throw AuthorityError.invalidRequest("an OCSP request is about at most \(most) certificates")
        }
        try DER.sequence(request, identifier: .sequence) { parts in
          guard let certificate = parts.next() else { throw unreadable }
          all.append(try OCSPCertificateID(certificate))
          _ = try DER.optionalExplicitlyTagged(&parts, tagNumber: 0, tagClass: .contextSpecific) { $0 }
        }
      }
      guard !all.isEmpty else { throw AuthorityError.invalidRequest("an OCSP request is about a certificate") }
      return all
    }
  }

  /// The value of the nonce among the extensions. Others are ignored, unless they are critical and unknown (RFC 6960 4.4).
  private static func nonce(_ extensions: ASN1Node) throws -> [UInt8]? {
    try DER.sequence(extensions, identifier: .sequence) { list in
      var nonce: [UInt8]?
      while let node = list.next() {
        let (name, value) = try DER.sequence(node, identifier: .sequence) { parts in
          let name = try ASN1ObjectIdentifier(derEncoded: &parts)
          let isCritical = try DER.decodeDefault(&parts, identifier: .boolean, defaultValue: false) {
            try Bool(derEncoded: $0)
          }
          guard !isCritical || OCSPIdentifier.known.contains(name) else {
            throw AuthorityError.invalidRequest("an OCSP request has a critical extension that is not known: \(name)")
          }
          return (name, try ASN1OctetString(derEncoded: &parts))
        }
        guard name == OCSPIdentifier.nonce else { continue }
        // Twice is as bad as a nonce that is not one: which of them would a response repeat?
        guard nonce == nil else { throw unreadable }
        let bytes = Array(try ASN1OctetString(derEncoded: Array(value.bytes)).bytes)
        guard (1...128).contains(bytes.count) else {
          throw AuthorityError.invalidRequest("the nonce of an OCSP request has 1 to 128 bytes (RFC 9654 2.1)")
        }
        nonce = bytes
      }
      return nonce
    }
  }

  private static var unreadable: AuthorityError { .invalidRequest("this is no OCSP request in DER") }
}

extension OCSPCertificateID {
  fileprivate init(_ node: ASN1Node) throws {
    self = try DER.sequence(node, identifier: .sequence) { parts in
      guard let algorithm = parts.next() else {
        throw AuthorityError.invalidRequest("this is no certificate of an OCSP request")
      }
      let name = try DER.sequence(algorithm, identifier: .sequence) { algorithm in
        let name = try ASN1ObjectIdentifier(derEncoded: &algorithm)
        // Parameters are NULL or absent.
        _ = algorithm.next()
        return name
      }
      let nameHash = try ASN1OctetString(derEncoded: &parts)
      let keyHash = try ASN1OctetString(derEncoded: &parts)
      let serial = try ArraySlice<UInt8>(derEncoded: &parts)
      var serializer = DER.Serializer()
      serializer.serialize(node)
      return OCSPCertificateID(
        digest: [OCSPIdentifier.sha1: .sha1, OCSPIdentifier.sha256: .sha256][name], serial: Array(serial),
        nameHash: Array(nameHash.bytes), keyHash: Array(keyHash.bytes), encoded: serializer.serializedBytes)
    }
  }

  /// Whether an issuer with this name in DER and this key in X9.63 form is the certificate's.
  func isIssued(byName name: [UInt8], key: [UInt8]) -> Bool {
    switch digest {
    case .sha1: Insecure.SHA1.hash(data: name) == nameHash && Insecure.SHA1.hash(data: key) == keyHash
    case .sha256: SHA256.hash(data: name) == nameHash && SHA256.hash(data: key) == keyHash
    case nil: false
    }
  }
}

/// Object identifiers of OCSP.
enum OCSPIdentifier {
  static let basic: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]
  static let nonce: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]
  /// Extensions that a response may ignore, although they are critical: which kinds of responses and signatures the client
  /// understands, where another responder is (RFC 6960 4.4.3, 4.4.6, 4.4.7.1), and the nonce.
  static let known: Set<ASN1ObjectIdentifier> = [
    nonce, [1, 3, 6, 1, 5, 5, 7, 48, 1, 4], [1, 3, 6, 1, 5, 5, 7, 48, 1, 7], [1, 3, 6, 1, 5, 5, 7, 48, 1, 8],
  ]
  static let noCheck: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 5]
  static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
  static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
}
