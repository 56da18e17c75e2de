import Crypto
import Foundation
import LatchkeyByteCoding
package import LatchkeyKeychainModel
import LatchkeySecretData

/// An engine that holds keys in this process's memory during use; their keychain seals them otherwise. It always reports itself
/// as software.
package final class SoftwareEngine: KeyEngine {
  /// Software.
  package let backend = EnclaveBackend.software
  private let now: @Sendable () -> Double

  /// Creates an engine.
  ///
  /// - Parameter now: returns seconds since 1970, for the time of creation in statements.
  package init(now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }) { self.now = now }

  /// Generates a key. The secret is its scalar; the blob holds the time of its creation.
  package func create(_ control: AccessControl) throws(StoreError) -> CreatedKey {
    // Apple's enclaves generate keys of either sign of y, too.
    let key = P256.Signing.PrivateKey(compactRepresentable: false)
    var scalar = key.rawRepresentation
    return CreatedKey(
      publicKey: [UInt8](key.publicKey.x963Representation), blob: SoftwareBlob(created: now()).encoded,
      secret: scalar.movedOut())
  }

  /// Loads a key and verifies that the scalar belongs to the public key.
  package func load(
    publicKey: [UInt8], blob: [UInt8], secret: [UInt8], control: AccessControl
  ) throws(StoreError) -> any LoadedKey {
    let blob = try SoftwareBlob(encoded: blob)
    guard publicKey.count == KeyRepresentation.publicKeySize, secret.count == 32 else {
      throw .damaged("a key of the enclave has a wrong length")
    }
    var pair: [UInt8] = []
    // One allocation, so that growth of the array leaves no copy of a part.
    pair.reserveCapacity(publicKey.count + secret.count)
    pair += publicKey
    pair += secret
    defer { pair.wipe() }
    guard let signing = try? P256.Signing.PrivateKey(x963Representation: pair) else {
      throw .damaged("the secret of a key of the enclave is not its public key's")
    }
    return SoftwareKey(signing: signing, publicKey: publicKey, control: control, created: blob.created)
  }
}

/// The software engine's blob, not secret: `UInt8` version 1, `Int64` seconds since 1970, least significant byte first.
private struct SoftwareBlob {
  private static let version: UInt8 = 1
  var created: Int64

  /// Creates the blob of a key generated at this time; a time before 1970 means an unset clock and becomes 0.
  init(created: Double) { self.created = created.isFinite && created > 0 ? Int64(min(created, 1e15)) : 0 }

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 9)
    writer.uint8(Self.version)
    writer.uint64(UInt64(bitPattern: created))
    return writer.bytes
  }

  init(encoded: [UInt8]) throws(StoreError) {
    do {
      var reader = ByteReader(encoded)
      guard try reader.uint8("version of a software key") == Self.version else {
        throw ByteCodingError.invalidValue(field: "version of a software key")
      }
      created = Int64(bitPattern: try reader.uint64("time of a software key"))
      try reader.finish("software key")
    } catch {
      throw .damaged("a key of the enclave does not read: \(error)")
    }
  }
}
