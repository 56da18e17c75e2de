internal import LatchkeyKeychainModel
internal import X509

/// Judges chains: finds paths from the leaf to an anchor and holds each to the rules, until one meets them all.
///
/// swift-certificates' own `Verifier` is not what drives this. It is `async`, and this is called by Apple's blocking calls on
/// any thread, the cooperative pool's too, where waiting for a Task could wait for ever; and its search tries every path,
/// of which a few dozen certificates of a hostile peer have more than anybody can try. So the search is one of this
/// module's, bounded and without waiting, over that library's certificates and signatures.
struct X509TrustEvaluator: TrustEvaluator {
  /// How many certificates may be given: more than any peer has use for.
  static let mostCertificates = 128
  /// How long one may be: that of `SecCertificate`.
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
    // What cannot be read is nobody's issuer.
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

  /// Why there is no path: what is wrong with the longest that was found, or that it ends too early.
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
  /// Whether this is told rather than that no anchor was reached (the order of Apple's SecPolicyChecks.list).
  fileprivate var comesBeforeAnchors: Bool {
    switch self {
    case .hostMismatch, .expired, .notYetValid, .weakKey, .weakSignature, .keyUsage, .usage, .noAuthority, .pathLength:
      true
    case .noAnchor, .noIssuer, .criticalExtension, .nameConstraints, .tooMuch, .invalid: false
    }
  }
}
