import CryptoKit
import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Code as apps write it, with `import CryptoKit` and nothing of swift-crypto's or Latchkey's names.
@Suite(.temporaryKeychain) struct CryptoKitTests {
  private let message = Data("the message".utf8)

  @Test("The digests are those of FIPS 180-4 and RFC 1321")
  func digests() {
    func hexadecimal(_ digest: some Digest) -> String { digest.map { String(format: "%02x", $0) }.joined() }
    let abc = Data("abc".utf8)
    #expect(hexadecimal(SHA256.hash(data: abc)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(hexadecimal(Insecure.SHA1.hash(data: abc)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(hexadecimal(Insecure.MD5.hash(data: abc)) == "900150983cd24fb0d6963f7d28e17f72")
    #expect(CryptoKit.SHA512.hash(data: abc).withUnsafeBytes(\.count) == 64)
  }

  @Test("A box is opened with its key and its authenticated data alone")
  func boxes() throws {
    let key = SymmetricKey(size: .bits256)
    let sealed = try AES.GCM.seal(message, using: key, nonce: AES.GCM.Nonce(), authenticating: Data("header".utf8))
    let combined = try #require(sealed.combined)
    let box = try AES.GCM.SealedBox(combined: combined)
    #expect(try AES.GCM.open(box, using: key, authenticating: Data("header".utf8)) == message)
    #expect(throws: CryptoKitError.self) { try AES.GCM.open(box, using: key) }
    #expect(throws: CryptoKitError.self) { try AES.GCM.open(box, using: SymmetricKey(size: .bits256)) }
    let other = try ChaChaPoly.seal(message, using: key)
    #expect(try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: other.combined), using: key) == message)
  }

  @Test("Two sides of Curve25519 derive one key, which differs from another salt's")
  func agreement() throws {
    let ada = Curve25519.KeyAgreement.PrivateKey()
    let bob = Curve25519.KeyAgreement.PrivateKey()
    func derive(_ secret: SharedSecret, salt: String) -> SymmetricKey {
      secret.hkdfDerivedSymmetricKey(
        using: SHA256.self, salt: Data(salt.utf8), sharedInfo: Data(), outputByteCount: 32)
    }
    let ours = try ada.sharedSecretFromKeyAgreement(with: bob.publicKey)
    let theirs = try bob.sharedSecretFromKeyAgreement(with: ada.publicKey)
    #expect(derive(ours, salt: "a") == derive(theirs, salt: "a"))
    #expect(derive(ours, salt: "a") != derive(theirs, salt: "b"))
    let derived = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: Data(count: 22)), salt: Data(), info: Data(), outputByteCount: 42)
    #expect(derived.bitCount == 336)
  }

  @Test("A signature of Ed25519 and a code of HMAC do not hold for other data")
  func signatures() throws {
    let key = Curve25519.Signing.PrivateKey()
    let signature = try key.signature(for: message)
    #expect(key.publicKey.isValidSignature(signature, for: message))
    #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
    let secret = SymmetricKey(size: .bits128)
    let code = HMAC<SHA256>.authenticationCode(for: message, using: secret)
    #expect(HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: secret))
    #expect(!HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data(), using: secret))
  }

  @Test("A key of the enclave signs for CryptoKit's public key, and comes back from what was saved")
  func enclaveSigns() throws {
    guard SecureEnclave.isAvailable else { return }
    let control = try #require(
      SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .privateKeyUsage, nil))
    let key: SecureEnclave.P256.Signing.PrivateKey = try SecureEnclave.P256.Signing.PrivateKey(accessControl: control)
    let again = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: key.dataRepresentation)
    let publicKey: P256.Signing.PublicKey = again.publicKey
    let signature: P256.Signing.ECDSASignature = try again.signature(for: SHA256.hash(data: message))
    #expect(publicKey.isValidSignature(signature, for: message))
    #expect(!publicKey.isValidSignature(signature, for: message + [0]))
    #expect(throws: (any Error).self) {
      try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(key.dataRepresentation.dropLast()))
    }
  }

  @Test("A key of the enclave agrees with a key of CryptoKit's")
  func enclaveAgrees() throws {
    let inside = try SecureEnclave.P256.KeyAgreement.PrivateKey()
    let outside = P256.KeyAgreement.PrivateKey()
    let ours = try inside.sharedSecretFromKeyAgreement(with: outside.publicKey)
      .hkdfDerivedSymmetricKey(using: SHA256.self, salt: Data(), sharedInfo: message, outputByteCount: 32)
    let theirs = try outside.sharedSecretFromKeyAgreement(with: inside.publicKey)
      .hkdfDerivedSymmetricKey(using: SHA256.self, salt: Data(), sharedInfo: message, outputByteCount: 32)
    #expect(ours == theirs)
  }
}
