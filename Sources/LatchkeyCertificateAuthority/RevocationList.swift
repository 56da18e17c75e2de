public import Foundation
internal import SwiftASN1
internal import X509

/// An entry of a revocation list.
public struct RevokedCertificate: Sendable, Hashable {
  /// The serial number, big endian.
  public var serial: [UInt8]
  /// The date of revocation.
  public var date: Date
  /// CRLReason; nil for unspecified.
  public var reason: Int?

  /// Creates an entry.
  public init(serial: [UInt8], date: Date, reason: Int?) {
    self.serial = serial
    self.date = date
    self.reason = reason
  }
}

extension CertificateAuthority {
  /// Creates and signs a revocation list in DER (RFC 5280 5).
  ///
  /// - Parameters:
  ///   - revoked: the entries, each serial number once.
  ///   - number: 0 or greater, and greater than the number of every earlier list with other entries.
  public func revocationList(
    of revoked: [RevokedCertificate], number: Int64, thisUpdate: Date, nextUpdate: Date
  ) throws(AuthorityError) -> [UInt8] {
    guard number >= 0 else { throw .misuse("a revocation list's number is not negative") }
    guard thisUpdate < nextUpdate else { throw .misuse("a revocation list's next update is after this one") }
    for line in revoked {
      guard !line.serial.isEmpty, line.serial.count <= 20 else { throw .misuse("a serial number has 1 to 20 bytes") }
      // 7 is unused, 8 is for delta lists.
      if let reason = line.reason, !(0...10).contains(reason) || reason == 7 || reason == 8 {
        throw .misuse("there is no such reason to revoke: \(reason)")
      }
    }
    let list = RevocationList(
      issuer: certificate.subject, keyIdentifier: keyIdentifier, revoked: revoked, number: number,
      thisUpdate: thisUpdate, nextUpdate: nextUpdate)
    do {
      var body = DER.Serializer()
      try body.serialize(list)
      return try signer.signed(body.serializedBytes)
    } catch let error as AuthorityError {
      throw error
    } catch {
      throw .misuse("this cannot be put into a revocation list: \(error)")
    }
  }
}

/// TBSCertList (RFC 5280 5.1.2), version 2.
struct RevocationList: DERSerializable {
  let issuer: DistinguishedName
  let keyIdentifier: ArraySlice<UInt8>
  let revoked: [RevokedCertificate]
  let number: Int64
  let thisUpdate: Date
  let nextUpdate: Date

  func serialize(into coder: inout DER.Serializer) throws {
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      try coder.serialize(1)
      try Self.serializeAlgorithm(into: &coder)
      try coder.serialize(issuer)
      try DERTime(thisUpdate).serialize(into: &coder)
      try DERTime(nextUpdate).serialize(into: &coder)
      // 5.1.2.6: an empty list of revoked certificates is omitted.
      if !revoked.isEmpty {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
          for line in revoked { try Self.serialize(line, into: &coder) }
        }
      }
      try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
        try coder.appendConstructedNode(identifier: .sequence) { coder in
          try coder.serialize(AuthorityKeyIdentifier(keyIdentifier: keyIdentifier).makeCertificateExtension())
          try coder.serialize(Self.numberExtension(number))
        }
      }
    }
  }

  /// ecdsa-with-SHA256, without parameters (RFC 5758 3.2).
  static func serializeAlgorithm(into coder: inout DER.Serializer) throws {
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      try coder.serialize([1, 2, 840, 10045, 4, 3, 2] as ASN1ObjectIdentifier)
    }
  }

  private static func serialize(_ line: RevokedCertificate, into coder: inout DER.Serializer) throws {
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      try coder.serialize(Certificate.SerialNumber(bytes: line.serial).bytes)
      try DERTime(line.date).serialize(into: &coder)
      // 5.3.1: the reason "unspecified" is omitted.
      guard let reason = line.reason, reason != 0 else { return }
      try coder.appendConstructedNode(identifier: .sequence) { coder in
        let enumerated: [UInt8] = [0x0A, 0x01, UInt8(truncatingIfNeeded: reason)]
        try coder.serialize(Certificate.Extension(oid: [2, 5, 29, 21], critical: false, value: enumerated[...]))
      }
    }
  }

  /// CRLNumber (5.2.3).
  private static func numberExtension(_ number: Int64) throws -> Certificate.Extension {
    var integer = DER.Serializer()
    try integer.serialize(number)
    return Certificate.Extension(oid: [2, 5, 29, 20], critical: false, value: integer.serializedBytes[...])
  }
}
