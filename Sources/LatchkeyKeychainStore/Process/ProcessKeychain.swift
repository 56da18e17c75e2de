import LatchkeyByteCoding
package import LatchkeyKeychainModel
import Logging
import Synchronization

/// The keychain of a process: opened at its first use, with settings that are read once. A failed step is retried at the next
/// call.
package final class ProcessKeychain: Sendable {
  /// The keychain of this process.
  package static let shared = ProcessKeychain(
    settings: Result { () throws(StoreError) in try ProcessSettings.current() })

  private let settings: Result<ProcessSettings, StoreError>
  private let makeConfiguration: @Sendable (String) -> KeychainDatabase.Configuration
  private let state = Mutex(State())

  private struct State {
    var database: KeychainDatabase?
    var session: KeychainSession?
    /// Cached after the first read.
    var entitlements: Entitlements?
    var folder: TemporaryFolder?
    /// Whether the lock needs no more work: the keychain was unlocked, or the program has taken control of the lock.
    var isLockSettled = false
    /// Whether the program itself unlocks and locks.
    var isTakenOver = false
    /// The last automatic attempt to unlock.
    var tried: Trial?
    /// A message to log once no lock is held, because the log handler may use the keychain.
    var notice: Notice?

    mutating func takeNotice() -> Notice? {
      defer { notice = nil }
      return notice
    }
  }

  /// An attempt to unlock with the environment's passcode: the keys and the file that it used.
  private struct Trial: Equatable {
    let generation: UInt64
    let passcode: FileIdentity?
  }

  private enum Notice {
    /// Warns how much the root key protects.
    case rootKey(RootKeySource, hasPasscode: Bool)
    /// Warns that the keychain is not the user's own.
    case temporaryForTests
  }

  /// Creates a keychain with these settings.
  init(
    settings: Result<ProcessSettings, StoreError>,
    configuration: @escaping @Sendable (String) -> KeychainDatabase.Configuration = { .init(path: $0) }
  ) {
    self.settings = settings
    makeConfiguration = configuration
  }

  /// Returns the keychain and the program's access groups, unlocked if the environment has the passcode.
  package func session() throws(StoreError) -> KeychainSession {
    let (session, notice) = try state.withLock { (state) throws(StoreError) -> (KeychainSession, Notice?) in
      let settings = try settings.get()
      follow(&state, settings)
      if state.isLockSettled, let session = state.session { return (session, state.takeNotice()) }
      let session: KeychainSession
      if let known = state.session {
        session = known
      } else {
        let entitlements: Entitlements
        if let known = state.entitlements {
          entitlements = known
        } else {
          entitlements = try settings.entitlements?.read() ?? .none
        }
        state.entitlements = entitlements
        guard let database = try openIfThere(&state, settings) else {
          // Only writing creates a keychain.
          return (KeychainSession(store: KeychainToCome(self), entitlements: entitlements), nil)
        }
        session = KeychainSession(store: database, entitlements: entitlements)
        state.session = session
      }
      try settleLock(&state, settings)
      return (session, state.takeNotice())
    }
    if let notice { Self.log(notice) }
    return session
  }

  /// Returns the keychain without changing its lock; creates it if it is missing.
  package func database() throws(StoreError) -> KeychainDatabase {
    let (database, notice) = try state.withLock { (state) throws(StoreError) -> (KeychainDatabase, Notice?) in
      (try open(&state, try settings.get()), state.takeNotice())
    }
    if let notice { Self.log(notice) }
    return database
  }

  /// Unlocks with a passcode that the program supplies. From then on the environment's passcode is ignored.
  package func unlock(passcode: [UInt8]) throws(StoreError) {
    try database().unlock(passcode: passcode)
    state.withLock {
      $0.isLockSettled = true
      $0.isTakenOver = true
    }
  }

  /// Locks the keychain. One that was not opened yet stays before its first unlock.
  package func lock() {
    let database = state.withLock { state in
      state.isLockSettled = true
      state.isTakenOver = true
      return state.database
    }
    database?.lock()
  }

  private func open(_ state: inout State, _ settings: ProcessSettings) throws(StoreError) -> KeychainDatabase {
    if let database = state.database { return database }
    return keep(try KeychainDatabase(try configuration(&state, settings)), &state, settings)
  }

  /// Opens the keychain if it exists. A temporary one is created at once.
  private func openIfThere(_ state: inout State, _ settings: ProcessSettings) throws(StoreError) -> KeychainDatabase? {
    if settings.location == .temporary { return try open(&state, settings) }
    if let database = state.database { return database }
    guard let database = try KeychainDatabase.ifThere(try configuration(&state, settings)) else { return nil }
    return keep(database, &state, settings)
  }

  private func configuration(
    _ state: inout State, _ settings: ProcessSettings
  ) throws(StoreError) -> KeychainDatabase.Configuration {
    let path: String
    switch settings.location {
    case .file(let file): path = file
    case .temporary:
      path = try temporaryFolder(&state).path + "/keychain.db"
    }
    var configuration = makeConfiguration(path)
    configuration.engines = settings.engines
    configuration.attestationChain = settings.attestationChain
    configuration.presence = settings.presenceConfiguration
    if settings.location != .temporary {
      configuration.rootKey = try Self.rootKey(settings)
    }
    return configuration
  }

  private func keep(
    _ database: KeychainDatabase, _ state: inout State, _ settings: ProcessSettings
  ) -> KeychainDatabase {
    if settings.location != .temporary {
      state.notice = .rootKey(database.configuration.rootKey, hasPasscode: database.lockState != .unlocked)
    } else if settings.isTemporaryForTests {
      state.notice = .temporaryForTests
    }
    state.database = database
    return database
  }

  private func temporaryFolder(_ state: inout State) throws(StoreError) -> TemporaryFolder {
    if let folder = state.folder { return folder }
    let folder = try TemporaryFolder()
    folder.removeAtExit()
    state.folder = folder
    return folder
  }

  /// The source that the environment names. Otherwise a service that has a root key as a credential uses it, and any other
  /// process uses a key file.
  static func rootKey(_ settings: ProcessSettings) throws(StoreError) -> RootKeySource {
    if let rootKey = settings.rootKey { return rootKey }
    let credential = SystemdCredential(name: "latchkey.root", directory: settings.credentialsDirectory)
    guard var bytes = try credential.read(maximum: RootKey.byteCount) else { return .keyFile() }
    bytes.wipe()
    return .systemdCredential()
  }

  /// Applies key changes by other processes: reopens a keychain whose root key was replaced, and, if the keys were changed
  /// under a passcode, unlocks again with the environment's passcode if that still matches.
  private func follow(_ state: inout State, _ settings: ProcessSettings) {
    guard let database = state.database else { return }
    database.noticeKeys()
    if database.isSuperseded {
      // Calls on the old object report the change to its holders.
      state.database = nil
      state.session = nil
      state.tried = nil
      state.isLockSettled = state.isTakenOver
    } else if state.isLockSettled, !state.isTakenOver, database.lockState == .beforeFirstUnlock,
      trial(database, settings) != state.tried
    {
      // If the passcode no longer matches, the keychain stays locked, and a changed passcode is tried again.
      state.isLockSettled = false
      try? settleLock(&state, settings)
      state.isLockSettled = true
    }
  }

  private func trial(_ database: KeychainDatabase, _ settings: ProcessSettings) -> Trial {
    Trial(generation: database.keysGeneration, passcode: PasscodeSource.file(settings).flatMap { FileIdentity($0) })
  }

  private func settleLock(_ state: inout State, _ settings: ProcessSettings) throws(StoreError) {
    guard !state.isLockSettled, let database = state.database else { return }
    state.tried = trial(database, settings)
    if database.lockState == .beforeFirstUnlock, var passcode = try PasscodeSource.passcode(settings) {
      defer { passcode.wipe() }
      try database.unlock(trustedPasscode: passcode)
    }
    state.isLockSettled = true
  }

  private static let logger = Logger(label: "latchkey.keychain")
  private static let isWarned = Mutex(false)

  /// Logs once per process how little a key file without a passcode protects; a credential's protection is its creator's
  /// choice.
  private static func log(_ notice: Notice) {
    guard case .rootKey(let source, let hasPasscode) = notice else {
      logger.notice("this process runs tests: its keychain is a temporary one, unless LATCHKEY_KEYCHAIN names another")
      return
    }
    guard case .keyFile = source, !hasPasscode else {
      logger.info("\(source.warning)")
      return
    }
    let isFirst = isWarned.withLock { isWarned in
      defer { isWarned = true }
      return !isWarned
    }
    if isFirst { logger.warning("\(source.warning)") }
  }
}

/// The entry point that `KeychainSession.current()` resolves at link time.
@_silgen_name("latchkey_process_keychain_session")
package func processKeychainSession() throws(StoreError) -> KeychainSession {
  try ProcessKeychain.shared.session()
}
