internal import X509

/// Finds the paths from a leaf to an anchor, one at a time, the likeliest first (RFC 4158).
///
/// The search matches names, key identifiers and signatures; ``PathRules`` validates a path afterwards. Hostile certificates
/// cannot make it slow: each pair's signature is verified once, and the signature checks and steps of all paths have limits.
struct PathSearch {
  /// The maximum length of a path, in certificates.
  static let longestPath = 16
  /// The maximum number of signature checks.
  static let mostChecks = 512
  /// The maximum number of paths started.
  static let mostSteps = 4096

  private let intermediates: [ChainCertificate]
  private let anchors: [ChainCertificate]
  /// Paths to extend, the next one last. Complete paths end at an anchor.
  private var open: [(path: [ChainCertificate], isComplete: Bool)]
  private var checked: [Pair: Bool] = [:]
  private var steps = 0

  /// The longest path found that does not end at an anchor.
  private(set) var longest: [ChainCertificate]
  /// Whether the search reached a limit and stopped.
  private(set) var isExhausted = false

  private struct Pair: Hashable {
    let child: [UInt8]
    let issuer: [UInt8]
  }

  init(leaf: ChainCertificate, intermediates: [ChainCertificate], anchors: [ChainCertificate]) {
    self.intermediates = intermediates
    self.anchors = anchors
    // A leaf that is itself an anchor is a complete path.
    open = [([leaf], anchors.contains(leaf))]
    if anchors.contains(leaf) { open.insert(([leaf], false), at: 0) }
    longest = [leaf]
  }

  /// Returns the next path, leaf first and anchor last; nil at the end of the search.
  mutating func next() -> [ChainCertificate]? {
    while let (path, isComplete) = open.popLast() {
      if isComplete { return path }
      if path.count > longest.count { longest = path }
      steps += 1
      guard steps <= Self.mostSteps else {
        isExhausted = true
        break
      }
      guard path.count < Self.longestPath, let tip = path.last else { continue }
      // Paths are popped from the end: anchors first, and the best candidate of each first.
      for issuer in candidates(for: tip, among: intermediates, path).reversed() {
        open.append((path + [issuer], false))
      }
      for issuer in candidates(for: tip, among: anchors, path).reversed() { open.append((path + [issuer], true)) }
    }
    open = []
    return nil
  }

  private mutating func candidates(
    for tip: ChainCertificate, among certificates: [ChainCertificate], _ path: [ChainCertificate]
  ) -> [ChainCertificate] {
    var found: [ChainCertificate] = []
    for issuer in certificates
    where issuer.certificate.subject == tip.certificate.issuer && !found.contains(issuer)
      && !path.contains(where: { $0.isSameAuthority(as: issuer) }) && hasSigned(issuer, tip)
    {
      found.append(issuer)
    }
    // The sort is stable: candidates of equal fit stay in the order given.
    return found.enumerated().sorted {
      let fits = (tip.fit(of: $0.element), tip.fit(of: $1.element))
      return fits.0 == fits.1 ? $0.offset < $1.offset : fits.0 > fits.1
    }.map(\.element)
  }

  private mutating func hasSigned(_ issuer: ChainCertificate, _ child: ChainCertificate) -> Bool {
    let pair = Pair(child: child.der, issuer: issuer.der)
    if let known = checked[pair] { return known }
    guard checked.count < Self.mostChecks else {
      isExhausted = true
      return false
    }
    let isSigned = child.isSigned(by: issuer)
    checked[pair] = isSigned
    return isSigned
  }
}
