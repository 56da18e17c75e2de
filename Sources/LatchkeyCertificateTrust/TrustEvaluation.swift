internal import LatchkeyKeychainModel

/// How this process evaluates the certificate chains of `SecTrust`.
///
/// A program that links this module evaluates chains with swift-certificates, without a call. A program calls ``use(_:)`` if it
/// links the module only through another package, or to state its choice in code, best at the start of `main`:
///
/// ```swift
/// import LatchkeyCertificateTrust
///
/// TrustEvaluation.use(.x509)
/// ```
///
/// The choice holds for the whole process and overrides the automatic installation, in either order. It may change at any time,
/// on any thread. A finished evaluation stays with its `SecTrust` until that trust's parameters change.
public enum TrustEvaluation {
  /// A method of evaluating chains.
  public enum Method: Sendable, Hashable, CaseIterable {
    /// Builds and verifies paths with swift-certificates, per RFC 5280 section 6.
    case x509
    /// Evaluates no chains: `SecTrustEvaluateWithError` fails with `errSecUnimplemented`, as in a program without this module.
    case none
  }

  /// Sets how this process evaluates certificate chains from now on.
  public static func use(_ method: Method) {
    switch method {
    case .x509: TrustEvaluatorRegistry.choose(.evaluator(X509TrustEvaluator()))
    case .none: TrustEvaluatorRegistry.choose(.none)
    }
  }
}

/// Installs the evaluator at load time, before `main`: linking this module is enough.
///
/// ELF runs the functions of `.init_array`, in no guaranteed order across files (System V ABI, "Dynamic Section",
/// DT_INIT_ARRAY). This one only sets a variable behind a lock, whose storage Swift creates at first use. It must not throw,
/// wait or start anything: the rest of the program is not initialized yet.
@section(".init_array")
@used
private let installAtLoad: @convention(c) () -> Void = { TrustEvaluatorRegistry.install(X509TrustEvaluator()) }
