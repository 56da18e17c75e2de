package import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData

/// The two keys of one accessibility: one wraps the items' data keys, the other seals their attributes.
package struct ClassKeys: Sendable {
  /// Wraps data keys.
  package let secret: SymmetricKey
  /// Seals attributes.
  package let metadata: SymmetricKey
  /// The generation of the class's keys.
  package let epoch: UInt32

  /// Generates new keys.
  init(epoch: UInt32) {
    secret = SymmetricKey(size: .bits256)
    metadata = SymmetricKey(size: .bits256)
    self.epoch = epoch
  }

  /// Generates a metadata key, and reuses this secret key, which continues under its own record.
  init(keeping secret: SymmetricKey, epoch: UInt32) {
    self.secret = secret
    metadata = SymmetricKey(size: .bits256)
    self.epoch = epoch
  }

  /// Asks the system to exclude both keys from swap and core dumps.
  func keepInMemory() {
    secret.keepInMemory()
    metadata.keepInMemory()
  }

  /// Reads the keys from an opened record and wipes its bytes; nil if there are not 64.
  init?(consuming bytes: inout [UInt8], epoch: UInt32) {
    defer { bytes.wipe() }
    guard bytes.count == 64 else { return nil }
    secret = SymmetricKey(data: bytes[0..<32])
    metadata = SymmetricKey(data: bytes[32..<64])
    self.epoch = epoch
  }

  /// The bytes of both keys; the caller wraps and wipes them.
  var exposedBytes: [UInt8] { secret.exposedBytes(and: metadata) }
}

extension Accessibility {
  /// Whether the device root alone wraps the class's keys, even if a passcode is set.
  var isUnderDeviceRoot: Bool { availability == .always }
}
