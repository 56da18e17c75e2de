import Crypto

/// Security 2's cipher: AES-256-GCM without associated data, the tag behind the text. The nonce is eight bytes that the device
/// drew, and a number.
///
/// With patch version 1 (2025) each message of either direction takes the next number, so that no message is accepted twice or
/// in the other direction, and no nonce is used twice. With patch version 0 all messages have the same nonce: who knows the text of
/// one reads the others. The device here never offers it.
package struct CountedCipher: Sendable {
  private static let tagLength = 16
  static let nonceLength = 12

  private let key: SymmetricKey
  private let prefix: [UInt8]
  private let counts: Bool
  /// The number of the next message; nil after the last.
  private var number: UInt32?

  /// - Parameter nonce: The first message's, 12 bytes.
  init(key: SymmetricKey, nonce: [UInt8], counts: Bool) {
    self.key = key
    self.counts = counts
    prefix = Array(nonce.prefix(8))
    number = nonce.dropFirst(8).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// How many messages are left.
  package var remaining: UInt64 {
    guard let number else { return 0 }
    return counts ? UInt64(UInt32.max - number) + 1 : .max
  }

  package mutating func seal(_ text: [UInt8]) throws(ProtocommSecurityError) -> [UInt8] {
    let nonce = try nonce()
    do {
      let box = try AES.GCM.seal(text, using: key, nonce: nonce)
      advance()
      return Array(box.ciphertext) + Array(box.tag)
    } catch {
      throw .refusedByLibrary
    }
  }

  /// A message that does not open leaves the number as it was.
  package mutating func open(_ bytes: [UInt8]) throws(ProtocommSecurityError) -> [UInt8] {
    let nonce = try nonce()
    guard bytes.count >= Self.tagLength else { throw .unauthentic }
    do {
      let box = try AES.GCM.SealedBox(
        nonce: nonce, ciphertext: bytes.dropLast(Self.tagLength), tag: bytes.suffix(Self.tagLength))
      let text = Array(try AES.GCM.open(box, using: key))
      advance()
      return text
    } catch {
      throw .unauthentic
    }
  }

  private mutating func advance() {
    guard counts, let last = number else { return }
    // After the last number comes no other one: it would be the first again.
    number = last == .max ? nil : last + 1
  }

  private func nonce() throws(ProtocommSecurityError) -> AES.GCM.Nonce {
    guard let number else { throw .exhausted }
    let bytes = prefix + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    do {
      return try AES.GCM.Nonce(data: bytes)
    } catch {
      throw .refusedByLibrary
    }
  }
}
