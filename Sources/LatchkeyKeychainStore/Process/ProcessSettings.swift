import Foundation
import Glibc
import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import LatchkeyUserPresence

/// What the environment says about a process's keychain.
struct ProcessSettings: Sendable {
  /// Which keychain.
  enum Location: Hashable, Sendable {
    /// The file at this path.
    case file(String)
    /// One of its own, gone with the process.
    case temporary
  }

  /// The variables' names.
  enum Variable {
    static let keychain = "LATCHKEY_KEYCHAIN"
    static let entitlements = "LATCHKEY_ENTITLEMENTS"
    static let passcodeFile = "LATCHKEY_PASSCODE_FILE"
    static let attestationChain = "LATCHKEY_ATTESTATION_CHAIN"
    static let presence = "LATCHKEY_PRESENCE"
    static let askpass = "LATCHKEY_ASKPASS"
  }

  /// What asks for a keychain of the process's own.
  static let temporary = "temporary:"

  /// `LATCHKEY_KEYCHAIN`, else `keychain.db` in the user's data folder; of a process that runs tests a temporary one.
  let location: Location
  /// Whether ``location`` is temporary because the process runs tests, and nothing else was said.
  let isTemporaryForTests: Bool
  /// `LATCHKEY_ENTITLEMENTS`, else the file that lies beside the program under its name and `.entitlements`, if there is one.
  let entitlements: EntitlementsFile?
  /// `LATCHKEY_PASSCODE_FILE`.
  let passcodeFile: String?
  /// `LATCHKEY_ENCLAVE`.
  let engines: EngineChoice
  /// `LATCHKEY_ROOT_KEY`; nil: it says nothing.
  let rootKey: RootKeySource?
  /// `LATCHKEY_ATTESTATION_CHAIN`.
  let attestationChain: String?
  /// `LATCHKEY_PRESENCE`.
  let presence: PresenceSettings
  /// `LATCHKEY_ASKPASS`.
  let askpass: String?
  /// `CREDENTIALS_DIRECTORY`, set by systemd.
  let credentialsDirectory: String?

  /// The settings in these variables; an empty one counts as absent.
  ///
  /// - Parameters:
  ///   - workingDirectory: what relative paths begin at; nil is wherever the process is when a file is opened.
  ///   - program: the path of the program's own file; nil where what lies beside it is not believed.
  ///   - runsTests: whether the process runs tests.
  ///   - home: the user's home by the system's list of users, for when `HOME` is not set.
  /// - Throws: `.configuration` if there is no place for a keychain, for an engine or a root key that there is
  ///   not, or for presence by what is not known.
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
      // A relative XDG_DATA_HOME is to be ignored (XDG Base Directory Specification 0.8, "Basics").
      location = .file("\(folder)/latchkey/keychain.db")
    } else if let home = value("HOME") ?? home(), home.hasPrefix("/") {
      location = .file("\(home)/.local/share/latchkey/keychain.db")
    } else {
      throw .configuration("there is no place for a keychain: set LATCHKEY_KEYCHAIN to a path, or HOME")
    }
  }

  /// Those of this process.
  static func current() throws(StoreError) -> ProcessSettings {
    try ProcessSettings(
      environment: Environment.variables, workingDirectory: FileManager.default.currentDirectoryPath,
      program: Environment.isIgnored ? nil : ProgramFile.path, runsTests: TestProcess.isThisOne)
  }

  /// The entitlements that lie beside `program`; nil only if there is no such name: one that cannot be looked at, or that is a
  /// link to nothing, is an error when it is read, not a program without entitlements.
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
