import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// A keychain that a command has opened, and the entitlements of the command.
struct OpenKeychain {
  let database: KeychainDatabase
  let entitlements: Entitlements
  /// The keychain as one of items; it asks for its passcode where something is locked and a user can be asked.
  let store: any ItemStore

  /// The kind of access that a command needs.
  enum Access {
    /// To look for items: without a keychain there are none.
    case findingItems
    /// To look at the keychain itself, which must exist.
    case inspecting
    /// To change something; a keychain is made if there is none.
    case changing
  }

  /// Opens the keychain at `path`, or the process's own, and unlocks it if it has a passcode and one is given.
  init(path: String?, keyFile: String?, passcode: String?, access: Access) throws {
    try self.init(path: path, keyFile: keyFile, passcode: GivenPasscode(passcode), access: access)
  }

  private init(path: String?, keyFile: String?, passcode: GivenPasscode, access: Access) throws {
    let chosen = try path ?? EnvironmentChoices.path()
    let entitlements = try EnvironmentChoices.entitlements()
    let database =
      if let chosen { try Self.open(chosen, keyFile, access) } else { try Self.temporary(keyFile) }
    self.database = database
    self.entitlements = entitlements
    store = UnlockingStore(database, try Self.prompter())
    try Self.unlock(database, passcode, access)
  }

  /// Makes the keychain of a snapshot at `path`, or where the process's own is.
  static func restore(
    _ snapshot: KeychainSnapshot, path: String?, keyFile: String?, replacing: Bool
  ) throws -> (path: String, aside: String?) {
    guard let path = try path ?? EnvironmentChoices.path() else {
      throw CommandFailure(
        .usage, "a keychain that is gone with the command is no place to restore to: give --keychain")
    }
    let configuration = try configuration(path, keyFile)
    return (path, try KeychainDatabase.restore(snapshot, to: configuration, replacing: replacing))
  }

  private static func configuration(_ path: String, _ keyFile: String?) throws -> KeychainDatabase.Configuration {
    var configuration = KeychainDatabase.Configuration(path: path)
    configuration.rootKey = if let keyFile { .keyFile(path: keyFile) } else { try EnvironmentChoices.rootKey() }
    configuration.engines = try EnvironmentChoices.engines()
    configuration.presence = try EnvironmentChoices.presence()
    configuration.presence.prompter = try prompter()
    configuration.attestationChain = try EnvironmentChoices.attestationChain()
    return configuration
  }

  /// Whether the keychain at `path`, or the process's own, exists. If not, opening it to change something makes one. A temporary
  /// one exists.
  static func isThere(_ path: String?) throws -> Bool {
    guard let path = try path ?? EnvironmentChoices.path() else { return true }
    return FileManager.default.fileExists(atPath: path)
  }

  /// Where its file is.
  var path: String { database.path }

  /// How its items are printed.
  func listing() throws(StoreError) -> ItemListing {
    ItemListing(path: database.path, format: try database.status().format)
  }

  /// The items that match; none is no failure. Asks for the passcode where some are locked.
  func found(_ query: ItemQuery) -> Result<[StoredItem], StoreError> { found(query, in: store) }

  /// The same, with what is locked as a failure.
  func foundUnasked(_ query: ItemQuery) -> Result<[StoredItem], StoreError> { found(query, in: database) }

  private func found(_ query: ItemQuery, in store: any ItemStore) -> Result<[StoredItem], StoreError> {
    do throws(StoreError) {
      return .success(try store.find(query, as: entitlements))
    } catch {
      return error == .itemNotFound ? .success([]) : .failure(error)
    }
  }

  /// Runs `body` with this keychain as that of the Security calls in it.
  func use<R>(_ body: () throws -> R) rethrows -> R {
    try KeychainSession.$replacement.withValue(
      KeychainSession(store: store, entitlements: entitlements), operation: body)
  }

  private static func prompter() throws(StoreError) -> CommandPrompter {
    CommandPrompter(askpass: try EnvironmentChoices.askpass().map { AskpassPrompter(path: $0) })
  }

  /// Repairs the keychain at `path`, or the process's own, whether it opens or not, and opens it.
  static func repair(
    path: String?, keyFile: String?, passcode: String?, acceptsUnproven: Bool
  ) throws -> (report: VerificationReport, keychain: OpenKeychain) {
    // The passcode is asked for once.
    let given = GivenPasscode(passcode)
    do {
      let report = try asking(given) {
        try repaired(path: path, keyFile: keyFile, passcode: given, acceptsUnproven: acceptsUnproven)
      }
      return (report, try OpenKeychain(path: path, keyFile: keyFile, passcode: given, access: .inspecting))
    } catch StoreError.busy(let path) {
      throw CommandFailure(
        .tryLater, code: "busy",
        "\(path) cannot be repaired while another process has it open: end that process (fuser \(path) shows it), then repair again"
      )
    }
  }

  /// Asks for the passcode where it is needed, not given, and a user can be asked.
  private static func asking(
    _ passcode: GivenPasscode, _ repair: () throws -> VerificationReport
  ) throws -> VerificationReport {
    do {
      return try repair()
    } catch let error as StoreError {
      guard case .locked = error, try passcode.ask(try prompter()) else { throw error }
      return try repair()
    }
  }

  private static func repaired(
    path: String?, keyFile: String?, passcode: GivenPasscode, acceptsUnproven: Bool
  ) throws -> VerificationReport {
    do {
      return try OpenKeychain(path: path, keyFile: keyFile, passcode: passcode, access: .inspecting)
        .database.repair(acceptsUnproven: acceptsUnproven)
    } catch let error as StoreError {
      switch error {
      case .damaged, .notAKeychain: break
      default: throw error
      }
      guard let chosen = try path ?? EnvironmentChoices.path() else { throw error }
      return try KeychainDatabase.salvage(
        try Self.configuration(chosen, keyFile), passcode: try passcode.bytes(), acceptsUnproven: acceptsUnproven)
    }
  }

  private static func open(_ path: String, _ keyFile: String?, _ access: Access) throws -> KeychainDatabase {
    var configuration = try Self.configuration(path, keyFile)
    guard access != .changing else {
      let isNew = try !isThere(path)
      let database = try KeychainDatabase(configuration)
      if isNew { StandardStreams.reportError("made \(database.path); \(configuration.rootKey.warning)") }
      return database
    }
    // Reading makes no keychain.
    var result = Result { () throws(StoreError) in try KeychainDatabase.ifThere(configuration) }
    if case .failure(.readOnly) = result {
      configuration.isReadOnly = true
      result = Result { () throws(StoreError) in try KeychainDatabase.ifThere(configuration) }
    }
    if let database = try result.get() { return database }
    guard access == .findingItems else {
      throw CommandFailure(
        .unavailable, code: "noKeychain", "there is no keychain at \(path): adding an item makes one")
    }
    throw CommandFailure(.itemNotFound, "no item matches: there is no keychain at \(path)")
  }

  private static func temporary(_ keyFile: String?) throws -> KeychainDatabase {
    guard keyFile == nil, let database = try KeychainSession.current().store as? KeychainDatabase else {
      throw CommandFailure(.usage, "a temporary keychain has a key of its own: leave --key-file out")
    }
    return database
  }

  /// Unlocks with `passcode`, or else with the one in the environment.
  private static func unlock(_ database: KeychainDatabase, _ passcode: GivenPasscode, _ access: Access) throws {
    guard database.lockState != .unlocked else {
      guard !passcode.isOption else { throw StoreError.passcodeNotSet }
      return
    }
    guard let bytes = try passcode.bytes() else { return }
    if access == .inspecting {
      // A damaged keychain is opened to be looked at and repaired, too.
      try database.unlockForRepair(bytes, isTrusted: !passcode.isTyped)
    } else if passcode.isTyped {
      try database.unlock(passcode: bytes)
    } else {
      try database.unlock(trustedPasscode: bytes)
    }
  }
}
