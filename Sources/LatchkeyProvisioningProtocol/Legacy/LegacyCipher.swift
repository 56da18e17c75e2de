import Crypto
import CryptoExtras

/// Why the legacy cipher refuses its input.
public enum LegacyCipherError: Error, Equatable, Sendable {
  /// A key has this many bytes: neither 24, nor 32 of which the last 8 are zero.
  case keyLength(Int)
  /// A ciphertext has this many bytes, not a multiple of 16.
  case ciphertextLength(Int)
  /// The cryptographic library refused a valid operation; no reason is known.
  case refusedByLibrary
}

/// A key of the legacy protocol: the x coordinate of the shared point, used unchanged as an AES-192 key.
///
/// **Unauthenticated.** AES-192-CBC with one constant initialization vector, no padding but zero fill and no
/// authentication code: an attacker in range can alter, cut, repeat and reflect messages. The key's storage is wiped with
/// its last copy, and it never prints.
public struct LegacyMessageKey: Sendable {
  /// A key's length in bytes.
  public static let length = 24
  /// The cipher's block, in bytes.
  public static let blockLength = 16

  private let key: SymmetricKey

  /// The key that a finished key agreement yields.
  public init(_ secret: borrowing Secp192k1.SharedSecret) {
    key = secret.withUnsafeBytes { SymmetricKey(data: $0) }
  }

  /// A key from its bytes: 24, or GMObjC 3.x' 32, of which the last 8 are zero and no part of the key.
  ///
  /// - Throws: `LegacyCipherError.keyLength` for anything else.
  public init(bytes: [UInt8]) throws(LegacyCipherError) {
    let excess = bytes.dropFirst(Self.length)
    guard bytes.count == Self.length || bytes.count == Self.length + 8, excess.allSatisfy({ $0 == 0 }) else {
      throw .keyLength(bytes.count)
    }
    key = SymmetricKey(data: bytes.prefix(Self.length))
  }

  /// `plaintext` with 1 to 16 zero bytes after it: a length that is a multiple of 16 gets a whole block more.
  public static func zeroFilled(_ plaintext: [UInt8]) -> [UInt8] {
    plaintext + repeatElement(0, count: blockLength - plaintext.count % blockLength)
  }

  /// The ciphertext of `plaintext`, zero-filled: 1 to 16 bytes longer than it, a multiple of 16.
  public func encrypt(_ plaintext: [UInt8]) throws(LegacyCipherError) -> [UInt8] {
    do {
      let ciphertext = try AES._CBC.encrypt(
        Self.zeroFilled(plaintext), using: key, iv: Self.initializationVector(), noPadding: true)
      return Array(ciphertext)
    } catch {
      throw .refusedByLibrary
    }
  }

  /// The message inside `ciphertext`, its zero fill included; a peer may also fill only where it must.
  ///
  /// An empty ciphertext is an empty message here, as it is in the original app; frames never carry one.
  ///
  /// - Throws: `LegacyCipherError.ciphertextLength` unless the length is a multiple of 16.
  public func decrypt(_ ciphertext: [UInt8]) throws(LegacyCipherError) -> LegacyUnauthenticatedMessage {
    guard ciphertext.count % Self.blockLength == 0 else { throw .ciphertextLength(ciphertext.count) }
    // The library throws on an empty text.
    guard !ciphertext.isEmpty else { return LegacyUnauthenticatedMessage(bytes: []) }
    do {
      let plaintext = try AES._CBC.decrypt(
        ciphertext, using: key, iv: Self.initializationVector(), noPadding: true)
      return LegacyUnauthenticatedMessage(bytes: Array(plaintext))
    } catch {
      throw .refusedByLibrary
    }
  }

  /// 00 to 0F, for every message in both directions: a constant of the protocol.
  private static func initializationVector() throws -> AES._CBC.IV {
    try AES._CBC.IV(ivBytes: Array(0...0x0F as ClosedRange<UInt8>))
  }
}

extension LegacyMessageKey: CustomStringConvertible, CustomReflectable {
  /// The type's name alone.
  public var description: String { "LegacyMessageKey" }
  /// Empty: a key never prints its parts.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
