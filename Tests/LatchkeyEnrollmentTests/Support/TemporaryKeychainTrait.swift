import LatchkeyKeychainTesting
import Testing

/// Each test with a keychain of its own, which has a passcode and a user who types it.
struct TemporaryKeychainTrait: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let keychain = try TemporaryKeychain(passcode: "1234", prompter: ScriptedPrompter(always: "1234"))
    try await keychain.use { try await function() }
  }
}

extension Trait where Self == TemporaryKeychainTrait {
  static var temporaryKeychain: Self { Self() }
}
