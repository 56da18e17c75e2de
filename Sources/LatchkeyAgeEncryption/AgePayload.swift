import Crypto
import Foundation

/// The payload of an age file: chunks of 64 KiB, each bound to its number and to whether it is the last (c2sp.org/age,
/// "Payload").
struct AgePayload: Sendable {
  static let chunkSize = 65536
  static let nonceSize = 16
  static let tagSize = 16

  private let key: SymmetricKey
  /// The number of the next chunk.
  private(set) var counter: UInt64 = 0

  /// - Parameter nonce: The 16 bytes before the first chunk.
  init(fileKey: SymmetricKey, nonce: [UInt8]) {
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: fileKey, salt: nonce, info: Data("payload".utf8), outputByteCount: 32)
  }

  /// Encrypts the next chunk.
  mutating func seal(_ chunk: some DataProtocol, isLast: Bool) -> [UInt8] {
    guard let box = try? ChaChaPoly.seal(chunk, using: key, nonce: nextNonce(isLast: isLast)) else { return [] }
    return Array(box.ciphertext + box.tag)
  }

  /// Decrypts the next chunk; nil if it is not authentic at this position.
  mutating func open(_ chunk: ArraySlice<UInt8>, isLast: Bool) -> [UInt8]? {
    guard chunk.count >= Self.tagSize,
      let box = try? ChaChaPoly.SealedBox(
        nonce: nextNonce(isLast: isLast), ciphertext: chunk.dropLast(Self.tagSize), tag: chunk.suffix(Self.tagSize)),
      let bytes = try? ChaChaPoly.open(box, using: key)
    else { return nil }
    return Array(bytes)
  }

  private mutating func nextNonce(isLast: Bool) throws -> ChaChaPoly.Nonce {
    var bytes = [UInt8](repeating: 0, count: 12)
    for index in 0..<8 { bytes[10 - index] = UInt8(truncatingIfNeeded: counter >> UInt64(8 * index)) }
    bytes[11] = isLast ? 1 : 0
    counter += 1
    return try ChaChaPoly.Nonce(data: bytes)
  }
}
