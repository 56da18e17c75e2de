import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Testing

/// The keychain of the test that runs, for tests that lock it or call it as another program.
enum Keychain {
  static func lock() { TemporaryKeychain.current?.lock() }

  static func unlock() throws { try TemporaryKeychain.current?.unlock() }

  /// Runs `body` as a program with these access groups.
  static func asProgram<Result>(of accessGroups: [String], _ body: () throws -> Result) throws -> Result {
    let keychain = try #require(TemporaryKeychain.current)
    return try keychain.use(accessGroups: accessGroups, body)
  }
}
