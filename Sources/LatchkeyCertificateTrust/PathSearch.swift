internal import X509

/// Finds the paths from a leaf to an anchor, one after the other, those most likely first (RFC 4158).
///
/// A path is found by names, key identifiers and signatures; whether it meets the rules is not asked here. Bad certificates
/// cannot make this long: each pair's signature is checked once, and the checks and steps of all paths together have bounds.
struct PathSearch {
  /// Certificates of a path.
  static let longestPath = 16
  /// Signatures checked.
  static let mostChecks = 512
  /// Paths begun.
  static let mostSteps = 4096

  private let intermediates: [ChainCertificate]
  private let anchors: [ChainCertificate]
  /// Paths to be gone on with, the next last. Those that end at an anchor are complete.
  private var open: [(path: [ChainCertificate], isComplete: Bool)]
  private var checked: [Pair: Bool] = [:]
  private var steps = 0

  /// The longest path found that has no anchor.
  private(set) var longest: [ChainCertificate]
  /// Whether the search was given up.
  private(set) var isExhausted = false

  private struct Pair: Hashable {
    let child: [UInt8]
    let issuer: [UInt8]
  }

  init(leaf: ChainCertificate, intermediates: [ChainCertificate], anchors: [ChainCertificate]) {
    self.intermediates = intermediates
    self.anchors = anchors
    // A certificate that is an anchor itself is trusted as it is.
    open = [([leaf], anchors.contains(leaf))]
    if anchors.contains(leaf) { open.insert(([leaf], false), at: 0) }
    longest = [leaf]
  }

  /// The next path, the leaf first and an anchor last; nil when there is none.
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
      // Popped from the end: anchors are tried first, and of each the best first.
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
    // Stable, so that those given first come first, and later ones of equal fit after them.
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
