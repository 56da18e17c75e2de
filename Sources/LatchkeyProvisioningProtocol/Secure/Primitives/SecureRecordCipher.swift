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
    guard let nonce = nonce(),
      let box = try? ChaChaPoly.seal(plaintext, using: key, nonce: nonce, authenticating: data)
    else { return nil }
    counter += 1
    return Array(box.ciphertext) + Array(box.tag)
  }

  /// The plaintext of the next record; nil if the bytes are not it, or there is none left.
  mutating func open(_ sealed: [UInt8], authenticating data: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Self.tagLength, let nonce = nonce() else { return nil }
    let end = sealed.count - Self.tagLength
    guard let box = try? ChaChaPoly.SealedBox(nonce: nonce, ciphertext: sealed[..<end], tag: sealed[end...]),
      let plaintext = try? ChaChaPoly.open(box, using: key, authenticating: data)
    else { return nil }
    counter += 1
    return Array(plaintext)
  }

  private func nonce() -> ChaChaPoly.Nonce? {
    guard counter < Self.limit else { return nil }
    var writer = ByteWriter(capacity: 12)
    writer.zeros(4)
    writer.uint64(counter)
    return try? ChaChaPoly.Nonce(data: writer.bytes)
  }
}
