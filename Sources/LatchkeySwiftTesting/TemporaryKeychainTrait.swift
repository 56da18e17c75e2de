public import LatchkeyKeychainTesting
public import Testing

/// A trait of Swift Testing that runs each test, and each case of a parameterized test, on a `TemporaryKeychain` of its own.
///
/// ```swift
/// import LatchkeySwiftTesting
/// import Security
/// import Testing
///
/// @Test(.temporaryKeychain) func nothingIsThereAtFirst() {
///   let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword]
///   #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
/// }
/// ```
///
/// On a suite, the trait covers every test in it. On a test within such a suite, the test's own trait counts.
/// The keychain holds for the test's task and its child tasks, as with `TemporaryKeychain.use`.
public struct TemporaryKeychainTrait: TestTrait, SuiteTrait, TestScoping {
  private let make: @Sendable () throws -> TemporaryKeychain

  init(_ make: @escaping @Sendable () throws -> TemporaryKeychain) { self.make = make }

  /// True: a suite hands the trait to all its tests.
  public var isRecursive: Bool { true }

  /// Makes a keychain, and runs the test case on it. A test that has cases, and a suite, get none: their cases do.
  ///
  /// - Throws: what making a keychain throws, and what the test throws.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let keychain = try make()
    try await TemporaryKeychain.$current.withValue(keychain) {
      try await keychain.use { try await function() }
    }
  }
}

extension TemporaryKeychain {
  /// The keychain that ``TemporaryKeychainTrait`` made for the test that runs; nil in a test without the trait.
  ///
  /// A test locks it, or calls it as another program:
  ///
  /// ```swift
  /// let keychain = try #require(TemporaryKeychain.current)
  /// keychain.lock()
  /// ```
  @TaskLocal public static var current: TemporaryKeychain?
}

extension Trait where Self == TemporaryKeychainTrait {
  /// A keychain without a passcode, for a program with one access group.
  public static var temporaryKeychain: Self { Self { try TemporaryKeychain() } }

  /// A keychain for a program with these access groups, unlocked.
  ///
  /// - Parameters:
  ///   - passcode: its passcode; nil is none. Nobody types it when it is asked for, unlike with `temporaryKeychain(typing:)`.
  ///   - accessGroups: the program's groups in order, as in `TemporaryKeychain`; nil is one group.
  public static func temporaryKeychain(passcode: String? = nil, accessGroups: [String]? = nil) -> Self {
    Self {
      guard let accessGroups else { return try TemporaryKeychain(passcode: passcode) }
      return try TemporaryKeychain(passcode: passcode, accessGroups: accessGroups)
    }
  }

  /// A keychain with a passcode, unlocked, and a user who types it whenever somebody asks.
  ///
  /// - Parameter passcode: the passcode.
  public static func temporaryKeychain(typing passcode: String) -> Self {
    Self { try TemporaryKeychain(passcode: passcode, prompter: ScriptedPrompter(always: passcode)) }
  }

  /// The keychain that `make` returns, which is called once for each test case.
  ///
  /// ```swift
  /// @Test(.temporaryKeychain { try TemporaryKeychain(passcode: "1234", biometry: [ScriptedAuthenticator([.refused])]) })
  /// func anotherFingerIsRefused() throws { … }
  /// ```
  public static func temporaryKeychain(_ make: @escaping @Sendable () throws -> TemporaryKeychain) -> Self {
    Self(make)
  }
}
