// The document's app in a terminal.
//
//   touch-id-app make        makes the key my-se-key, and prints its public key in PEM
//   touch-id-app sign        signs what standard input says, once the finger was seen; prints the signature in Base64
//
// Who may vouch for the finger: LATCHKEY_PRESENCE (fprintd, program:PATH). The keychain needs a passcode.

import Crypto
import Foundation
import KeychainStore
import KeychainTouchID
import Security

func fail(_ text: String, _ status: Int32) -> Never {
  FileHandle.standardError.write(Data("touch-id-app: \(text)\n".utf8))
  exit(status)
}

/// A failure, and what helps. A status has no file's name; the keychain itself knows which one it could not read.
func fail(_ failure: TouchIDFailure) -> Never {
  var reason = "\(failure)"
  do { _ = try KeychainLock.state } catch { reason = "\(failure.status): \(error)" }
  switch failure.status {
  case errSecItemNotFound: reason += " `touch-id-app make` makes the key my-se-key."
  case errSecAuthFailed:
    reason +=
      " The key needs a keychain with a passcode (`latchkey keychain set-passcode`), and a finger that is recognized."
  case errSecInteractionNotAllowed:
    reason += " Name a file with the passcode in LATCHKEY_PASSCODE_FILE, or run it at a terminal."
  default: break
  }
  fail(reason, max(failure.status & 0xFF, 1))
}

let words = CommandLine.arguments.dropFirst()
guard words == ["make"] || words == ["sign"] else {
  FileHandle.standardError.write(Data("usage: touch-id-app make | touch-id-app sign\n".utf8))
  exit(64)
}
let program = keychainTouchID()
do {
  if words == ["make"] {
    let keys = try program.makePair()
    print(try program.publicKeyInPEM(keys.publicKey), terminator: "")
  } else {
    guard let message = try FileHandle.standardInput.readToEnd(), !message.isEmpty else {
      fail("there is nothing to sign: give the challenge of `touch-id-server` on standard input", 65)
    }
    let key = try program.privateKey(named: "my-se-key")
    print(try program.sign(Data(SHA256.hash(data: message)), with: key).base64EncodedString())
  }
} catch let failure as TouchIDFailure {
  fail(failure)
} catch {
  fail("\(error)", 1)
}
