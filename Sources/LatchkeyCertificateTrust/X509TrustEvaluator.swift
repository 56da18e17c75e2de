internal import LatchkeyKeychainModel
internal import X509

/// Validates chains: finds paths from the leaf to an anchor and applies the rules to each, until one passes.
///
/// The module does not use swift-certificates' `Verifier`. That is `async`, while Apple's blocking calls come from any thread,
/// also of the cooperative pool, where waiting for a Task may deadlock. It also tries every path, and a few dozen certificates
/// of a hostile peer make far too many. This search is bounded and synchronous, over that library's certificates and
/// signatures.
struct X509TrustEvaluator: TrustEvaluator {
  /// The maximum number of certificates in a question; no real peer needs more.
  static let mostCertificates = 128
  /// The maximum length of a certificate in bytes, as for `SecCertificate`.
  static let longestCertificate = 256 * 1024

  func evaluate(_ question: TrustQuestion) -> TrustVerdict {
    guard question.certificates.count <= Self.mostCertificates, question.anchors.count <= Self.mostCertificates else {
      return .refused(
        .tooMuch, chain: [],
        detail: "there are more than \(Self.mostCertificates) certificates: give those of one chain")
    }
    guard let first = question.certificates.first, let leaf = ChainCertificate(der: first) else {
      return .refused(.invalid, chain: [], detail: "the certificate cannot be read")
    }
    // An unreadable certificate cannot be an issuer, so it is skipped.
    let others = question.certificates.dropFirst().compactMap { ChainCertificate(der: $0) }
    var anchors = question.anchors.compactMap { ChainCertificate(der: $0) }
    if question.includesSystemAnchors {
      anchors += SystemAnchors.shared.certificates(leadingFrom: [leaf] + others)
    }
    let rules = PathRules(time: question.time, purposes: question.purposes)
    var search = PathSearch(leaf: leaf, intermediates: others, anchors: anchors)
    var best: (refusal: TrustRefusal, path: [ChainCertificate], detail: String)?
    while let path = search.next() {
      guard let fault = rules.fault(in: path) else { return .trusted(chain: path.map(\.der)) }
      if best == nil { best = (fault.refusal, path, fault.detail) }
    }
    if let best { return .refused(best.refusal, chain: best.path.map(\.der), detail: best.detail) }
    return refusal(of: search, rules)
  }

  var systemAnchors: [[UInt8]] { SystemAnchors.shared.all.map(\.der) }

  /// The reason for finding no path: a fault of the longest partial path, else the missing issuer or anchor.
  private func refusal(of search: PathSearch, _ rules: PathRules) -> TrustVerdict {
    let chain = search.longest.map(\.der)
    if let fault = rules.fault(in: search.longest, isAnchored: false), fault.refusal.comesBeforeAnchors {
      return .refused(fault.refusal, chain: chain, detail: fault.detail)
    }
    if search.isExhausted {
      return .refused(
        .tooMuch, chain: chain, detail: "there are too many ways through these certificates to try them all")
    }
    let end = search.longest.last
    if end?.isSelfIssued ?? false {
      return .refused(.noAnchor, chain: chain, detail: "\(end?.name ?? "the root") is not among the roots to trust")
    }
    return .refused(
      .noIssuer, chain: chain, detail: "the issuer of \(end?.name ?? "the certificate") is neither given nor trusted")
  }
}

extension TrustRefusal {
  /// Whether this refusal is reported in preference to a missing anchor (the order of Apple's SecPolicyChecks.list).
  fileprivate var comesBeforeAnchors: Bool {
    switch self {
    case .hostMismatch, .expired, .notYetValid, .weakKey, .weakSignature, .keyUsage, .usage, .noAuthority, .pathLength:
      true
    case .noAnchor, .noIssuer, .criticalExtension, .nameConstraints, .tooMuch, .invalid: false
    }
  }
}
