public import LatchkeyKeychainTesting
public import Testing

/// A trait of Swift Testing that runs each test, and each case of a parameterized test, on its own `TemporaryKeychain`.
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
/// On a suite, the trait covers every test in it. A test's own trait overrides the suite's. The keychain is current for the
/// test's task and its child tasks, as with `TemporaryKeychain.use`.
public struct TemporaryKeychainTrait: TestTrait, SuiteTrait, TestScoping {
  private let make: @Sendable () throws -> TemporaryKeychain

  init(_ make: @escaping @Sendable () throws -> TemporaryKeychain) { self.make = make }

  /// True: a suite applies the trait to all its tests.
  public var isRecursive: Bool { true }

  /// Creates a keychain, and runs the test case on it. For a suite and a parameterized test as a whole it creates none: their
  /// cases get one each.
  ///
  /// - Throws: errors of creating a keychain, and of the test.
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
  /// The keychain that ``TemporaryKeychainTrait`` created for the current test; nil in a test without the trait.
  ///
  /// A test can lock it, or use it as another program:
  ///
  /// ```swift
  /// let keychain = try #require(TemporaryKeychain.current)
  /// keychain.lock()
  /// ```
  @TaskLocal public static var current: TemporaryKeychain?
}

extension Trait where Self == TemporaryKeychainTrait {
  /// Uses a keychain without a passcode, for a program with one access group.
  public static var temporaryKeychain: Self { Self { try TemporaryKeychain() } }

  /// Uses an unlocked keychain for a program with these access groups.
  ///
  /// - Parameters:
  ///   - passcode: the keychain's passcode; nil for none. No prompter answers a request for it, unlike with
  ///     `temporaryKeychain(typing:)`.
  ///   - accessGroups: the program's groups in order, as in `TemporaryKeychain`; nil for one group.
  public static func temporaryKeychain(passcode: String? = nil, accessGroups: [String]? = nil) -> Self {
    Self {
      guard let accessGroups else { return try TemporaryKeychain(passcode: passcode) }
      return try TemporaryKeychain(passcode: passcode, accessGroups: accessGroups)
    }
  }

  /// Uses an unlocked keychain with a passcode, and a user who types it at every request.
  ///
  /// - Parameter passcode: the passcode.
  public static func temporaryKeychain(typing passcode: String) -> Self {
    Self { try TemporaryKeychain(passcode: passcode, prompter: ScriptedPrompter(always: passcode)) }
  }

  /// Uses the keychain that `make` returns, which is called once for each test case.
  ///
  /// ```swift
  /// @Test(.temporaryKeychain { try TemporaryKeychain(passcode: "1234", biometry: [ScriptedAuthenticator([.refused])]) })
  /// func anotherFingerIsRefused() throws { … }
  /// ```
  public static func temporaryKeychain(_ make: @escaping @Sendable () throws -> TemporaryKeychain) -> Self {
    Self(make)
  }
}
