public import Crypto
public import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData
public import Security

extension SecureEnclave {
  /// What two keys have agreed on: CryptoKit's `SharedSecret`, of which swift-crypto lets nobody else make one.
  public struct SharedSecret: ContiguousBytes, Hashable, Sendable {
    private let key: SymmetricKey

    init(consuming bytes: inout [UInt8]) {
      key = SymmetricKey(data: bytes)
      // Where they are this array's alone: nobody else has seen them.
      bytes.wipe()
    }

    /// Lends the bytes: the x coordinate, 32 of them.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
      try key.withUnsafeBytes(body)
    }

    /// A key from HKDF (RFC 5869).
    public func hkdfDerivedSymmetricKey<H: HashFunction>(
      using hashFunction: H.Type, salt: some DataProtocol, sharedInfo: some DataProtocol, outputByteCount: Int
    ) -> SymmetricKey {
      HKDF<H>.deriveKey(
        inputKeyMaterial: key, salt: Data(salt), info: Data(sharedInfo), outputByteCount: outputByteCount)
    }

    /// A key from the key derivation function of ANSI X9.63 (SEC 1 3.6.1).
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

    /// Hashes nothing: a secret leaves no trace in a table's order.
    public func hash(into hasher: inout Hasher) {}
  }

  /// What guards a key where its maker says nothing: it can be used while the keychain is unlocked, by this process.
  public static var unguarded: SecAccessControl {
    SecAccessControl(AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage))
  }
}
