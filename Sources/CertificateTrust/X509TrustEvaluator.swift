internal import KeychainModel

/// Judges chains with swift-certificates' verifier.
struct X509TrustEvaluator: TrustEvaluator {
  func evaluate(_ question: TrustQuestion) -> TrustVerdict {
    .refused(.invalid, chain: [], detail: "not there yet")
  }
}
