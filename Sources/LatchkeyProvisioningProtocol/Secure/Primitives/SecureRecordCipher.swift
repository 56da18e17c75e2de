import Crypto
import LatchkeyByteCoding

/// ChaCha20-Poly1305 (RFC 8439) for one direction, with a counter that both sides keep.
struct SecureRecordCipher: Sendable {
  static let tagLength = 16
  /// The records that one key is good for.
  static let limit: UInt64 = 1 << 32

  private let key: SymmetricKey
  private(set) var counter: UInt64

  init(_ key: SymmetricKey, counter: UInt64 = 0) {
    self.key = key
    self.counter = counter
  }

  init(_ key: SecretBytes, counter: UInt64 = 0) {
    self.init(key.withUnsafeBytes { SymmetricKey(data: $0) }, counter: counter)
  }

  /// The ciphertext and tag of the next record; nil if there is none left.
  mutating func seal(_ plaintext: [UInt8], authenticating data: [UInt8]) -> [UInt8]? {
    guard let nonce = nonce(), let sealed = Self.seal(plaintext, key, nonce: nonce, authenticating: data)
    else { return nil }
    counter += 1
    return sealed
  }

  /// The plaintext of the next record; nil if the bytes are not it, or there is none left.
  mutating func open(_ sealed: [UInt8], authenticating data: [UInt8]) -> [UInt8]? {
    guard let nonce = nonce(), let plaintext = Self.open(sealed, key, nonce: nonce, authenticating: data)
    else { return nil }
    counter += 1
    return plaintext
  }

  private func nonce() -> [UInt8]? {
    guard counter < Self.limit else { return nil }
    var writer = ByteWriter(capacity: 12)
    writer.zeros(4)
    writer.uint64(counter)
    return writer.bytes
  }

  /// The ciphertext and tag under a nonce of 12 bytes (RFC 8439 2.8).
  static func seal(
    _ plaintext: [UInt8], _ key: SymmetricKey, nonce: [UInt8], authenticating data: [UInt8]
  ) -> [UInt8]? {
    guard let nonce = try? ChaChaPoly.Nonce(data: nonce),
      let box = try? ChaChaPoly.seal(plaintext, using: key, nonce: nonce, authenticating: data)
    else { return nil }
    return Array(box.ciphertext) + Array(box.tag)
  }

  /// The plaintext of ciphertext and tag; nil if they are not what the key has sealed under the nonce.
  static func open(
    _ sealed: [UInt8], _ key: SymmetricKey, nonce: [UInt8], authenticating data: [UInt8]
  ) -> [UInt8]? {
    guard sealed.count >= tagLength, let nonce = try? ChaChaPoly.Nonce(data: nonce) else { return nil }
    let end = sealed.count - tagLength
    guard let box = try? ChaChaPoly.SealedBox(nonce: nonce, ciphertext: sealed[..<end], tag: sealed[end...]),
      let plaintext = try? ChaChaPoly.open(box, using: key, authenticating: data)
    else { return nil }
    return Array(plaintext)
  }
}
