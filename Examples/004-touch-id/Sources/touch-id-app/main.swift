// The document's app in a terminal.
//
//   touch-id-app make        makes the key my-se-key, and prints its public key in PEM
//   touch-id-app sign        signs what standard input says, once the finger was seen; prints the signature in Base64
//
// Who may vouch for the finger: LATCHKEY_PRESENCE (fprintd, program:PATH). The keychain needs a passcode.

import Crypto
import ExampleTerminal
import Foundation
import KeychainTouchID
import LatchkeyKeychainStore
import LocalAuthentication
import Security

/// What keeps a finger from being asked for, and what helps; nil: nothing does. The status of a call does not tell it.
func whatFingersLack() -> String? {
  var error: NSError?
  let isThere = LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error)
  return isThere ? nil : error?.localizedDescription
}

/// What a failure lacks, and what helps.
func explanation(of failure: TouchIDFailure, isMaking: Bool) -> String {
  // A status has no file's name; the keychain itself knows which one it could not read, and whether it opened.
  do {
    _ = try KeychainLock.state
  } catch {
    if case .wrongPasscode = error {
      return "\(error): write the right one into the file that LATCHKEY_PASSCODE_FILE names"
    }
    return "\(error)"
  }
  switch failure.status {
  case errSecItemNotFound: return "the keychain has no such key: `touch-id-app make` makes the key my-se-key"
  case errSecInteractionNotAllowed:
    return "the keychain was not unlocked: name a file with the passcode in LATCHKEY_PASSCODE_FILE"
  case errSecAuthFailed where isMaking:
    let needs = "the key needs a keychain with a passcode (`latchkey keychain set-passcode`), and a finger"
    return whatFingersLack().map { "\(needs): \($0)" } ?? needs
  case errSecAuthFailed: return whatFingersLack() ?? "the finger was not recognized: try again"
  case errSecNotAvailable: return whatFingersLack() ?? failure.text
  default: return failure.text
  }
}

let words = CommandLine.arguments.dropFirst()
expectArguments(words == ["make"] || words == ["sign"], usage: "touch-id-app make | touch-id-app sign")
let isMaking = words == ["make"]
let program = keychainTouchID()
do {
  if isMaking {
    let keys = try program.makePair()
    // The text ends its last line itself.
    say(String(try program.publicKeyInPEM(keys.publicKey).dropLast()))
  } else {
    guard let message = try FileHandle.standardInput.readToEnd(), !message.isEmpty else {
      fail("there is nothing to sign: give the challenge of `touch-id-server` on standard input", 65)
    }
    let key = try program.privateKey(named: "my-se-key")
    say(try program.sign(Data(SHA256.hash(data: message)), with: key).base64EncodedString())
  }
} catch let failure as TouchIDFailure {
  fail("\(explanation(of: failure, isMaking: isMaking)) (\(failure.status))", max(failure.status & 0xFF, 1))
} catch {
  fail("\(error)", 1)
}
