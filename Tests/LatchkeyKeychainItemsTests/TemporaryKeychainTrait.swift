import LatchkeyKeychainTesting
import Testing

/// Runs a test on a keychain of its own.
struct TemporaryKeychainTrait: TestTrait, SuiteTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await TemporaryKeychain().use { try await function() }
  }
}

extension Trait where Self == TemporaryKeychainTrait {
  static var temporaryKeychain: Self { TemporaryKeychainTrait() }
}
