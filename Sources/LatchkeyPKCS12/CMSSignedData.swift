import LatchkeyByteCoding

/// Signed data of CMS (RFC 5652 5.1) and PKCS #7 (RFC 2315 9.1), as far as it carries certificates: files of them, .p7b and
/// .p7c, are such messages without content and without signatures (RFC 8551 3.8).
package enum CMSSignedData {
  /// Reads the certificates of a message. Content, revocation lists and signatures are skipped, and nothing is verified.
  ///
  /// - Parameter bytes: the message; DER, or BER with indefinite lengths, which programs write that sign as they read.
  /// - Returns: the X.509 certificates in the order of the message, not parsed; other kinds are skipped. nil for a message without
  ///   a list of certificates.
  /// - Throws: ``PKCS12Error``, within the limits of a PKCS #12 file; `.unsupported` for content that is not signed.
  package static func certificates(
    in bytes: [UInt8], limits: PKCS12Limits = PKCS12Limits()
  ) throws(PKCS12Error) -> [[UInt8]]? {
    guard bytes.count <= limits.fileSize else {
      throw .tooLarge("the message is longer than the limit (PKCS12Limits.fileSize)")
    }
    var whole = PKCS12Reader(bytes, rules: .ber, depth: limits.depth)
    var info = try whole.item(.sequence, "a message")
    try whole.finish("the message")
    let type = try info.identifier("the type of a message")
    guard type == .signedData else { throw .unsupported(type.name) }
    var explicit = try info.item(.context0, "the signed data")
    try info.finish("the signed data")
    var data = try explicit.item(.sequence, "the signed data")
    try explicit.finish("the signed data")
    // The version follows from what is in the message, and no reader needs it.
    _ = try data.number("the version of signed data")
    _ = try data.item(.set, "the digest algorithms")
    _ = try data.item(.sequence, "the signed content")
    let list = try data.comes(.context0) ? data.item(.context0, "the certificates") : nil
    if data.comes(.context1) { _ = try data.item(.context1, "the revocation lists") }
    _ = try data.item(.set, "the signatures")
    try data.finish("the parts of signed data")
    guard let list else { return nil }
    return try certificates(of: list, limits)
  }

  /// CertificateSet: a SET OF CertificateChoices (RFC 5652 10.2.3).
  private static func certificates(
    of list: PKCS12Reader, _ limits: PKCS12Limits
  ) throws(PKCS12Error) -> [[UInt8]] {
    var list = list
    var certificates: [[UInt8]] = []
    var count = 0
    while !list.isEmpty {
      count += 1
      guard count <= limits.bags else {
        throw .tooLarge("the message has more certificates than the limit (PKCS12Limits.bags)")
      }
      let choice = try list.element("a certificate")
      switch choice.tag {
      case ASN1Tag.sequence.rawValue:
        // What is signed in a certificate stays as it is, DER or not.
        var certificate = DEREncoder()
        certificate.item(.sequence, choice.content.bytes())
        certificates.append(certificate.bytes)
      // Extended certificates, attribute certificates of both versions, other formats (RFC 5652 10.2.2).
      case 0xA0...0xA3: continue
      default: throw .malformed("a certificate is of a kind that messages do not have")
      }
    }
    return certificates
  }

  /// Encodes certificates as a message without content and without signatures, in DER: the certificates are sorted by their
  /// bytes (X.690 11.6).
  ///
  /// - Parameter certificates: X.509 certificates in DER.
  package static func encoded(_ certificates: [[UInt8]]) -> [UInt8] {
    let sorted = certificates.sorted { $0.lexicographicallyPrecedes($1) }
    return DEREncoder.sequence { info in
      info.identifier(.signedData)
      info.nested(.context0) { explicit in
        explicit.nested(.sequence) { data in
          data.number(1)
          data.item(.set, [])
          data.nested(.sequence) { $0.identifier(.data) }
          data.item(.context0, Array(sorted.joined()))
          data.item(.set, [])
        }
      }
    }
  }
}
