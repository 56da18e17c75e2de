import Foundation
import LatchkeyCommandLine
import LatchkeyKeychainModel
import Security

extension StoreError {
  /// How a command ends at this error: as macOS's `security` where that has a status of its own, else by sysexits.
  var failure: CommandFailure { CommandFailure(status, code: code, message) }

  /// The error, and what a user of the command can do about it.
  private var message: String {
    switch self {
    // Before the first unlock the item may be another one than was meant: which ones match is not known.
    case .locked(_, .beforeFirstUnlock):
      "the keychain was not unlocked: give --passcode, or set LATCHKEY_PASSCODE_FILE"
    case .locked(let accessibility?, _):
      "the item is locked, for it is accessible \(accessibility.commandName): give --passcode, or set LATCHKEY_PASSCODE_FILE"
    case .duplicateItem: "the item is there already: -U updates it"
    case .passcodeNotSet: "the keychain has no passcode: `latchkey keychain set-passcode` sets one"
    case .rolledBack, .damaged: "\(description); `latchkey keychain verify` shows more"
    default: description
    }
  }

  private var status: ExitStatus {
    switch self {
    case .itemNotFound: .itemNotFound
    case .duplicateItem: .duplicateItem
    case .locked: .locked
    case .wrongPasscode, .passcodeNotSet, .invalidated: .authenticationFailed
    case .presence(.notInteractive): .locked
    case .presence(.userCancel) where TerminalQuestion.isCancelled: .interrupted
    case .presence: .authenticationFailed
    case .passcodeDelayed, .busy: .tryLater
    case .invalidParameter, .noSuchAttribute, .keyUsage: .usage
    case .passcodeRefused, .damaged, .rolledBack, .notAKeychain, .newerFormat, .configuration,
      .foreignKey:
      .badData
    case .unimplemented, .rootKeyUnavailable, .unavailable: .unavailable
    case .diskFull, .inputOutput, .hardware: .inputOutput
    case .missingEntitlement, .readOnly, .unsafeLocation: .notPermitted
    }
  }

  /// The case's name.
  private var code: String {
    switch self {
    case .itemNotFound: "itemNotFound"
    case .duplicateItem: "duplicateItem"
    case .locked: "locked"
    case .missingEntitlement: "missingEntitlement"
    case .invalidParameter: "invalidParameter"
    case .noSuchAttribute: "noSuchAttribute"
    case .unimplemented: "unimplemented"
    case .passcodeNotSet: "passcodeNotSet"
    case .wrongPasscode: "wrongPasscode"
    case .passcodeDelayed: "passcodeDelayed"
    case .passcodeRefused: "passcodeRefused"
    case .rootKeyUnavailable: "rootKeyUnavailable"
    case .damaged: "damaged"
    case .rolledBack: "rolledBack"
    case .notAKeychain: "notAKeychain"
    case .newerFormat: "newerFormat"
    case .diskFull: "diskFull"
    case .readOnly: "readOnly"
    case .unsafeLocation: "unsafeLocation"
    case .busy: "busy"
    case .inputOutput: "inputOutput"
    case .configuration: "configuration"
    case .presence(.userCancel) where TerminalQuestion.isCancelled: "interrupted"
    case .presence: "presence"
    case .unavailable: "unavailable"
    case .invalidated: "invalidated"
    case .foreignKey: "foreignKey"
    case .keyUsage: "keyUsage"
    case .hardware: "hardware"
    }
  }
}

extension CommandFailure {
  /// The failure of `SecItemAdd` for an object of a file.
  init(adding status: OSStatus, of path: String, in keychain: OpenKeychain) {
    switch status {
    case errSecDuplicateItem:
      self = CommandFailure(.duplicateItem, "\(path): already in \(keychain.path)")
    case errSecInteractionNotAllowed:
      self = CommandFailure(.locked, "\(path): the keychain is locked: give --passcode, or set LATCHKEY_PASSCODE_FILE")
    case errSecMissingEntitlement:
      self = CommandFailure(
        .notPermitted, code: "missingEntitlement",
        "\(path): the access group is not among this program's: add it to keychain-access-groups")
    default:
      let text = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "error"
      self = CommandFailure(.inputOutput, code: "\(status)", "\(path): \(text) (\(status))")
    }
  }
}
