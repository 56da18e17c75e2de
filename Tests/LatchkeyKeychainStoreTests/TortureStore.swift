import LatchkeyKeychainModel
import LatchkeyKeychainStore
import keychain_worker

/// A keychain as the torture tests open it, and what they look at in it.
enum TortureStore {
  /// scrypt's cost here: passcodes are not what is tortured.
  static let rounds = 2

  static func configuration(_ path: String) -> KeychainDatabase.Configuration {
    var configuration = KeychainDatabase.Configuration(path: path)
    configuration.scryptRounds = rounds
    configuration.presence.biometry = [SomebodyThere()]
    return configuration
  }

  static func open(_ path: String) throws -> KeychainDatabase {
    try KeychainDatabase(configuration(path))
  }

  /// Opens what is left of a keychain and looks at everything in it: the versions by key, the passcode's under its own.
  ///
  /// - Parameter passcodes: the versions of passcodes that may be in force.
  static func look(at path: String, passcodes: [Int] = []) throws -> [Int: Int] {
    let database = try open(path)
    defer { database.close() }
    var found: [Int: Int] = [:]
    if database.lockState != .unlocked {
      for version in passcodes {
        do { try database.unlock(passcode: EndlessPasscodes.passcode(version)) } catch {
          guard case .wrongPasscode = error else { throw error }
          continue
        }
        found[EndlessPasscodes.passcodeKey] = version
        break
      }
      guard database.lockState == .unlocked else {
        throw TortureFailure(description: "none of the passcodes \(passcodes) opens it")
      }
    }
    let report = try database.verify()
    guard report.findings.isEmpty else { throw TortureFailure(description: "verification finds \(report.findings)") }
    let items = try TortureItem.all(in: database)
    return found.merging(items) { $1 }
  }
}
