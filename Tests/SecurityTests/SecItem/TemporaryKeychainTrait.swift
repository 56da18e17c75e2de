import LatchkeyKeychainTesting
import Testing

/// Runs each test case in a keychain of its own, so that tests share nothing and never touch the user's.
struct TemporaryKeychainTrait: TestTrait, SuiteTrait, TestScoping {
  var passcode: String?
  var accessGroups: [String]?

  var isRecursive: Bool { true }

  /// The keychain of the test that runs.
  @TaskLocal static var keychain: TemporaryKeychain?

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let keychain =
      if let accessGroups {
        try TemporaryKeychain(passcode: passcode, accessGroups: accessGroups)
      } else {
        try TemporaryKeychain(passcode: passcode)
      }
    try await Self.$keychain.withValue(keychain) {
      try await keychain.use { try await function() }
    }
  }
}

extension Trait where Self == TemporaryKeychainTrait {
  /// A keychain without passcode, for a program with one access group.
  static var temporaryKeychain: Self { Self() }

  /// A keychain, with a passcode and unlocked if one is given, for a program with these access groups.
  static func temporaryKeychain(passcode: String? = nil, accessGroups: [String]? = nil) -> Self {
    Self(passcode: passcode, accessGroups: accessGroups)
  }
}

/// The keychain of the test that runs, for tests that lock it or ask it as another program.
enum Keychain {
  static func lock() { TemporaryKeychainTrait.keychain?.lock() }

  static func unlock() throws { try TemporaryKeychainTrait.keychain?.unlock() }

  /// Runs `body` as a program with these access groups.
  static func asProgram<Result>(of accessGroups: [String], _ body: () throws -> Result) throws -> Result {
    let keychain = try #require(TemporaryKeychainTrait.keychain)
    return try keychain.use(accessGroups: accessGroups, body)
  }
}
