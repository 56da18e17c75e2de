import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding
import LatchkeySecretData

/// The file key, wrapped for an X25519 recipient (c2sp.org/age, "X25519 recipient stanza").
enum X25519Wrapping {
  static let type = "X25519"
  private static let info = Data("age-encryption.org/v1/X25519".utf8)

  /// - Parameter ephemeral: A key used for this stanza only.
  /// - Throws: ``AgeError/malformedRecipient`` for a point that yields no secret.
  static func wrap(
    _ fileKey: SymmetricKey, for recipient: AgeRecipient, ephemeral: Curve25519.KeyAgreement.PrivateKey
  ) throws(AgeError) -> AgeStanza {
    let share = [UInt8](ephemeral.publicKey.rawRepresentation)
    guard let key = wrapKey(ephemeral, recipient.publicKey, salt: share + recipient.publicKey) else {
      throw .malformedRecipient
    }
    return AgeStanza(
      arguments: [type, Base64.encode(share, as: .standardUnpadded)], body: FileKeyBox.seal(fileKey, under: key))
  }

  /// Unwraps the file key; nil if the stanza is for another recipient.
  ///
  /// - Throws: ``AgeError/malformedHeader(_:)`` for a malformed stanza of this type.
  static func unwrap(_ stanza: AgeStanza, by identity: AgeIdentity) throws(AgeError) -> SymmetricKey? {
    guard stanza.arguments.count == 2, let share = try? Base64.decode(stanza.arguments[1], as: .standardUnpadded),
      share.count == 32,
      stanza.body.count == FileKeyBox.sealedSize
    else { throw .malformedHeader("an X25519 stanza has another form") }
    guard let key = wrapKey(identity.key, share, salt: share + identity.recipient.publicKey) else {
      throw .malformedHeader("the share of an X25519 stanza yields no secret")
    }
    return FileKeyBox.open(stanza.body, under: key)
  }

  /// Derives the wrapping key; nil for a point of low order, whose secret would be predictable.
  private static func wrapKey(
    _ own: Curve25519.KeyAgreement.PrivateKey, _ point: [UInt8], salt: [UInt8]
  ) -> SymmetricKey? {
    guard let other = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: point),
      let secret = try? own.sharedSecretFromKeyAgreement(with: other),
      secret.withUnsafeBytes({ $0.contains { $0 != 0 } })
    else { return nil }
    return secret.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: Data(salt), sharedInfo: info, outputByteCount: 32)
  }
}

/// The file key, wrapped by a passphrase (c2sp.org/age, "scrypt recipient stanza").
enum ScryptWrapping {
  static let type = "scrypt"
  private static let label = Array("age-encryption.org/v1/scrypt".utf8)
  private static let saltSize = 16

  /// - Throws: ``AgeError/outOfMemory(workFactor:)``.
  static func wrap(
    _ fileKey: SymmetricKey, passphrase: [UInt8], salt: [UInt8], workFactor: Int
  ) throws(AgeError) -> AgeStanza {
    let key = try wrapKey(passphrase, salt, workFactor)
    return AgeStanza(
      arguments: [type, Base64.encode(salt, as: .standardUnpadded), String(workFactor)],
      body: FileKeyBox.seal(fileKey, under: key))
  }

  /// Unwraps the file key; nil for another passphrase.
  ///
  /// - Throws: ``AgeError/malformedHeader(_:)``, ``AgeError/workFactor(found:maximum:)``, ``AgeError/outOfMemory(workFactor:)``.
  static func unwrap(
    _ stanza: AgeStanza, passphrase: [UInt8], maximumWorkFactor: Int
  ) throws(AgeError) -> SymmetricKey? {
    guard stanza.arguments.count == 3, let salt = try? Base64.decode(stanza.arguments[1], as: .standardUnpadded),
      salt.count == saltSize,
      let workFactor = number(stanza.arguments[2]), stanza.body.count == FileKeyBox.sealedSize
    else { throw .malformedHeader("the scrypt stanza has another form") }
    guard workFactor <= maximumWorkFactor else { throw .workFactor(found: workFactor, maximum: maximumWorkFactor) }
    return FileKeyBox.open(stanza.body, under: try wrapKey(passphrase, salt, workFactor))
  }

  /// Parses a decimal number without leading zeros or sign.
  private static func number(_ text: String) -> Int? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !text.hasPrefix("0") else { return nil }
    return text.utf8.count > 9 ? Int.max : Int(text)
  }

  private static func wrapKey(_ passphrase: [UInt8], _ salt: [UInt8], _ workFactor: Int) throws(AgeError)
    -> SymmetricKey
  {
    guard
      let key = try? KDF.Scrypt.deriveKey(
        from: passphrase, salt: label + salt, outputByteCount: 32, rounds: 1 << workFactor, blockSize: 8, parallelism: 1
      )
    else { throw .outOfMemory(workFactor: workFactor) }
    return key
  }
}

/// ChaCha20-Poly1305 with a zero nonce, by a key that is used once.
private enum FileKeyBox {
  static let sealedSize = 32

  static func seal(_ fileKey: SymmetricKey, under key: SymmetricKey) -> [UInt8] {
    guard let nonce = try? ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12)),
      let box = try? ChaChaPoly.seal(fileKey.withUnsafeBytes { Data($0) }, using: key, nonce: nonce)
    else { return [] }
    return Array(box.ciphertext + box.tag)
  }

  static func open(_ sealed: [UInt8], under key: SymmetricKey) -> SymmetricKey? {
    guard
      let box = try? ChaChaPoly.SealedBox(combined: [UInt8](repeating: 0, count: 12) + sealed),
      var bytes = try? ChaChaPoly.open(box, using: key)
    else { return nil }
    defer { bytes.wipe() }
    return SymmetricKey(data: bytes)
  }
}
