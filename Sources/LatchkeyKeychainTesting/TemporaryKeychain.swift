public import LatchkeyKeychainModel
public import LatchkeyKeychainStore
import Synchronization

/// A keychain for one test: a store of its own in a fresh folder, deleted with the object. It never accesses the user's own
/// keychain and needs no entitlements, signature or host application. Parallel tests have separate keychains.
///
/// All calls inside `use` find this keychain: `SecItemAdd` and its like, the `Keychain` type, `KeychainLock`. It is current for
/// the task and its child tasks, not for threads and queues that the code under test creates: wrap their work in a `use` of its
/// own.
///
/// With XCTest, run each test method in one, async methods included:
///
/// ```swift
/// import LatchkeyKeychainTesting
/// import Security
/// import XCTest
///
/// final class LoginTests: XCTestCase {
///   override func invokeTest() {
///     do {
///       try TemporaryKeychain().use { super.invokeTest() }
///     } catch {
///       XCTFail("\(error)")
///     }
///   }
///
///   func testNothingIsThereAtFirst() {
///     let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword]
///     XCTAssertEqual(SecItemCopyMatching(query as CFDictionary, nil), errSecItemNotFound)
///   }
/// }
/// ```
///
/// With Swift Testing, use the trait `.temporaryKeychain` of the module `LatchkeySwiftTesting`. It is a separate module, so
/// that a program that imports this one needs no test library:
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
/// A whole test run can use one keychain without any of this: set `LATCHKEY_KEYCHAIN=temporary:`. Set it in addition, too:
/// calls that escape a `use`, on a queue of the code under test, then never access the user's keychain.
public final class TemporaryKeychain: Sendable {
  /// The keychain.
  public let database: KeychainDatabase
  /// The default entitlements of a caller in `use`.
  public let entitlements: Entitlements
  private let folder: TemporaryFolder
  private let passcode: String?

  /// The keychain's file; its key file and SQLite's files are in the same folder.
  public var path: String { folder.path + "/keychain.db" }

  /// Creates an empty keychain.
  ///
  /// Passcodes derive cheaply here (a few scrypt rounds), and short ones are accepted: the keychain is for tests and holds no
  /// secrets.
  ///
  /// - Parameters:
  ///   - passcode: the passcode; nil for none, which means always unlocked.
  ///   - entitlements: the caller's entitlements; by default one group, so that nothing is refused.
  ///   - isUnlocked: false leaves it as after a program's start, before the first unlock. It needs a passcode.
  ///   - biometry: the authenticators for biometry (``ScriptedAuthenticator``); empty for none.
  ///   - prompter: the user who types the passcode and application passwords (``ScriptedPrompter``); nil for no prompts. The
  ///     terminal and `LATCHKEY_ASKPASS` are never used.
  /// - Throws: errors of opening a keychain; `.passcodeRefused` for an empty passcode.
  public init(
    passcode: String? = nil, entitlements: Entitlements = .none, isUnlocked: Bool = true,
    biometry: [any Authenticator] = [], prompter: (any PresencePrompter)? = nil
  ) throws(StoreError) {
    self.entitlements = entitlements
    self.passcode = passcode
    folder = try TemporaryFolder()
    folder.removeAtExit()
    var configuration = KeychainDatabase.Configuration(path: folder.path + "/keychain.db")
    configuration.scryptRounds = Self.scryptRounds
    configuration.presence = PresenceConfiguration(biometry: biometry, prompter: prompter)
    // Test keys must not be generated in the machine's TPM.
    configuration.engines = .software
    var database = try KeychainDatabase(configuration)
    if let passcode {
      try database.setPasscode(Array(passcode.utf8), current: nil)
      if !isUnlocked {
        database.close()
        database = try KeychainDatabase(configuration)
      }
    }
    self.database = database
  }

  deinit {
    database.close()
    folder.remove()
  }

  /// Locks the keychain, as a device's screen does. Without a passcode it stays unlocked.
  public func lock() { database.lock() }

  /// Unlocks the keychain with its initial passcode; without one there is nothing to do.
  ///
  /// - Throws: `.wrongPasscode` if the test has changed the passcode since.
  public func unlock() throws(StoreError) {
    if let passcode { try database.unlock(passcode: Array(passcode.utf8)) }
  }

  /// Runs `body` with this keychain in place of the process's own.
  ///
  /// - Parameter entitlements: the caller's entitlements; nil for ``entitlements``. Two calls with different ones act as two
  ///   programs on one keychain.
  public func use<R>(entitlements: Entitlements? = nil, _ body: () throws -> R) rethrows -> R {
    try KeychainSession.$replacement.withValue(session(entitlements), operation: body)
  }

  /// Runs `body` with this keychain in place of the process's own.
  ///
  /// - Parameter entitlements: the caller's entitlements; nil for ``entitlements``.
  public func use<R>(
    entitlements: Entitlements? = nil, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    try await KeychainSession.$replacement.withValue(session(entitlements), operation: body, isolation: isolation)
  }

  private func session(_ entitlements: Entitlements?) -> KeychainSession {
    KeychainSession(store: database, entitlements: entitlements ?? self.entitlements)
  }

  private static let scryptRounds = 16
}
