internal import LatchkeyKeychainModel

/// How this process evaluates the certificate chains of `SecTrust`.
///
/// A program that links this module evaluates chains with swift-certificates and calls nothing. A program that links it only because
/// a package below does, or that wants to state its choice in code, says so once, at best at the start of `main`:
///
/// ```swift
/// import LatchkeyCertificateTrust
///
/// TrustEvaluation.use(.x509)
/// ```
///
/// The choice holds for the whole process and wins over the automatic installation, whatever the order. It may be changed at any
/// time, on any thread. What an evaluation yielded before stays with its `SecTrust` until that trust's parameters change.
public enum TrustEvaluation {
  /// A way to evaluate chains.
  public enum Method: Sendable, Hashable, CaseIterable {
    /// Paths are built and verified with swift-certificates, as RFC 5280 section 6 says.
    case x509
    /// Chains are not evaluated: `SecTrustEvaluateWithError` fails with `errSecUnimplemented`, as in a program that does not link
    /// this module.
    case none
  }

  /// Chooses how this process evaluates certificate chains from now on.
  public static func use(_ method: Method) {
    switch method {
    case .x509: TrustEvaluatorRegistry.choose(.evaluator(X509TrustEvaluator()))
    case .none: TrustEvaluatorRegistry.choose(.none)
    }
  }
}

/// Installs the evaluator when the program is loaded, before its `main`: linking this module is enough.
///
/// ELF runs the functions that `.init_array` names, in no promised order with those of other files (System V ABI, "Dynamic
/// Section", DT_INIT_ARRAY). This one only sets a variable behind a lock, whose storage Swift makes when it is first used.
/// It must not throw, wait or start anything: no other part of the program is up yet.
@section(".init_array")
@used
private let installAtLoad: @convention(c) () -> Void = { TrustEvaluatorRegistry.install(X509TrustEvaluator()) }
