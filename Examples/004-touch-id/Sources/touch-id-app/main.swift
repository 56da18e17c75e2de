// The document's app in a terminal.
//
//   touch-id-app make        makes the key my-se-key, and prints its public key in PEM
//   touch-id-app sign        signs what standard input says, once the finger was seen; prints the signature in Base64
//
// Who may vouch for the finger: LATCHKEY_PRESENCE (fprintd, program:PATH). The keychain needs a passcode.

import Crypto
import Foundation
import KeychainTouchID

func fail(_ text: String, _ status: Int32) -> Never {
  FileHandle.standardError.write(Data("touch-id-app: \(text)\n".utf8))
  exit(status)
}

let program = keychainTouchID()
do {
  switch CommandLine.arguments.dropFirst().first {
  case "make":
    let keys = try program.makePair()
    print(try program.publicKeyInPEM(keys.publicKey), terminator: "")
  case "sign":
    let message = FileHandle.standardInput.readDataToEndOfFile()
    let key = try program.privateKey(named: "my-se-key")
    print(try program.sign(Data(SHA256.hash(data: message)), with: key).base64EncodedString())
  default:
    fail("say make or sign", 64)
  }
} catch {
  fail("\(error)", 1)
}
