package import Crypto
import LatchkeyByteCoding

/// The device root: the 32 bytes from which a keychain's other keys are derived, or by which they are wrapped.
///
/// It is available without the user; keys that a passcode protects are wrapped by the user root as well.
package struct RootKey: Sendable {
  /// The key's size, in bytes.
  package static let byteCount = 32
  /// The key.
  package let key: SymmetricKey

  /// Creates a root key from these bytes, and wipes them; nil if there are not 32.
  package init?(consuming bytes: inout [UInt8]) {
    defer { bytes.wipe() }
    guard bytes.count == Self.byteCount else { return nil }
    key = SymmetricKey(data: bytes)
    key.keepInMemory()
  }

  /// Generates a root key from the system's random source.
  package init() {
    key = SymmetricKey(size: .bits256)
    key.keepInMemory()
  }

  /// Derives the key for one use in one keychain: HKDF-SHA256 with the keychain's UUID as salt, so that one key file may serve
  /// several keychains.
  package func derive(_ label: String, storeUUID: [UInt8]) -> SymmetricKey {
    key.derive(label, storeUUID: storeUUID)
  }
}

extension SymmetricKey {
  /// HKDF-SHA256 (RFC 5869) of this key, with the keychain's UUID as salt; the label separates uses.
  package func derive(_ label: String, storeUUID: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: self, salt: storeUUID, info: Array("latchkey/1/\(label)".utf8), outputByteCount: 32)
  }
}
