internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel
internal import SwiftASN1
internal import X509

/// The rules of a trusted path (RFC 5280 6.1, for a verifier without policies of its own).
struct PathRules {
  /// Why a path is not trusted.
  struct Fault {
    let refusal: TrustRefusal
    let detail: String
    /// The certificate that has the fault; nil if it is the fault of the path as a whole.
    let certificate: ChainCertificate?
  }

  /// Seconds since 1970.
  let time: Int64
  /// The purposes that the leaf must be valid for, all of them.
  let purposes: [TrustQuestion.Purpose]
  /// The faults to pass over.
  let excuses: Set<TrustExcuse>

  /// Returns the first fault of `path` that is not excused, leaf first, in the order of Apple's SecPolicyChecks.list; nil if the
  /// path is trusted.
  ///
  /// - Parameter isAnchored: whether its last certificate is an anchor.
  func fault(in path: [ChainCertificate], isAnchored: Bool = true) -> Fault? {
    guard let leaf = path.first else { return nil }
    return host(of: leaf) ?? validity(of: path) ?? strength(of: path, isAnchored) ?? issuing(path)
      ?? usage(of: path, isAnchored) ?? authority(of: path, isAnchored) ?? extensions(of: path)
      ?? NameConstraintRules.fault(in: path, by: self)
  }

  /// The fault of `certificate`, or nil if it is excused.
  func fault(_ refusal: TrustRefusal, of certificate: ChainCertificate, _ detail: String) -> Fault? {
    isExcused(refusal, of: certificate)
      ? nil : Fault(refusal: refusal, detail: detail, certificate: certificate)
  }

  /// Whether the fault of `certificate` is excused.
  func isExcused(_ refusal: TrustRefusal, of certificate: ChainCertificate) -> Bool {
    // Hashing is left out where nothing is excused, which is nearly always.
    !excuses.isEmpty && excuses.contains(TrustExcuse(refusal, digest: DigestAlgorithm.sha256.hash(certificate.der)))
  }

  private func host(of leaf: ChainCertificate) -> Fault? {
    for case .server(let name?) in purposes {
      let host = HostName(name)
      if let host, leaf.names.contains(where: { host.isNamed(by: $0) }) { continue }
      let detail =
        host.map { "\(leaf.name) is not the certificate of \($0)" } ?? "this is no name of a host and no address"
      if let fault = fault(.hostMismatch, of: leaf, detail) { return fault }
    }
    return nil
  }

  private func validity(of path: [ChainCertificate]) -> Fault? {
    for certificate in path {
      if time > certificate.notAfter, let fault = fault(.expired, of: certificate, "\(certificate.name) has expired") {
        return fault
      }
      if time < certificate.notBefore,
        let fault = fault(.notYetValid, of: certificate, "\(certificate.name) is not valid yet")
      {
        return fault
      }
    }
    return nil
  }

  /// RSA keys below 1024 bits are refused, for TLS below 2048. For TLS, SHA-1 signatures are refused except an anchor's, which
  /// is not verified.
  private func strength(of path: [ChainCertificate], _ isAnchored: Bool) -> Fault? {
    let isForTLS = purposes.contains { $0 != .basic }
    for (place, certificate) in path.enumerated() {
      if let bits = certificate.bitsOfRSA, bits < (isForTLS ? 2048 : 1024),
        let fault = fault(.weakKey, of: certificate, "the key of \(certificate.name) has \(bits) bits alone")
      {
        return fault
      }
      let isAnchor = isAnchored && place == path.count - 1
      if isForTLS, !isAnchor, certificate.certificate.signatureAlgorithm == .sha1WithRSAEncryption,
        let fault = fault(.weakSignature, of: certificate, "\(certificate.name) is signed with SHA-1")
      {
        return fault
      }
    }
    return nil
  }

  /// Every issuer's key usage permits signing certificates (4.2.1.3).
  private func issuing(_ path: [ChainCertificate]) -> Fault? {
    for issuer in path.dropFirst() {
      var detail: String?
      do {
        if let usage = try issuer.certificate.extensions.keyUsage, !usage.keyCertSign {
          detail = "\(issuer.name) may not sign certificates"
        }
      } catch {
        detail = "the key usage of \(issuer.name) cannot be read"
      }
      if let detail, let fault = fault(.keyUsage, of: issuer, detail) { return fault }
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
      let detail: String
      do {
        guard let usages = try certificate.certificate.extensions.extendedKeyUsage else { continue }
        if needed.allSatisfy({ usages.contains($0) || usages.contains(.any) }) { continue }
        detail = "\(certificate.name) may not be used for this"
      } catch {
        detail = "the extended key usage of \(certificate.name) cannot be read"
      }
      if let fault = fault(.usage, of: certificate, detail) { return fault }
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
      if case .isCertificateAuthority(let longest)? = try? issuer.certificate.extensions.basicConstraints {
        if let longest, longest < below,
          let fault = fault(.pathLength, of: issuer, "\(issuer.name) does not allow \(below) authorities below it")
        {
          return fault
        }
      } else if let fault = fault(.noAuthority, of: issuer, "\(issuer.name) is no authority") {
        return fault
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
        let detail = "\(certificate.name) has a critical extension \(found.oid) that is not known"
        if let fault = fault(.criticalExtension, of: certificate, detail) { return fault }
      }
      do {
        _ = try certificate.certificate.extensions.subjectAlternativeNames
      } catch {
        let detail = "the alternative names of \(certificate.name) cannot be read"
        if let fault = fault(.invalid, of: certificate, detail) { return fault }
      }
      if certificate.certificate.version == .v1, !certificate.certificate.extensions.isEmpty,
        let fault = fault(
          .invalid, of: certificate, "\(certificate.name) has extensions, which its version does not have")
      {
        return fault
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
