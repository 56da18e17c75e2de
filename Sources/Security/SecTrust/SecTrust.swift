internal import Foundation
internal import LatchkeyKeychainModel
internal import Synchronization

/// A trust evaluation (Apple, SecTrust.h): policies and certificates, the leaf first, then candidates for its chain in any
/// order. Each object is equal only to itself. Any thread may use one.
///
/// The product `LatchkeyCertificateTrust` supplies the evaluator. In a program that does not link it, everything can be set
/// and read, and an evaluation ends with `errSecUnimplemented`.
public final class SecTrust: Hashable, Sendable {
  /// The parameters of the evaluation.
  struct Parameters: Sendable {
    var certificates: [SecCertificate]
    var policies: [SecPolicy]
    /// The anchors; nil if not set.
    var anchors: [SecCertificate]?
    var trustsOnlyAnchors = false
    /// The time of the evaluation, in seconds since 2001; nil until it is set or needed.
    var verifyTime: Double?
    var mayFetch = false
    /// The faults to accept; nil if not set.
    var exceptions: TrustExceptions?
  }

  /// The result of the evaluation.
  struct Outcome: Sendable {
    /// The reason for no trust; nil means trusted.
    let fault: TrustFault?
    let chain: [SecCertificate]
    /// The certificate of the chain that has the fault, if it is the fault of one.
    var faulty: SecCertificate?
    /// Whether exceptions were set.
    var hasExceptions = false
  }

  private struct State {
    var parameters: Parameters
    var outcome: Outcome?
    /// The number of changes, so that the outcome of older parameters is not cached for the current ones.
    var version = 0
  }
  private let state: Mutex<State>

  init(_ parameters: Parameters) { state = Mutex(State(parameters: parameters)) }

  /// Whether both are the same object.
  public static func == (a: SecTrust, b: SecTrust) -> Bool { a === b }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The parameters of the evaluation.
  var parameters: Parameters { state.withLock { $0.parameters } }

  /// Changes the parameters and deletes the cached outcome.
  func change(_ body: (inout Parameters) -> Void) {
    state.withLock {
      body(&$0.parameters)
      $0.outcome = nil
      $0.version += 1
    }
  }

  /// The time of the evaluation, in seconds since 2001: the time that was set, or else the time of the first access.
  var verifyTime: Double {
    let now = Date().timeIntervalSinceReferenceDate
    return state.withLock {
      let time = $0.parameters.verifyTime ?? now
      $0.parameters.verifyTime = time
      return time
    }
  }

  /// Evaluates the trust, or returns the cached outcome.
  func outcome(by evaluator: (any TrustEvaluator)? = TrustEvaluatorRegistry.evaluator) -> Outcome {
    let time = verifyTime
    let (parameters, version, known) = state.withLock { ($0.parameters, $0.version, $0.outcome) }
    if let known { return known }
    guard let evaluator else {
      // This is not cached, because the program may choose an evaluator later.
      return Outcome(fault: .unimplemented, chain: Array(parameters.certificates.prefix(1)))
    }
    let outcome = parameters.outcome(by: evaluator, at: parameters.verifyTime ?? time)
    state.withLock { if $0.version == version { $0.outcome = outcome } }
    return outcome
  }
}

extension SecTrust.Parameters {
  /// The result of an evaluation at `time`.
  func outcome(by evaluator: any TrustEvaluator, at time: Double) -> SecTrust.Outcome {
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
      purposes: purposes, excuses: exceptions?.excuses ?? [])
    switch evaluator.evaluate(question) {
    case .trusted(let chain):
      let isUnknown = needsRevocation && exceptions?.acceptsUnknownRevocation != true
      return SecTrust.Outcome(
        fault: isUnknown ? .revocationUnknown : nil, chain: chain.compactMap { SecCertificate(der: $0) },
        hasExceptions: exceptions != nil)
    case .refused(let refusal, let chain, let detail, let faulty):
      let found = chain.compactMap { SecCertificate(der: $0) }
      return SecTrust.Outcome(
        fault: TrustFault(refusal, detail: detail), chain: found.isEmpty ? Array(certificates.prefix(1)) : found,
        faulty: faulty.flatMap { SecCertificate(der: $0) }, hasExceptions: exceptions != nil)
    }
  }
}

extension SecTrust: CustomStringConvertible, CustomReflectable {
  /// The leaf and the number of certificates.
  public var description: String {
    let certificates = parameters.certificates
    return "<SecTrustRef: \(certificates.first.map { "\($0)" } ?? ""), \(certificates.count) certificates>"
  }

  /// An empty mirror, so that `dump` shows only the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The identifier of trusts, which ``CFGetTypeID(_:)`` returns for them.
@discardableResult
public func SecTrustGetTypeID() -> CFTypeID { 261 }
