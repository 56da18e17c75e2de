// Whether certificates are trusted (Apple, SecTrust.h). What was judged once is not judged again until something is set.

public import Foundation
internal import LatchkeyKeychainModel

/// Whether the certificates are trusted.
///
/// - Parameter error: why not, if they are not: in `NSOSStatusErrorDomain`, `errSecNotTrusted` for a root that is not
///   trusted, `errSecCreateChainFailed` for a missing issuer, `errSecCertificateExpired`, `errSecCertificateNotValidYet`,
///   `errSecHostNameMismatch`, `errSecInvalidExtendedKeyUsage` and others as the rule is; `errSecUnimplemented` where
///   nothing judges trust.
@discardableResult
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
  let fault = trust.outcome().fault
  error?.pointee = fault?.error
  return fault == nil
}

/// What is called when it is known whether certificates are trusted.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void

/// Judges in the background, and says on `queue` what ``SecTrustEvaluateWithError(_:_:)`` would have said.
///
/// - Returns: `errSecSuccess`, always.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
  _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
  // It is called once, on the queue that its owner names, as Apple's is.
  nonisolated(unsafe) let result = result
  let evaluator = TrustEvaluatorRegistry.evaluator
  DispatchQueue.global().async {
    let fault = trust.outcome(by: evaluator).fault
    queue.async { result(trust, fault == nil, fault?.error) }
  }
  return errSecSuccess
}

/// Stores what comes of judging the certificates: of ``SecTrustResultType``, `unspecified` is "trusted".
///
/// - Returns: `errSecSuccess`, whether they are trusted or not; `errSecUnimplemented` where nothing judges trust.
@available(*, deprecated, renamed: "SecTrustEvaluateWithError")
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
  SecTrustGetTrustResult(trust, result)
}

/// What is called with the result of an evaluation.
public typealias SecTrustCallback = (SecTrust, SecTrustResultType) -> Void

/// Judges in the background, and says on `queue` what came of it.
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

/// Stores what comes of judging the certificates, which is done now if it was not. The same as `SecTrustEvaluate`, which is
/// older.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
  let outcome = trust.outcome()
  result.pointee = outcome.result
  return outcome.fault == .unimplemented ? errSecUnimplemented : errSecSuccess
}

extension SecTrust.Outcome {
  /// In Apple's words.
  fileprivate var result: SecTrustResultType { fault?.result ?? .unspecified }
}

/// What came of judging the certificates: `kSecTrustResultValue`, and `kSecTrustEvaluationDate`.
@discardableResult
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
  let outcome = trust.outcome()
  var entries = DictionaryEntries(capacity: 2)
  entries.set(kSecTrustResultValue, NSNumber(value: outcome.result.rawValue))
  entries.set(kSecTrustEvaluationDate, NSDate(timeIntervalSinceReferenceDate: trust.verifyTime))
  return entries.dictionary
}

/// An array with a dictionary for each certificate of the chain: what it is called (`kSecPropertyTypeTitle`), and with the
/// first why they are not trusted (`kSecPropertyTypeError`).
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
