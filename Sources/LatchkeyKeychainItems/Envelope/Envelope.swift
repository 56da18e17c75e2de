import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding
import Security

/// A value encrypted by a password: scrypt derives the key, AES-256-GCM encrypts and authenticates value, header and context.
package enum Envelope {
  /// log2 of scrypt's N for new envelopes: 64 MiB of memory, and a large part of a second in unoptimized builds.
  package static let logRounds: UInt8 = 16

  /// Encrypts `value` under a password and context. Salt and nonce are fresh each time.
  package static func seal(
    _ value: [UInt8], password: String, context: String, logRounds: UInt8 = logRounds
  ) throws(EnvelopeError) -> [UInt8] {
    let nonce = AES.GCM.Nonce()
    var header = EnvelopeHeader(
      logRounds: logRounds, salt: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }, check: [],
      nonce: Array(nonce))
    let keys = try Keys(password: password, header: header)
    header.check = Array(HMAC<SHA256>.authenticationCode(for: header.checkedBytes, using: keys.check))
    let head = header.encode()
    guard
      let box = try? AES.GCM.seal(
        value, using: keys.encryption, nonce: nonce, authenticating: head + Array(context.utf8))
    else { throw .outOfMemory }
    return head + box.ciphertext + box.tag
  }

  /// Decrypts the value in `bytes`.
  package static func open(
    _ bytes: [UInt8], password: String, context: String,
    minimumLogRounds: UInt8 = EnvelopeHeader.logRoundsRange.lowerBound
  ) throws(EnvelopeError) -> [UInt8] {
    var reader = ByteReader(bytes)
    let header = try EnvelopeHeader(from: &reader, minimumLogRounds: minimumLogRounds)
    let content = reader.remainingBytes()
    guard content.count >= tagSize else { throw .damaged }
    let keys = try Keys(password: password, header: header)
    guard
      HMAC<SHA256>.isValidAuthenticationCode(header.check, authenticating: header.checkedBytes, using: keys.check)
    else { throw .wrongPassword }
    guard let nonce = try? AES.GCM.Nonce(data: header.nonce),
      let box = try? AES.GCM.SealedBox(
        nonce: nonce, ciphertext: content.dropLast(tagSize), tag: content.suffix(tagSize)),
      let value = try? AES.GCM.open(
        box, using: keys.encryption, authenticating: bytes.prefix(EnvelopeHeader.size) + Array(context.utf8))
    else { throw .damaged }
    return Array(value)
  }

  private static let tagSize = 16

  /// The two independent keys derived from a password.
  private struct Keys {
    let check: SymmetricKey
    let encryption: SymmetricKey

    init(password: String, header: EnvelopeHeader) throws(EnvelopeError) {
      // Systems compose or decompose the same typed password (RFC 8265 section 4.2.2).
      var text = Array(password.precomposedStringWithCanonicalMapping.utf8)
      defer { text.wipe() }
      guard
        let master = try? KDF.Scrypt.deriveKey(
          from: text, salt: header.salt, outputByteCount: 32, rounds: 1 << Int(header.logRounds), blockSize: 8,
          parallelism: 1)
      else { throw .outOfMemory }
      check = Self.key(master, "latchkey envelope 1: key check")
      encryption = Self.key(master, "latchkey envelope 1: encryption")
    }

    private static func key(_ master: SymmetricKey, _ use: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(inputKeyMaterial: master, info: Array(use.utf8), outputByteCount: 32)
    }
  }
}
