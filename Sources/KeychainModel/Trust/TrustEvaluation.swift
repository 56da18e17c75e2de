private import Synchronization

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

/// Why a chain is not trusted.
package enum TrustRefusal: Sendable, Hashable {
  /// No path to an anchor.
  case noAnchor
  /// A certificate has ended.
  case expired
  /// A certificate does not count yet.
  case notYetValid
  /// The leaf is not this host's.
  case hostMismatch
  /// The leaf, or an issuer, may not be used so.
  case usage
  /// A signature is wrong, or a certificate cannot be read.
  case invalid
}

/// Judges chains. `CertificateTrust` does, where it is linked; `Security` itself cannot, for it must not know X509.
package protocol TrustEvaluator: Sendable {
  func evaluate(_ question: TrustQuestion) -> TrustVerdict
}

/// The process's evaluator: the one thing that a module beside `Security` puts in when the program starts.
package enum TrustEvaluation {
  private static let installed = Mutex<(any TrustEvaluator)?>(nil)

  /// The evaluator; nil where none is linked.
  package static var evaluator: (any TrustEvaluator)? { installed.withLock { $0 } }

  /// Puts an evaluator in for the whole process.
  package static func install(_ evaluator: any TrustEvaluator) { installed.withLock { $0 = evaluator } }
}
