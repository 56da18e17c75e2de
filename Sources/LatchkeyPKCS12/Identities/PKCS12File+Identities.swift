import Crypto

extension PKCS12File {
  /// Each key that has a certificate, with it and its chain, in the order of the keys.
  ///
  /// A certificate belongs to a key if it has the key's public half; among several, one with the key's local identifier
  /// comes first. Only for a key whose algorithm is not known here (anything but RSA, elliptic curves with a name, Ed25519
  /// and X25519) the identifier is believed. Nothing of the chain is verified: who trusts it must. It ends
  /// after 32 issuers.
  public var identities: [Identity] {
    let fields = certificates.map { PairingCertificate($0.der) }
    return identityIndices(fields).map { pair in
      Identity(
        key: keys[pair.key], certificate: certificates[pair.certificate],
        chain: chain(from: pair.certificate, fields).map { certificates[$0] })
    }
  }

  /// Where each key and its certificate stand.
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

  /// More issuers than any chain has that somebody verifies.
  static var longestChain: Int { 32 }

  /// The issuers of the certificate at `leaf`, nearest first, each once.
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
  /// The SHA-1 that other writers use as a local key identifier.
  var fingerprint: [UInt8] { [UInt8](Insecure.SHA1.hash(data: der)) }
}
