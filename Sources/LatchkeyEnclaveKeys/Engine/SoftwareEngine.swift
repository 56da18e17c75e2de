import Crypto
import Foundation
import LatchkeyByteCoding
package import LatchkeyKeychainModel
import LatchkeySecretData

/// Keys in this process's memory while they are used, and sealed by their keychain otherwise. It says "software" wherever
/// it is asked.
package final class SoftwareEngine: KeyEngine {
  /// Software.
  package let backend = EnclaveBackend.software
  private let now: @Sendable () -> Double

  /// An engine.
  ///
  /// - Parameter now: seconds since 1970, for the time of creation that statements name.
  package init(now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }) { self.now = now }

  /// Makes a key. The secret is its scalar; the blob tells when it was made.
  package func create(_ control: AccessControl) throws(StoreError) -> CreatedKey {
    // Apple's enclaves make keys of every sign of y, too.
    let key = P256.Signing.PrivateKey(compactRepresentable: false)
    var scalar = key.rawRepresentation
    return CreatedKey(
      publicKey: [UInt8](key.publicKey.x963Representation), blob: SoftwareBlob(created: now()).encoded,
      secret: scalar.movedOut())
  }

  /// The key again. That the scalar is the public key's is checked.
  package func load(
    publicKey: [UInt8], blob: [UInt8], secret: [UInt8], control: AccessControl
  ) throws(StoreError) -> any LoadedKey {
    let blob = try SoftwareBlob(encoded: blob)
    guard publicKey.count == KeyRepresentation.publicKeySize, secret.count == 32 else {
      throw .damaged("a key of the enclave has a wrong length")
    }
    var pair: [UInt8] = []
    // In one piece, so that no half of it stays behind where the array grew.
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

/// What the software engine keeps of a key in the clear: `UInt8` version 1, `Int64` seconds since 1970, least significant
/// byte first.
private struct SoftwareBlob {
  private static let version: UInt8 = 1
  var created: Int64

  /// The blob of a key made at this time; a clock before 1970 is one that was not set.
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
