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
    let rules = PathRules(time: question.time, purposes: question.purposes, excuses: question.excuses)
    var search = PathSearch(leaf: leaf, intermediates: others, anchors: anchors)
    var best: (fault: PathRules.Fault, path: [ChainCertificate])?
    while let path = search.next() {
      guard let fault = rules.fault(in: path) else { return .trusted(chain: path.map(\.der)) }
      if best == nil { best = (fault, path) }
    }
    if let best { return refusal(best.fault, of: best.path) }
    return verdict(withoutAnchorBy: search, rules)
  }

  var systemAnchors: [[UInt8]] { SystemAnchors.shared.all.map(\.der) }

  /// The verdict on the longest partial path, where none leads to an anchor: a fault of it, else the missing issuer or anchor.
  /// Where that is excused, the rules that come after it decide.
  private func verdict(withoutAnchorBy search: PathSearch, _ rules: PathRules) -> TrustVerdict {
    let path = search.longest
    let fault = rules.fault(in: path, isAnchored: false)
    if let fault, fault.refusal.comesBeforeAnchors { return refusal(fault, of: path) }
    let chain = path.map(\.der)
    if search.isExhausted {
      return .refused(
        .tooMuch, chain: chain, detail: "there are too many ways through these certificates to try them all")
    }
    guard let end = path.last else { return .refused(.invalid, chain: [], detail: "there is no certificate") }
    let missing =
      end.isSelfIssued
      ? rules.fault(.noAnchor, of: end, "\(end.name) is not among the roots to trust")
      : rules.fault(.noIssuer, of: end, "the issuer of \(end.name) is neither given nor trusted")
    if let fault = missing ?? fault { return refusal(fault, of: path) }
    return .trusted(chain: chain)
  }

  private func refusal(_ fault: PathRules.Fault, of path: [ChainCertificate]) -> TrustVerdict {
    .refused(fault.refusal, chain: path.map(\.der), detail: fault.detail, of: fault.certificate?.der)
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
