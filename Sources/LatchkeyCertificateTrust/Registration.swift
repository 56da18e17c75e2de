internal import LatchkeyKeychainModel

/// Puts the evaluator in when the program is loaded, before its `main`: linking this product is all that a user does.
///
/// ELF runs the functions that `.init_array` names, in no promised order with those of other files (System V ABI, "Dynamic
/// Section", DT_INIT_ARRAY). This one only fills a variable behind a lock, whose storage Swift makes when it is first used.
/// It must not throw, wait or start anything: no other part of the program is up yet.
@section(".init_array")
@used
private let installAtLoad: @convention(c) () -> Void = { TrustEvaluation.install(X509TrustEvaluator()) }
