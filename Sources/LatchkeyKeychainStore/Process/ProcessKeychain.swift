import LatchkeyByteCoding
package import LatchkeyKeychainModel
import Logging
import Synchronization

/// The keychain of a process: opened when it is first asked for, by settings that are read once. What fails is tried again
/// at the next call.
package final class ProcessKeychain: Sendable {
  /// This process's.
  package static let shared = ProcessKeychain(
    settings: Result { () throws(StoreError) in try ProcessSettings.current() })

  private let settings: Result<ProcessSettings, StoreError>
  private let makeConfiguration: @Sendable (String) -> KeychainDatabase.Configuration
  private let state = Mutex(State())

  private struct State {
    var database: KeychainDatabase?
    var session: KeychainSession?
    /// Read once.
    var entitlements: Entitlements?
    var folder: TemporaryFolder?
    /// Whether nothing is left to be done about the lock: it was unlocked, or somebody has taken that over.
    var isLockSettled = false
    /// Whether the program unlocks and locks by itself.
    var isTakenOver = false
    /// With what it was tried last to settle the lock.
    var tried: Trial?
    /// What is to be said in the log, once nothing is held any more: the code that writes the log may want the keychain.
    var notice: Notice?

    mutating func takeNotice() -> Notice? {
      defer { notice = nil }
      return notice
    }
  }

  /// A try to unlock by the environment's passcode: which keys, and which file.
  private struct Trial: Equatable {
    let generation: UInt64
    let passcode: FileIdentity?
  }

  private enum Notice {
    /// What the root key is worth.
    case rootKey(RootKeySource, hasPasscode: Bool)
    /// That this is not the user's own.
    case temporaryForTests
  }

  /// The keychain of these settings.
  init(
    settings: Result<ProcessSettings, StoreError>,
    configuration: @escaping @Sendable (String) -> KeychainDatabase.Configuration = { .init(path: $0) }
  ) {
    self.settings = settings
    makeConfiguration = configuration
  }

  /// The keychain and the program's access groups, unlocked if the environment has the passcode.
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
          // Only who writes makes a keychain.
          return (KeychainSession(store: KeychainToCome(self), entitlements: entitlements), nil)
        }
        session = KeychainSession(store: database, entitlements: entitlements)
        state.session = session
      }
      try settleLock(&state, settings)
      return (session, state.takeNotice())
    }
    if let notice { Self.tell(notice) }
    return session
  }

  /// The keychain, its lock as it is; made if there is none.
  package func database() throws(StoreError) -> KeychainDatabase {
    let (database, notice) = try state.withLock { (state) throws(StoreError) -> (KeychainDatabase, Notice?) in
      (try open(&state, try settings.get()), state.takeNotice())
    }
    if let notice { Self.tell(notice) }
    return database
  }

  /// Unlocks with a passcode that the program itself has. From then on the environment's passcode is of no interest.
  package func unlock(passcode: [UInt8]) throws(StoreError) {
    try database().unlock(passcode: passcode)
    state.withLock {
      $0.isLockSettled = true
      $0.isTakenOver = true
    }
  }

  /// Locks. A keychain that was not opened yet stays before its first unlock.
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

  /// The keychain, unless it is still to be made. A temporary one is made at once.
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

  /// What the environment names. Otherwise, a service that is given a root key as a credential is meant to use it, and all
  /// others have a key file.
  static func rootKey(_ settings: ProcessSettings) throws(StoreError) -> RootKeySource {
    if let rootKey = settings.rootKey { return rootKey }
    let credential = SystemdCredential(name: "latchkey.root", directory: settings.credentialsDirectory)
    guard var bytes = try credential.read(maximum: RootKey.byteCount) else { return .keyFile() }
    bytes.wipe()
    return .systemdCredential()
  }

  /// Follows what other processes did to the keys: a keychain with another root key is opened again, and one whose keys
  /// were changed under a passcode is unlocked again by the environment's passcode, if that is still the one.
  private func follow(_ state: inout State, _ settings: ProcessSettings) {
    guard let database = state.database else { return }
    database.noticeKeys()
    if database.isSuperseded {
      // Anyone who holds the old one is told by its calls.
      state.database = nil
      state.session = nil
      state.tried = nil
      state.isLockSettled = state.isTakenOver
    } else if state.isLockSettled, !state.isTakenOver, database.lockState == .beforeFirstUnlock,
      trial(database, settings) != state.tried
    {
      // What does not open it any more leaves it locked, and is tried again once it is another one.
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

  /// Says once in a process what a key file without a passcode is worth; a credential is worth what its maker wanted.
  private static func tell(_ notice: Notice) {
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
