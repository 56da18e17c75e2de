import Crypto

extension PKCS12File {
  /// The keys that have a certificate, each with it and its chain, in the order of the keys.
  ///
  /// A certificate matches a key if it contains the key's public key; among several, one with the key's local identifier is
  /// preferred. The identifier alone decides only for a key of an unknown algorithm (other than RSA, named elliptic curves,
  /// Ed25519 and X25519). The chain is not verified; the caller must verify it before trusting it. It ends after 32 issuers.
  public var identities: [Identity] {
    let fields = certificates.map { PairingCertificate($0.der) }
    return identityIndices(fields).map { pair in
      Identity(
        key: keys[pair.key], certificate: certificates[pair.certificate],
        chain: chain(from: pair.certificate, fields).map { certificates[$0] })
    }
  }

  /// The indices of each key and its certificate.
  var identityIndices: [(key: Int, certificate: Int)] {
    identityIndices(certificates.map { PairingCertificate($0.der) })
  }

  private func identityIndices(_ fields: [PairingCertificate?]) -> [(key: Int, certificate: Int)] {
    keys.indices.compactMap { key in
      certificate(for: keys[key], fields).map { (key, $0) }
    }
  }

  private func certificate(for key: Key, _ fields: [PairingCertificate?]) -> Int? {
    let labeled = certificates.indices.filter {
      key.localKeyID != nil && certificates[$0].localKeyID == key.localKeyID
    }
    guard let half = try? PublicHalf(pkcs8: key.pkcs8) else { return labeled.first }
    return labeled.first { fields[$0]?.publicKey == half } ?? fields.firstIndex { $0?.publicKey == half }
  }

  /// The maximum number of issuers in a chain, above real ones.
  static var longestChain: Int { 32 }

  /// Returns the issuers of the certificate at `leaf`, nearest first, each once.
  private func chain(from leaf: Int, _ fields: [PairingCertificate?]) -> [Int] {
    var chain: [Int] = []
    var (last, used) = (leaf, Set([leaf]))
    while chain.count < Self.longestChain, let current = fields[last], !current.isSelfIssued,
      let next = fields.indices.first(where: { !used.contains($0) && fields[$0]?.subject == current.issuer })
    {
      chain.append(next)
      used.insert(next)
      last = next
    }
    return chain
  }
}

extension PKCS12File.Certificate {
  /// The SHA-1 of the certificate, which other writers use as local key identifier.
  var fingerprint: [UInt8] { [UInt8](Insecure.SHA1.hash(data: der)) }
}
