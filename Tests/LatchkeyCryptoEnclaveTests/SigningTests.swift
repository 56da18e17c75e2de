import Crypto
import Foundation
import LatchkeyCryptoEnclave
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import LocalAuthentication
import Security
import Testing

@Suite(.temporaryKeychain) struct SigningTests {
  @Test("A key signs data and digests, and swift-crypto verifies")
  func signs() throws {
    let key = try SecureEnclave.P256.Signing.PrivateKey()
    let data = Data("the message".utf8)
    #expect(key.publicKey.isValidSignature(try key.signature(for: data), for: data))
    let digest = SHA512.hash(data: data)
    #expect(key.publicKey.isValidSignature(try key.signature(for: digest), for: digest))
    #expect(!key.publicKey.isValidSignature(try key.signature(for: data), for: digest))
  }

  @Test("A key comes back from its representation, which holds no scalar")
  func comesBack() throws {
    let key = try SecureEnclave.P256.Signing.PrivateKey()
    let again = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: key.dataRepresentation)
    #expect(again.publicKey.rawRepresentation == key.publicKey.rawRepresentation)
    let data = Data("the message".utf8)
    #expect(key.publicKey.isValidSignature(try again.signature(for: data), for: data))
    // No 32 bytes of it are the scalar.
    let bytes = [UInt8](key.dataRepresentation)
    for start in 0...(bytes.count - 32) {
      let scalar = try? P256.Signing.PrivateKey(rawRepresentation: bytes[start..<start + 32])
      #expect(scalar?.publicKey.rawRepresentation != key.publicKey.rawRepresentation)
    }
  }

  @Test("A compact key has a compact representation")
  func compact() throws {
    for _ in 0..<4 {
      #expect(try SecureEnclave.P256.Signing.PrivateKey().publicKey.compactRepresentation != nil)
    }
  }

  @Test("Another keychain's representation, an altered one and no one are refused")
  func refusesOthers() throws {
    let key = try SecureEnclave.P256.Signing.PrivateKey()
    let representation = key.dataRepresentation
    try TemporaryKeychain().use {
      let error = #expect(throws: NSError.self) {
        try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: representation)
      }
      #expect(error?.domain == NSOSStatusErrorDomain)
      #expect(error?.code == Int(errSecInvalidKeyRef))
    }
    var altered = representation
    altered[altered.count / 2] ^= 1
    for bytes in [altered, Data(), representation.dropLast(), representation + [0], Data(count: 4096)] {
      #expect(throws: (any Error).self) { try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: bytes) }
    }
  }

  @Test("A protection that leaves the device is refused, and so is unavailable biometry")
  func refusesControls() throws {
    let refused: [(CFString, SecAccessControlCreateFlags)] = [
      (kSecAttrAccessibleWhenUnlocked, .privateKeyUsage),
      (kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryAny]),
      (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .privateKeyUsage),
    ]
    for (protection, flags) in refused {
      let control = try #require(SecAccessControlCreateWithFlags(nil, protection, flags, nil))
      #expect(throws: NSError.self) { try SecureEnclave.P256.Signing.PrivateKey(accessControl: control) }
    }
  }

  @Test("Without privateKeyUsage a key does not sign")
  func needsUsage() throws {
    let control = try #require(
      SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [], nil))
    let error = #expect(throws: NSError.self) {
      let key = try SecureEnclave.P256.Signing.PrivateKey(accessControl: control)
      _ = try key.signature(for: Data([1]))
    }
    #expect(error?.code == Int(errSecKeyUsageIncorrect))
  }

  @Test("It says where it lives")
  func backend() throws {
    #expect(SecureEnclave.isAvailable)
    #expect(try SecureEnclave.P256.Signing.PrivateKey().backend == SecureEnclave.backend)
  }

  @Test("A software key's attestation names its format and the challenge's digest, and nothing secret")
  func attestation() throws {
    let key = try SecureEnclave.P256.Signing.PrivateKey()
    guard key.backend == .software else { return }
    let statement = try key.attestation(challenge: Data("challenge".utf8))
    #expect(statement.range(of: Data("latchkey-software".utf8)) != nil)
    #expect(statement.range(of: Data(SHA256.hash(data: Data("challenge".utf8)))) != nil)
  }
}

@Suite struct GuardedSigningTests {
  private func control() throws -> SecAccessControl {
    try #require(
      SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryCurrentSet], nil))
  }

  @Test("A context asks once, and an invalidated one never again")
  func context() throws {
    let finger = ScriptedAuthenticator()
    try TemporaryKeychain(passcode: "1234", biometry: [finger]).use {
      let context = LAContext()
      context.localizedReason = "sign in"
      let key = try SecureEnclave.P256.Signing.PrivateKey(
        accessControl: control(), authenticationContext: context)
      for _ in 0..<3 { _ = try key.signature(for: Data([1])) }
      #expect(finger.timesAsked == 1)
      context.invalidate()
      let error = #expect(throws: (any Error).self) { try key.signature(for: Data([1])) }
      #expect((error as? LAError)?.code == .invalidContext)
    }
  }

  @Test("A key whose enrollment has changed is lost, and says so without asking")
  func changedEnrollment() throws {
    let finger = ScriptedAuthenticator()
    try TemporaryKeychain(passcode: "1234", biometry: [finger]).use {
      let key = try SecureEnclave.P256.Signing.PrivateKey(accessControl: control())
      #expect(try !key.isInvalidated)
      finger.enrolled = [2]
      #expect(try key.isInvalidated)
      #expect(throws: (any Error).self) { try key.signature(for: Data([1])) }
      #expect(finger.timesAsked == 0)
    }
  }
}
