/// What is asked of a chain of certificates.
package struct TrustQuestion: Sendable {
  /// For what the leaf is used.
  package enum Purpose: Sendable, Hashable {
    /// Any: path and dates alone (`SecPolicyCreateBasicX509`).
    case basic
    /// A TLS server, of this host if named (`SecPolicyCreateSSL(true, …)`).
    case server(host: String?)
    /// A TLS client (`SecPolicyCreateSSL(false, …)`).
    case client
  }

  /// The certificates given, DER, the leaf first; the others in any order.
  package var certificates: [[UInt8]]
  /// The roots to trust, DER.
  package var anchors: [[UInt8]]
  /// Whether the system's roots count too.
  package var includesSystemAnchors: Bool
  /// Seconds since 1970.
  package var time: Int64
  /// All must be met.
  package var purposes: [Purpose]

  package init(
    certificates: [[UInt8]], anchors: [[UInt8]], includesSystemAnchors: Bool, time: Int64, purposes: [Purpose]
  ) {
    self.certificates = certificates
    self.anchors = anchors
    self.includesSystemAnchors = includesSystemAnchors
    self.time = time
    self.purposes = purposes
  }
}

/// What came of it.
package enum TrustVerdict: Sendable, Hashable {
  /// Trusted: the chain, leaf first and root last, DER.
  case trusted(chain: [[UInt8]])
  /// Not trusted, for this first reason; with as much of the chain as was found.
  case refused(TrustRefusal, chain: [[UInt8]], detail: String)
}

/// Why a chain is not trusted. In the order in which one is told where several hold.
package enum TrustRefusal: Sendable, Hashable {
  /// The leaf is not this host's.
  case hostMismatch
  /// A certificate has ended.
  case expired
  /// A certificate does not count yet.
  case notYetValid
  /// A key is too short.
  case weakKey
  /// A signature's digest is one that others can forge.
  case weakSignature
  /// An issuer's key may not sign certificates.
  case keyUsage
  /// The leaf, or an issuer, may not be used so.
  case usage
  /// An issuer is no authority.
  case noAuthority
  /// An issuer allows fewer authorities below it.
  case pathLength
  /// The path ends at a root that is no anchor.
  case noAnchor
  /// An issuer is missing.
  case noIssuer
  /// A critical extension that nobody here knows.
  case criticalExtension
  /// A name that an issuer may not vouch for.
  case nameConstraints
  /// More than is judged: too many certificates, or too many ways through them.
  case tooMuch
  /// A certificate cannot be read.
  case invalid
}

/// Judges chains. `LatchkeyCertificateTrust` does, where it is linked; `Security` itself cannot, for it must not know X509.
///
/// Both calls come on any thread, the cooperative pool's among them, and must not wait for anything that needs another.
package protocol TrustEvaluator: Sendable {
  /// The verdict on a chain.
  func evaluate(_ question: TrustQuestion) -> TrustVerdict

  /// The roots that the system trusts, DER; empty where there are none.
  var systemAnchors: [[UInt8]] { get }
}
