// The server's part of the document: it knows the public key, asks for a signature of something new, and verifies it.
//
//   touch-id-server KEY.pem     prints a challenge; reads the signature in Base64 from a line of standard input

import Crypto
import ExampleTerminal
import Foundation

expectArguments(CommandLine.arguments.count == 2, usage: "touch-id-server KEY.pem")
guard let pem = FileManager.default.contents(atPath: CommandLine.arguments[1]) else {
  fail("\(CommandLine.arguments[1]) cannot be read: `touch-id-app make > key.pem` makes such a file", 66)
}
guard let key = try? P256.Signing.PublicKey(pemRepresentation: String(decoding: pem, as: UTF8.self)) else {
  fail("\(CommandLine.arguments[1]) is no public key on P-256 in PEM: `touch-id-app make` prints one", 66)
}

let challenge = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
say(challenge)
guard let line = readLine() else {
  fail("the input has ended before the signature: `touch-id-app sign` prints it", 65)
}
guard let der = Data(base64Encoded: line.trimmingCharacters(in: .whitespaces)),
  let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
else { fail("that is no signature in Base64: `touch-id-app sign` prints one", 65) }
// Verified is what the app signed: the challenge as it was printed.
guard key.isValidSignature(signature, for: Data(challenge.utf8)) else { fail("the signature is not this key's", 77) }
say("verified")
