import LatchkeyKeychainTesting
import Testing

/// Runs a test in a keychain of its own.
struct TemporaryKeychainTrait: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await TemporaryKeychain().use { try await function() }
  }
}

extension Trait where Self == TemporaryKeychainTrait {
  static var temporaryKeychain: Self { Self() }
}
