import LatchkeyTestSupport
import Foundation
import KeychainTouchID
import LatchkeyKeychainStore
import LatchkeyKeychainTesting
import LocalAuthentication
import Security
import Testing

/// The document on Touch ID and the enclave (Examples/004-touch-id): its code, line for line, on Linux, up to the server's verification.
@Suite("Document 004: a key of the enclave behind a fingerprint")
struct TouchIDExampleTests {
  @Test("with a scripted fingerprint as biometry: made, added, signed after presence, verified by OpenSSL")
  func withBiometry() throws {
    let finger = ScriptedAuthenticator()
    let keychain = try TemporaryKeychain(passcode: "1234", biometry: [finger])
    try keychain.use {
      let program = keychainTouchID()
      let keys = try program.makePair()
      #expect(finger.timesAsked == 0)
      let pem = try program.publicKeyInPEM(keys.publicKey)
      #expect(finger.timesAsked == 0, "the public key asks nobody")

      let server = try Server()
      let challenge = Data("challenge 4711".utf8)
      let signature = try program.sign(try server.digest(of: challenge), with: keys.privateKey)
      #expect(finger.timesAsked == 1)
      #expect(try server.verifies(signature, of: challenge, with: pem))
      #expect(try !server.verifies(signature, of: Data("another challenge".utf8), with: pem))

      // The key is found again by its name, as after a start of the program.
      let found = try program.privateKey(named: "my-se-key")
      #expect(found == keys.privateKey)
      #expect(try server.verifies(program.sign(server.digest(of: challenge), with: found), of: challenge, with: pem))
      #expect(finger.timesAsked == 2)
    }
  }

  @Test(
    "with fprintd as biometry, through the real client with a double behind it: signed after a match, refused after none",
    .enabled(
      if: FprintdDouble.isHere, "no dbus-daemon or python3 with D-Bus (Debian: dbus, python3-dbus, python3-gi)"))
  func withFprintdDouble() throws {
    let double = try FprintdDouble(
      #"{"fingers": ["right-index-finger"], "starts": [[["verify-match", true]], [["verify-no-match", true]]]}"#)
    let fprintd = FprintdAuthenticator(on: FprintdBus(address: double.address, owner: getuid()))
    try TemporaryKeychain(passcode: "1234", biometry: [fprintd]).use {
      let program = keychainTouchID()
      let keys = try program.makePair()
      let pem = try program.publicKeyInPEM(keys.publicKey)
      let server = try Server()
      let challenge = Data("challenge 4711".utf8)
      let signature = try program.sign(try server.digest(of: challenge), with: keys.privateKey)
      #expect(try server.verifies(signature, of: challenge, with: pem))
      #expect(throws: TouchIDFailure(status: errSecAuthFailed)) {
        try program.sign(Data(count: 32), with: keys.privateKey)
      }
    }
  }

  @Test("a finger that is not recognized signs nothing")
  func withAnotherFinger() throws {
    let finger = ScriptedAuthenticator(otherwise: .refused)
    let keychain = try TemporaryKeychain(passcode: "1234", biometry: [finger])
    try keychain.use {
      let program = keychainTouchID()
      let keys = try program.makePair()
      #expect(throws: TouchIDFailure(status: errSecAuthFailed)) {
        try program.sign(Data(count: 32), with: keys.privateKey)
      }
    }
  }

  @Test("no passcode: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly makes no key, and none is there afterwards")
  func withoutPasscode() throws {
    let finger = ScriptedAuthenticator()
    try TemporaryKeychain(biometry: [finger]).use {
      let program = keychainTouchID()
      var made: (publicKey: SecKey, privateKey: SecKey)?
      #expect(throws: TouchIDFailure.self) { made = try program.makePair() }
      #expect(made == nil)
      #expect(throws: TouchIDFailure(status: errSecItemNotFound)) { try program.privateKey(named: "my-se-key") }
      #expect(finger.timesAsked == 0)
    }
  }

  @Test("a finger that cancels: errSecUserCanceled, and the key signs the next time")
  func afterCancelling() throws {
    let finger = ScriptedAuthenticator([.fails(.userCancel)])
    try TemporaryKeychain(passcode: "1234", biometry: [finger]).use {
      let program = keychainTouchID()
      let keys = try program.makePair()
      #expect(throws: TouchIDFailure(status: errSecUserCanceled)) {
        try program.sign(Data(count: 32), with: keys.privateKey)
      }
      #expect(try !program.sign(Data(count: 32), with: keys.privateKey).isEmpty)
    }
  }

  @Test("a finger that cannot be asked for makes no key, and LocalAuthentication says what is missing")
  func withAFingerThatIsGone() throws {
    let finger = ScriptedAuthenticator()
    finger.unavailability = .biometryNotAvailable("the reader is gone: plug it in")
    try TemporaryKeychain(passcode: "1234", biometry: [finger]).use {
      let program = keychainTouchID()
      #expect(throws: TouchIDFailure(status: errSecNotAvailable)) { try program.makePair() }
      var error: NSError?
      #expect(!LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error))
      #expect(error?.localizedDescription == "the reader is gone: plug it in")
      #expect(throws: TouchIDFailure(status: errSecItemNotFound)) { try program.privateKey(named: "my-se-key") }
    }
  }

  @Test("without any biometry it is refused: errSecNotAvailable, and the text names LATCHKEY_PRESENCE")
  func withoutBiometry() throws {
    let keychain = try TemporaryKeychain(passcode: "1234")
    try keychain.use {
      let program = keychainTouchID()
      #expect(throws: TouchIDFailure(status: errSecNotAvailable)) { try program.makePair() }
      var error: Unmanaged<CFError>?
      #expect(SecKeyCreateRandomKey(try program.parameters() as CFDictionary, &error) == nil)
      let refusal = try #require(error).takeRetainedValue()
      #expect(CFErrorGetCode(refusal) == Int(errSecNotAvailable))
      #expect(refusal.localizedDescription.contains("LATCHKEY_PRESENCE"))
      let query: [CFString: Any] = [kSecClass: kSecClassKey]
      #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
    }
  }
}

/// The server's side: OpenSSL.
private struct Server {
  private let openssl: PeerProgram

  init() throws { openssl = try PeerProgram(PeerProgram.openssl) }

  func digest(of message: Data) throws -> Data {
    Data(try openssl.output(["dgst", "-sha256", "-binary", openssl.write("message", Array(message))]))
  }

  func verifies(_ signature: Data, of message: Data, with pem: String) throws -> Bool {
    let files = try [
      openssl.write("key.pem", Array(pem.utf8)), "-signature", openssl.write("signature", Array(signature)),
      openssl.write("message", Array(message)),
    ]
    let answer = try openssl.run(["dgst", "-sha256", "-verify"] + files)
    return answer.code == 0 && answer.text == "Verified OK\n"
  }
}
