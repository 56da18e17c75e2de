// Exceptions from trust (Apple, SecTrust.h): a user accepts the faults of a chain, and the program keeps that decision.

public import Foundation
internal import LatchkeyKeychainModel

/// The faults that the evaluation finds now, as bytes for ``SecTrustSetExceptions(_:_:)``. Exceptions that are set do not count.
///
/// Call it after the user has accepted the faults. The bytes are neither secret nor protected: keep them where nobody else
/// can write, together with what they were accepted for, such as the host. They hold for the same leaf only.
///
/// Faults that cannot be accepted, those with the result ``SecTrustResultType/fatalTrustFailure``, are left out.
///
/// - Returns: the bytes, also for a chain that is trusted; nil without an evaluator.
@discardableResult
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
  guard let evaluator = TrustEvaluatorRegistry.evaluator else { return nil }
  return trust.exceptions(by: evaluator).map { $0.encoded.object }
}

/// Sets the faults to accept: an evaluation that finds no others succeeds, with the result ``SecTrustResultType/proceed``.
/// Exceptions that were set before are removed in any case.
///
/// - Parameter exceptions: the bytes of ``SecTrustCopyExceptions(_:)``; nil removes those that are set.
/// - Returns: true if the bytes are exceptions for this leaf. Nil answers false if exceptions were set, as Apple's function
///   does, and true otherwise.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
  guard let exceptions else {
    let hadExceptions = trust.parameters.exceptions != nil
    if hadExceptions { trust.change { $0.exceptions = nil } }
    return !hadExceptions
  }
  let decoded = exceptions.length <= TrustExceptions.longest ? TrustExceptions(encoded: [UInt8](exceptions)) : nil
  let isValid = decoded?.match(trust.parameters.certificates.first) ?? false
  trust.change { $0.exceptions = isValid ? decoded : nil }
  return isValid
}

extension SecTrust {
  /// The recoverable faults of the current parameters, found one after the other: the evaluator reports the first that is not
  /// excused.
  fileprivate func exceptions(by evaluator: any TrustEvaluator) -> TrustExceptions? {
    let time = verifyTime
    var parameters = parameters
    guard let leaf = parameters.certificates.first else { return nil }
    var found = TrustExceptions(leaf: leaf)
    repeat {
      parameters.exceptions = found
      let outcome = parameters.outcome(by: evaluator, at: parameters.verifyTime ?? time)
      guard let fault = outcome.fault, found.accept(fault, of: outcome.faulty) else { return found }
    } while true
  }
}
