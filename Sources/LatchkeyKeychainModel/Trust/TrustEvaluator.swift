/// The input of a trust evaluation.
package struct TrustQuestion: Sendable {
  /// The use of the leaf.
  package enum Purpose: Sendable, Hashable {
    /// Any: path and dates alone (`SecPolicyCreateBasicX509`).
    case basic
    /// A TLS server, for this host if not nil (`SecPolicyCreateSSL(true, …)`).
    case server(host: String?)
    /// A TLS client (`SecPolicyCreateSSL(false, …)`).
    case client
  }

  /// The certificates, DER: the leaf first, then the others in any order.
  package var certificates: [[UInt8]]
  /// The roots to trust, DER.
  package var anchors: [[UInt8]]
  /// Whether the system's roots are trusted, too.
  package var includesSystemAnchors: Bool
  /// The time at which certificates must be valid, in seconds since 1970.
  package var time: Int64
  /// The purposes, all of which the chain must meet.
  package var purposes: [Purpose]
  /// The faults to pass over. They leave every other fault in force, of the same certificate and of others.
  package var excuses: Set<TrustExcuse>

  package init(
    certificates: [[UInt8]], anchors: [[UInt8]], includesSystemAnchors: Bool, time: Int64, purposes: [Purpose],
    excuses: Set<TrustExcuse> = []
  ) {
    self.certificates = certificates
    self.anchors = anchors
    self.includesSystemAnchors = includesSystemAnchors
    self.time = time
    self.purposes = purposes
    self.excuses = excuses
  }
}

/// A fault that the caller accepts: one reason, of one certificate.
package struct TrustExcuse: Sendable, Hashable {
  /// The reason.
  package let refusal: TrustRefusal
  /// The SHA-256 of the certificate that has the fault.
  package let digest: [UInt8]

  package init(_ refusal: TrustRefusal, digest: [UInt8]) {
    self.refusal = refusal
    self.digest = digest
  }
}

/// The result of a trust evaluation.
package enum TrustVerdict: Sendable, Hashable {
  /// The chain is trusted; DER, leaf first and root last.
  case trusted(chain: [[UInt8]])
  /// The chain is not trusted, for this first reason; with the part of the chain that was found, and the certificate that has
  /// the fault, DER, unless it is the fault of none.
  case refused(TrustRefusal, chain: [[UInt8]], detail: String, of: [UInt8]? = nil)
}

/// The reason why a chain is not trusted. If several apply, the first in this order is reported.
package enum TrustRefusal: Sendable, Hashable, CaseIterable {
  /// The leaf does not name this host.
  case hostMismatch
  /// A certificate has expired.
  case expired
  /// A certificate is not valid yet.
  case notYetValid
  /// A key is too short.
  case weakKey
  /// A signature's digest algorithm is forgeable.
  case weakSignature
  /// An issuer's key may not sign certificates.
  case keyUsage
  /// The leaf, or an issuer, does not allow this use.
  case usage
  /// An issuer is not a certificate authority.
  case noAuthority
  /// An issuer's path length constraint is exceeded.
  case pathLength
  /// The path ends at a root that is not an anchor.
  case noAnchor
  /// An issuer is missing.
  case noIssuer
  /// A critical extension is unknown.
  case criticalExtension
  /// A name violates an issuer's name constraints.
  case nameConstraints
  /// The limits of the evaluation are exceeded: too many certificates, or too many paths through them.
  case tooMuch
  /// A certificate cannot be parsed.
  case invalid
}

/// Evaluates chains. `LatchkeyCertificateTrust` implements it if linked; `Security` itself must not import X509.
///
/// Both calls may run on any thread, including those of the cooperative pool, and must not wait for work on another thread.
package protocol TrustEvaluator: Sendable {
  /// Evaluates a chain.
  func evaluate(_ question: TrustQuestion) -> TrustVerdict

  /// The roots that the system trusts, DER; empty if there are none.
  var systemAnchors: [[UInt8]] { get }
}
