import Foundation
import LatchkeyCommandLine
import Security

extension CommandFailure {
  /// What `SecItemAdd` said of something in a file.
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
