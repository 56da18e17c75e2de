public import LatchkeyKeychainModel
public import LatchkeyKeychainStore
import Synchronization

/// A keychain for one test: a store of its own in a fresh folder, gone with the object. The user's own keychain is never
/// touched, no entitlements, signature or host application are needed, and tests in parallel do not see one another.
///
/// Everything that happens in `use` finds this keychain: `SecItemAdd` and its like, the
/// `Keychain` type, `KeychainLock`. It holds for the task and its child tasks, not for threads and queues that the code
/// under test makes by itself: wrap what runs there in a `use` of its own.
///
/// With XCTest, each test method is run in one, those that are async too:
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
/// With Swift Testing, the trait `.temporaryKeychain` of the module `LatchkeySwiftTesting` does the same. It stands in a module
/// of its own, so that a program that imports this one needs no test library:
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
/// A whole test run can have one keychain without any of this: set `LATCHKEY_KEYCHAIN=temporary:`. It is well set beside
/// it, too: what slips out of a `use`, on a queue that the code under test has made, then never meets the user's keychain.
public final class TemporaryKeychain: Sendable {
  /// The keychain.
  public let database: KeychainDatabase
  /// What a caller may see, unless `use` says otherwise.
  public let entitlements: Entitlements
  private let folder: TemporaryFolder
  private let passcode: String?

  /// The keychain's file; beside it lie its key file and SQLite's own.
  public var path: String { folder.path + "/keychain.db" }

  /// Makes one, empty.
  ///
  /// Passcodes are cheap to try here (a few scrypt rounds), and short ones are taken: the keychain is for tests and keeps
  /// no secrets.
  ///
  /// - Parameters:
  ///   - passcode: its passcode; nil is none, and then it is always unlocked.
  ///   - entitlements: what a caller may see; by default one group, so that nothing is refused.
  ///   - isUnlocked: false leaves it as it is after a start of the program, before its first unlock. It needs a passcode.
  ///   - biometry: what counts as biometry (``ScriptedAuthenticator``); without any there is none.
  ///   - prompter: who types the passcode and application passwords (``ScriptedPrompter``); without one nobody can be asked.
  ///     The terminal and `LATCHKEY_ASKPASS` never are.
  /// - Throws: what opening a keychain throws; `.passcodeRefused` for an empty passcode.
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
    // Keys of a test are nothing that a machine's TPM should make.
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

  /// Locks it, as a device's screen does. Without a passcode it stays unlocked.
  public func lock() { database.lock() }

  /// Unlocks it with the passcode that it was made with; without one there is nothing to do.
  ///
  /// - Throws: `.wrongPasscode` if the test has changed the passcode since.
  public func unlock() throws(StoreError) {
    if let passcode { try database.unlock(passcode: Array(passcode.utf8)) }
  }

  /// Runs `body` with this keychain in the place of the process's own.
  ///
  /// - Parameter entitlements: what the caller may see; nil is ``entitlements``. Two calls with different ones are two
  ///   programs on one keychain.
  public func use<R>(entitlements: Entitlements? = nil, _ body: () throws -> R) rethrows -> R {
    try KeychainSession.$replacement.withValue(session(entitlements), operation: body)
  }

  /// Runs `body` with this keychain in the place of the process's own.
  ///
  /// - Parameter entitlements: what the caller may see; nil is ``entitlements``.
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
