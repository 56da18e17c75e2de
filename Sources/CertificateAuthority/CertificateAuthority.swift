public import Foundation

/// Issues client and server certificates, and revocation lists (RFC 5280), with a key that lies where ``AuthorityKey`` says.
public struct CertificateAuthority: Sendable {
  /// The authority's own certificate and those above it, DER, nearest first.
  public let chain: [[UInt8]]
  let key: any AuthorityKey

  /// An authority from its certificate.
  ///
  /// - Throws: `.misuse` unless the first certificate is an authority's, for this key, and each is signed by the next.
  public init(chain: [[UInt8]], key: any AuthorityKey) throws(AuthorityError) {
    throw .misuse("not there yet")
  }

  /// A new authority that signs its own certificate: ten years, no authority below it.
  public init(name: String, key: any AuthorityKey, now: Date, serial: [UInt8]) throws(AuthorityError) {
    throw .misuse("not there yet")
  }

  /// Checks a PKCS#10 request: size, P-256, its own signature.
  ///
  /// - Returns: X9.63 of its public key, 65 bytes. Names and extensions it asks for are not looked at.
  public static func publicKey(ofRequest der: [UInt8]) throws(AuthorityError) -> [UInt8] {
    throw .misuse("not there yet")
  }

  /// Issues a client's certificate: subject `CN=device, O=user`, key usage digitalSignature, extended clientAuth.
  ///
  /// - Parameters:
  ///   - publicKey: X9.63, 65 bytes.
  ///   - serial: 16 to 20 random bytes, the first below 0x80 and not 0.
  /// - Returns: DER.
  public func issueClient(
    device: String, user: String, publicKey: [UInt8], serial: [UInt8], notBefore: Date, notAfter: Date
  ) throws(AuthorityError) -> [UInt8] {
    throw .misuse("not there yet")
  }

  /// Issues a server's certificate for host names and addresses: extended serverAuth.
  public func issueServer(
    names: [String], publicKey: [UInt8], serial: [UInt8], notBefore: Date, notAfter: Date
  ) throws(AuthorityError) -> [UInt8] {
    throw .misuse("not there yet")
  }

  /// A revocation list, DER (RFC 5280 5).
  public func revocationList(
    of revoked: [RevokedCertificate], number: Int64, thisUpdate: Date, nextUpdate: Date
  ) throws(AuthorityError) -> [UInt8] {
    throw .misuse("not there yet")
  }
}

/// A line of a revocation list.
public struct RevokedCertificate: Sendable, Hashable {
  /// The serial number, big endian.
  public var serial: [UInt8]
  /// When.
  public var date: Date
  /// CRLReason; nil for unspecified.
  public var reason: Int?

  /// A line.
  public init(serial: [UInt8], date: Date, reason: Int?) {
    self.serial = serial
    self.date = date
    self.reason = reason
  }
}

/// Why the authority did not do what it was asked.
public enum AuthorityError: Error, Hashable, Sendable {
  /// The signing request was refused: why.
  case invalidRequest(String)
  /// The caller's misuse: what to do instead.
  case misuse(String)
  /// The authority's key did not sign: what it said.
  case keyUnavailable(String)
}
