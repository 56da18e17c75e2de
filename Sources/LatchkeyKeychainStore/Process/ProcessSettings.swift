import Foundation
import Glibc
import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import LatchkeyUserPresence

/// The environment's settings of a process's keychain.
struct ProcessSettings: Sendable {
  /// The location of the keychain.
  enum Location: Hashable, Sendable {
    /// The file at this path.
    case file(String)
    /// A temporary keychain, deleted when the process ends.
    case temporary
  }

  /// The names of the environment variables.
  enum Variable {
    static let keychain = "LATCHKEY_KEYCHAIN"
    static let entitlements = "LATCHKEY_ENTITLEMENTS"
    static let passcodeFile = "LATCHKEY_PASSCODE_FILE"
    static let attestationChain = "LATCHKEY_ATTESTATION_CHAIN"
    static let presence = "LATCHKEY_PRESENCE"
    static let askpass = "LATCHKEY_ASKPASS"
  }

  /// The value that selects a temporary keychain.
  static let temporary = "temporary:"

  /// `LATCHKEY_KEYCHAIN`, else `keychain.db` in the user's data folder; a temporary keychain in a process that runs tests.
  let location: Location
  /// Whether ``location`` is temporary only because the process runs tests.
  let isTemporaryForTests: Bool
  /// `LATCHKEY_ENTITLEMENTS`, else the file beside the program with its name and `.entitlements`, if it exists.
  let entitlements: EntitlementsFile?
  /// `LATCHKEY_PASSCODE_FILE`.
  let passcodeFile: String?
  /// `LATCHKEY_ENCLAVE`.
  let engines: EngineChoice
  /// `LATCHKEY_ROOT_KEY`; nil if it is unset.
  let rootKey: RootKeySource?
  /// `LATCHKEY_ATTESTATION_CHAIN`.
  let attestationChain: String?
  /// `LATCHKEY_PRESENCE`.
  let presence: PresenceSettings
  /// `LATCHKEY_ASKPASS`.
  let askpass: String?
  /// `CREDENTIALS_DIRECTORY`, set by systemd.
  let credentialsDirectory: String?

  /// Reads the settings from these variables; an empty one counts as absent.
  ///
  /// - Parameters:
  ///   - workingDirectory: the base of relative paths; nil is the process's directory when a file is opened.
  ///   - program: the path of the program's executable; nil if the files beside it are not trusted.
  ///   - runsTests: whether the process runs tests.
  ///   - home: the user's home in the system's user database, used if `HOME` is not set.
  /// - Throws: `.configuration` if there is no place for a keychain, for an unknown engine or root key, or for invalid presence
  ///   settings.
  init(
    environment: [String: String], workingDirectory: String? = nil, program: String? = nil, runsTests: Bool = false,
    home: () -> String? = { Self.homeOfUser() }
  ) throws(StoreError) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    func path(_ name: String) -> String? {
      value(name).map { $0.hasPrefix("/") || workingDirectory == nil ? $0 : "\(workingDirectory ?? "")/\($0)" }
    }
    entitlements = path(Variable.entitlements).map { EntitlementsFile(path: $0) } ?? program.flatMap(Self.beside)
    passcodeFile = path(Variable.passcodeFile)
    credentialsDirectory = value("CREDENTIALS_DIRECTORY")
    rootKey = try RootKeyChoice.source(value(RootKeyChoice.variable))
    engines = try EngineChoice(value(EngineChoice.variable))
    attestationChain = path(Variable.attestationChain)
    presence = try PresenceSettings(value(Variable.presence), workingDirectory: workingDirectory)
    askpass = path(Variable.askpass)
    isTemporaryForTests = runsTests && value(Variable.keychain) == nil
    if value(Variable.keychain) == Self.temporary || isTemporaryForTests {
      location = .temporary
    } else if let path = path(Variable.keychain) {
      location = .file(path)
    } else if let folder = value("XDG_DATA_HOME"), folder.hasPrefix("/") {
      // A relative XDG_DATA_HOME must be ignored (XDG Base Directory Specification 0.8, "Basics").
      location = .file("\(folder)/latchkey/keychain.db")
    } else if let home = value("HOME") ?? home(), home.hasPrefix("/") {
      location = .file("\(home)/.local/share/latchkey/keychain.db")
    } else {
      throw .configuration("there is no place for a keychain: set LATCHKEY_KEYCHAIN to a path, or HOME")
    }
  }

  /// The settings of this process.
  static func current() throws(StoreError) -> ProcessSettings {
    try ProcessSettings(
      environment: Environment.variables, workingDirectory: FileManager.default.currentDirectoryPath,
      program: Environment.isIgnored ? nil : ProgramFile.path, runsTests: TestProcess.isThisOne)
  }

  /// The entitlements file beside `program`; nil only if the name does not exist. An inaccessible file or a dangling link is an
  /// error when it is read; it does not count as a program without entitlements.
  private static func beside(_ program: String) -> EntitlementsFile? {
    let path = program + ".entitlements"
    var found = stat()
    return lstat(path, &found) != 0 && (errno == ENOENT || errno == ENAMETOOLONG) ? nil : EntitlementsFile(path: path)
  }

  private static func homeOfUser() -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 1 << 14)
    guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir
    else {
      return nil
    }
    return String(cString: home)
  }
}
