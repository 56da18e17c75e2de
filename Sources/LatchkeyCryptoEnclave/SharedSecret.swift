public import Crypto
public import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData
public import Security

extension SecureEnclave {
  /// The shared secret of a key agreement: CryptoKit's `SharedSecret`. It replaces swift-crypto's type, which has no public
  /// initializer.
  public struct SharedSecret: ContiguousBytes, Hashable, Sendable {
    private let key: SymmetricKey

    init(consuming bytes: inout [UInt8]) {
      key = SymmetricKey(data: bytes)
      // The caller's array is unique, so the wipe overwrites the only other copy.
      bytes.wipe()
    }

    /// Calls `body` with the 32 bytes of the x coordinate.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
      try key.withUnsafeBytes(body)
    }

    /// Derives a key with HKDF (RFC 5869).
    public func hkdfDerivedSymmetricKey<H: HashFunction>(
      using hashFunction: H.Type, salt: some DataProtocol, sharedInfo: some DataProtocol, outputByteCount: Int
    ) -> SymmetricKey {
      HKDF<H>.deriveKey(
        inputKeyMaterial: key, salt: Data(salt), info: Data(sharedInfo), outputByteCount: outputByteCount)
    }

    /// Derives a key with the key derivation function of ANSI X9.63 (SEC 1 3.6.1).
    public func x963DerivedSymmetricKey<H: HashFunction>(
      using hashFunction: H.Type, sharedInfo: some DataProtocol, outputByteCount: Int
    ) -> SymmetricKey {
      precondition(outputByteCount > 0 && outputByteCount <= 1 << 20, "a key has 1 byte to 1 MiB")
      var derived = Data(capacity: outputByteCount + H.Digest.byteCount)
      defer { derived.wipe() }
      var counter: UInt32 = 1
      while derived.count < outputByteCount {
        var hash = H()
        key.withUnsafeBytes { hash.update(bufferPointer: $0) }
        Swift.withUnsafeBytes(of: counter.bigEndian) { hash.update(bufferPointer: $0) }
        hash.update(data: sharedInfo)
        hash.finalize().withUnsafeBytes { derived.append(contentsOf: $0) }
        counter += 1
      }
      return SymmetricKey(data: derived.prefix(outputByteCount))
    }

    /// Compares in constant time.
    public static func == (a: SharedSecret, b: SharedSecret) -> Bool { a.key == b.key }

    /// Hashes nothing, so that the order of a hash table does not depend on the secret.
    public func hash(into hasher: inout Hasher) {}
  }

  /// The default access control: the key can be used while the keychain is unlocked in this process.
  public static var unguarded: SecAccessControl {
    SecAccessControl(AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage))
  }
}
