internal import Foundation
internal import LatchkeyKeychainModel
internal import Synchronization

/// Certificates, and what they are to be trusted for (Apple, SecTrust.h): the leaf first, then any that may lead from it to
/// a root, in any order. Each is equal to itself alone. Any thread may use one.
///
/// It is judged by what the product `LatchkeyCertificateTrust` brings. In a program that does not link it, everything can be set and
/// asked, and an evaluation ends with `errSecUnimplemented`.
public final class SecTrust: Hashable, Sendable {
  /// What is judged.
  struct Parameters: Sendable {
    var certificates: [SecCertificate]
    var policies: [SecPolicy]
    /// Nil: nothing was said.
    var anchors: [SecCertificate]?
    var trustsOnlyAnchors = false
    /// Seconds since 2001; nil until it was set or needed.
    var verifyTime: Double?
    var mayFetch = false
  }

  /// What came of it.
  struct Outcome: Sendable {
    /// Nil: trusted.
    let fault: TrustFault?
    let chain: [SecCertificate]
  }

  private struct State {
    var parameters: Parameters
    var outcome: Outcome?
    /// Counts changes, so that what was judged meanwhile is not taken for what is set now.
    var version = 0
  }
  private let state: Mutex<State>

  init(_ parameters: Parameters) { state = Mutex(State(parameters: parameters)) }

  /// Whether both are one.
  public static func == (a: SecTrust, b: SecTrust) -> Bool { a === b }

  /// Hashes which one it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// What is judged.
  var parameters: Parameters { state.withLock { $0.parameters } }

  /// Changes what is judged: what came of it before no longer holds.
  func change(_ body: (inout Parameters) -> Void) {
    state.withLock {
      body(&$0.parameters)
      $0.outcome = nil
      $0.version += 1
    }
  }

  /// The moment for which it is judged, seconds since 2001: the one that was set, or the first at which it was asked for.
  var verifyTime: Double {
    let now = Date().timeIntervalSinceReferenceDate
    return state.withLock {
      let time = $0.parameters.verifyTime ?? now
      $0.parameters.verifyTime = time
      return time
    }
  }

  /// What comes of it: judged now, unless it has been.
  func outcome(by evaluator: (any TrustEvaluator)? = TrustEvaluatorRegistry.evaluator) -> Outcome {
    let time = verifyTime
    let (parameters, version, known) = state.withLock { ($0.parameters, $0.version, $0.outcome) }
    if let known { return known }
    guard let evaluator else {
      // Not kept: where it is, another time, an answer may come.
      return Outcome(fault: .unimplemented, chain: Array(parameters.certificates.prefix(1)))
    }
    let outcome = parameters.outcome(by: evaluator, at: parameters.verifyTime ?? time)
    state.withLock { if $0.version == version { $0.outcome = outcome } }
    return outcome
  }
}

extension SecTrust.Parameters {
  fileprivate func outcome(by evaluator: any TrustEvaluator, at time: Double) -> SecTrust.Outcome {
    var purposes: [TrustQuestion.Purpose] = []
    var needsRevocation = false
    for policy in policies {
      switch policy.rule {
      case .purpose(let purpose): purposes.append(purpose)
      case .revocation(let flags):
        needsRevocation = needsRevocation || flags & kSecRevocationRequirePositiveResponse != 0
      }
    }
    let sinceEpoch = (time + Date.timeIntervalBetween1970AndReferenceDate).rounded(.down)
    let question = TrustQuestion(
      certificates: certificates.map(\.der), anchors: (anchors ?? []).map(\.der),
      includesSystemAnchors: !trustsOnlyAnchors, time: Int64(exactly: sinceEpoch) ?? (sinceEpoch < 0 ? .min : .max),
      purposes: purposes)
    switch evaluator.evaluate(question) {
    case .trusted(let chain):
      return SecTrust.Outcome(
        fault: needsRevocation ? .revocationUnknown : nil, chain: chain.compactMap { SecCertificate(der: $0) })
    case .refused(let refusal, let chain, let detail):
      let found = chain.compactMap { SecCertificate(der: $0) }
      return SecTrust.Outcome(
        fault: TrustFault(refusal, detail: detail), chain: found.isEmpty ? Array(certificates.prefix(1)) : found)
    }
  }
}

extension SecTrust: CustomStringConvertible, CustomReflectable {
  /// The leaf, and how many certificates there are.
  public var description: String {
    let certificates = parameters.certificates
    return "<SecTrustRef: \(certificates.first.map { "\($0)" } ?? ""), \(certificates.count) certificates>"
  }

  /// Nothing: `dump` shows the description alone.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The identifier of trusts: ``CFGetTypeID(_:)`` answers it for them.
@discardableResult
public func SecTrustGetTypeID() -> CFTypeID { 261 }
