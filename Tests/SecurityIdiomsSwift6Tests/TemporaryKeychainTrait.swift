import LatchkeyKeychainTesting
import Testing

/// Gives each test a keychain of its own, in which the test's calls of the Security module happen.
struct TemporaryKeychainTrait: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let keychain = try TemporaryKeychain()
    try await keychain.use { try await function() }
  }
}

extension Trait where Self == TemporaryKeychainTrait {
  /// A keychain of the test's own.
  static var temporaryKeychain: Self { Self() }
}
