internal import LatchkeyKeychainModel
internal import SwiftASN1
internal import X509

/// The rules of a trusted path (RFC 5280 6.1, for a verifier without policies of its own).
struct PathRules {
  /// Why a path is not trusted.
  struct Fault {
    let refusal: TrustRefusal
    let detail: String
  }

  /// Seconds since 1970.
  let time: Int64
  /// The purposes that the leaf must be valid for, all of them.
  let purposes: [TrustQuestion.Purpose]

  /// Returns the first fault of `path`, leaf first, in the order of Apple's SecPolicyChecks.list; nil if the path is trusted.
  ///
  /// - Parameter isAnchored: whether its last certificate is an anchor.
  func fault(in path: [ChainCertificate], isAnchored: Bool = true) -> Fault? {
    guard let leaf = path.first else { return nil }
    return host(of: leaf) ?? validity(of: path) ?? strength(of: path, isAnchored) ?? issuing(path)
      ?? usage(of: path, isAnchored) ?? authority(of: path, isAnchored) ?? extensions(of: path)
      ?? NameConstraintRules.fault(in: path)
  }

  private func host(of leaf: ChainCertificate) -> Fault? {
    for case .server(let host?) in purposes {
      guard let host = HostName(host) else {
        return Fault(refusal: .hostMismatch, detail: "this is no name of a host and no address")
      }
      guard leaf.names.contains(where: { host.isNamed(by: $0) }) else {
        return Fault(refusal: .hostMismatch, detail: "\(leaf.name) is not the certificate of \(host)")
      }
    }
    return nil
  }

  private func validity(of path: [ChainCertificate]) -> Fault? {
    for certificate in path {
      if time > certificate.notAfter { return Fault(refusal: .expired, detail: "\(certificate.name) has expired") }
      if time < certificate.notBefore {
        return Fault(refusal: .notYetValid, detail: "\(certificate.name) is not valid yet")
      }
    }
    return nil
  }

  /// RSA keys below 1024 bits are refused, for TLS below 2048. For TLS, SHA-1 signatures are refused except an anchor's, which
  /// is not verified.
  private func strength(of path: [ChainCertificate], _ isAnchored: Bool) -> Fault? {
    let isForTLS = purposes.contains { $0 != .basic }
    for (place, certificate) in path.enumerated() {
      if let bits = certificate.bitsOfRSA, bits < (isForTLS ? 2048 : 1024) {
        return Fault(refusal: .weakKey, detail: "the key of \(certificate.name) has \(bits) bits alone")
      }
      let isAnchor = isAnchored && place == path.count - 1
      if isForTLS, !isAnchor, certificate.certificate.signatureAlgorithm == .sha1WithRSAEncryption {
        return Fault(refusal: .weakSignature, detail: "\(certificate.name) is signed with SHA-1")
      }
    }
    return nil
  }

  /// Every issuer's key usage permits signing certificates (4.2.1.3).
  private func issuing(_ path: [ChainCertificate]) -> Fault? {
    for issuer in path.dropFirst() {
      do {
        if let usage = try issuer.certificate.extensions.keyUsage, !usage.keyCertSign {
          return Fault(refusal: .keyUsage, detail: "\(issuer.name) may not sign certificates")
        }
      } catch {
        return Fault(refusal: .keyUsage, detail: "the key usage of \(issuer.name) cannot be read")
      }
    }
    return nil
  }

  /// Extended key usages of the leaf and of the authorities below the anchor, where present, permit every purpose (4.2.1.12 for
  /// the leaf; for authorities, as browsers enforce it).
  private func usage(of path: [ChainCertificate], _ isAnchored: Bool) -> Fault? {
    let needed: [ExtendedKeyUsage.Usage] = purposes.compactMap {
      switch $0 {
      case .basic: nil
      case .server: .serverAuth
      case .client: .clientAuth
      }
    }
    guard !needed.isEmpty else { return nil }
    for certificate in isAnchored && path.count > 1 ? path.dropLast() : path[...] {
      do {
        guard let usages = try certificate.certificate.extensions.extendedKeyUsage else { continue }
        if needed.allSatisfy({ usages.contains($0) || usages.contains(.any) }) { continue }
        return Fault(refusal: .usage, detail: "\(certificate.name) may not be used for this")
      } catch {
        return Fault(refusal: .usage, detail: "the extended key usage of \(certificate.name) cannot be read")
      }
    }
    return nil
  }

  /// Every issuer is an authority, and its path length limit is met (4.2.1.9). An anchor of version 1, which has no extensions,
  /// passes.
  private func authority(of path: [ChainCertificate], _ isAnchored: Bool) -> Fault? {
    var below = 0
    for (place, issuer) in path.enumerated().dropFirst() {
      let isAnchor = isAnchored && place == path.count - 1
      if isAnchor, issuer.certificate.version == .v1 { continue }
      guard case .isCertificateAuthority(let longest)? = try? issuer.certificate.extensions.basicConstraints else {
        return Fault(refusal: .noAuthority, detail: "\(issuer.name) is no authority")
      }
      if let longest, longest < below {
        return Fault(refusal: .pathLength, detail: "\(issuer.name) does not allow \(below) authorities below it")
      }
      if !issuer.isSelfIssued { below += 1 }
    }
    return nil
  }

  /// Critical extensions are known ones, and the alternative names are readable. This verifier requires no policies, so
  /// certificate policies pass; extensions that require a policy are unknown and refused if critical.
  private func extensions(of path: [ChainCertificate]) -> Fault? {
    for certificate in path {
      for found in certificate.certificate.extensions where found.critical && !Self.known.contains(found.oid) {
        return Fault(
          refusal: .criticalExtension,
          detail: "\(certificate.name) has a critical extension \(found.oid) that is not known")
      }
      do {
        _ = try certificate.certificate.extensions.subjectAlternativeNames
      } catch {
        return Fault(refusal: .invalid, detail: "the alternative names of \(certificate.name) cannot be read")
      }
      if certificate.certificate.version == .v1, !certificate.certificate.extensions.isEmpty {
        return Fault(refusal: .invalid, detail: "\(certificate.name) has extensions, which its version does not have")
      }
    }
    return nil
  }

  private static let known: Set<ASN1ObjectIdentifier> = [
    .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
    .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.nameConstraints, .X509ExtensionID.subjectKeyIdentifier,
    .X509ExtensionID.authorityKeyIdentifier, [2, 5, 29, 18], [2, 5, 29, 32],
  ]
}

extension ChainCertificate {
  /// The alternative names; empty if the extension is absent or unreadable.
  var names: [GeneralName] { (try? certificate.extensions.subjectAlternativeNames).map { Array($0) } ?? [] }

  /// The bits of an RSA key's modulus; nil for other keys.
  var bitsOfRSA: Int? {
    // RSAPublicKey (RFC 8017 A.1.1) is the only SEQUENCE among the keys here: the others are points or raw bytes.
    guard let root = try? DER.parse(certificate.publicKey.subjectPublicKeyInfoBytes), root.identifier == .sequence,
      case .constructed(let numbers) = root.content, let modulus = Array(numbers).first,
      case .primitive(let bytes) = modulus.content
    else { return nil }
    let digits = bytes.drop { $0 == 0 }
    return digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
  }
}
