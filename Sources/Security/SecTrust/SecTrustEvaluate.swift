// Trust evaluation (Apple, SecTrust.h). The outcome is cached until a parameter changes.

public import Foundation
internal import LatchkeyKeychainModel

/// Evaluates whether the certificates are trusted.
///
/// - Parameter error: set to the reason if they are not, else to nil. In `NSOSStatusErrorDomain`: `errSecNotTrusted` for a
///   root that is not trusted, `errSecCreateChainFailed` for a missing issuer, `errSecCertificateExpired`,
///   `errSecCertificateNotValidYet`, `errSecHostNameMismatch`, `errSecInvalidExtendedKeyUsage` and others for other rules;
///   `errSecUnimplemented` without an evaluator.
@discardableResult
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
  let fault = trust.outcome().fault
  error?.pointee = fault?.error
  return fault == nil
}

/// The callback of ``SecTrustEvaluateAsyncWithError(_:_:_:)``.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void

/// Evaluates in the background, and calls back on `queue` with the result of ``SecTrustEvaluateWithError(_:_:)``.
///
/// - Returns: always `errSecSuccess`.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
  _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
  // The callback is called once, on the queue that its owner chose, as Apple's is.
  nonisolated(unsafe) let result = result
  let evaluator = TrustEvaluatorRegistry.evaluator
  DispatchQueue.global().async {
    let fault = trust.outcome(by: evaluator).fault
    queue.async { result(trust, fault == nil, fault?.error) }
  }
  return errSecSuccess
}

/// Evaluates the certificates and stores the result; ``SecTrustResultType/unspecified`` and ``SecTrustResultType/proceed`` mean
/// trusted.
///
/// - Returns: `errSecSuccess`, whether they are trusted or not; `errSecUnimplemented` without an evaluator.
@available(*, deprecated, renamed: "SecTrustEvaluateWithError")
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
  SecTrustGetTrustResult(trust, result)
}

/// The callback of `SecTrustEvaluateAsync`, with the result of the evaluation.
public typealias SecTrustCallback = (SecTrust, SecTrustResultType) -> Void

/// Evaluates in the background, and calls back with the result on `queue`, or on the main queue if it is nil.
@available(*, deprecated, renamed: "SecTrustEvaluateAsyncWithError")
@discardableResult
public func SecTrustEvaluateAsync(
  _ trust: SecTrust, _ queue: DispatchQueue?, _ result: @escaping SecTrustCallback
) -> OSStatus {
  nonisolated(unsafe) let result = result
  let evaluator = TrustEvaluatorRegistry.evaluator
  DispatchQueue.global().async {
    let outcome = trust.outcome(by: evaluator)
    (queue ?? .main).async { result(trust, outcome.result) }
  }
  return errSecSuccess
}

/// Stores the result of the evaluation, which runs now if necessary. The same as the older `SecTrustEvaluate`.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
  let outcome = trust.outcome()
  result.pointee = outcome.result
  return outcome.fault == .unimplemented ? errSecUnimplemented : errSecSuccess
}

extension SecTrust.Outcome {
  /// The outcome as Apple's type of result.
  fileprivate var result: SecTrustResultType { fault?.result ?? (hasExceptions ? .proceed : .unspecified) }
}

/// The result of the evaluation: `kSecTrustResultValue` and `kSecTrustEvaluationDate`.
@discardableResult
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
  let outcome = trust.outcome()
  var entries = DictionaryEntries(capacity: 2)
  entries.set(kSecTrustResultValue, NSNumber(value: outcome.result.rawValue))
  entries.set(kSecTrustEvaluationDate, NSDate(timeIntervalSinceReferenceDate: trust.verifyTime))
  return entries.dictionary
}

/// An array with a dictionary for each certificate of the chain: its title (`kSecPropertyTypeTitle`), and for the first one
/// the reason why they are not trusted (`kSecPropertyTypeError`).
@available(*, deprecated, renamed: "SecTrustEvaluateWithError")
@discardableResult
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? {
  let outcome = trust.outcome()
  let properties = NSMutableArray()
  for (index, certificate) in outcome.chain.enumerated() {
    var entries = DictionaryEntries(capacity: 2)
    entries.set(kSecPropertyTypeTitle, SecCertificateCopySubjectSummary(certificate) ?? "")
    if index == 0, let fault = outcome.fault { entries.set(kSecPropertyTypeError, fault.text as NSString) }
    properties.add(entries.dictionary)
  }
  return properties
}

/// The result of a trust evaluation (Apple, SecTrust.h).
public enum SecTrustResultType: UInt32, Sendable {
  /// No evaluation has run.
  case invalid = 0
  /// Trusted, with the faults that ``SecTrustSetExceptions(_:_:)`` accepts.
  case proceed = 1
  /// The user must confirm. Never returned on Linux.
  case confirm = 2
  /// Not trusted by the user's decision. Never returned on Linux.
  case deny = 3
  /// Trusted, without a decision of the user.
  case unspecified = 4
  /// Not trusted, but recoverable: an expired certificate, another host, an unknown root.
  case recoverableTrustFailure = 5
  /// Not trusted, and not recoverable: a certificate that cannot be parsed, a weak key.
  case fatalTrustFailure = 6
  /// The evaluation failed, because the program has no evaluator.
  case otherError = 7
}
