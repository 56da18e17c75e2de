package import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData

/// The two keys of one accessibility: one wraps the items' data keys, one seals their attributes.
package struct ClassKeys: Sendable {
  /// Wraps data keys.
  package let secret: SymmetricKey
  /// Seals attributes.
  package let metadata: SymmetricKey
  /// Which generation of the class's keys this is.
  package let epoch: UInt32

  /// New keys.
  init(epoch: UInt32) {
    secret = SymmetricKey(size: .bits256)
    metadata = SymmetricKey(size: .bits256)
    self.epoch = epoch
  }

  /// Keys with this secret one, which goes on under a record of its own.
  init(keeping secret: SymmetricKey, epoch: UInt32) {
    self.secret = secret
    metadata = SymmetricKey(size: .bits256)
    self.epoch = epoch
  }

  /// Asks the system to keep both out of the swap and out of core dumps.
  func keepInMemory() {
    secret.keepInMemory()
    metadata.keepInMemory()
  }

  /// The keys of an opened record, whose bytes are wiped; nil if there are not 64.
  init?(consuming bytes: inout [UInt8], epoch: UInt32) {
    defer { bytes.wipe() }
    guard bytes.count == 64 else { return nil }
    secret = SymmetricKey(data: bytes[0..<32])
    metadata = SymmetricKey(data: bytes[32..<64])
    self.epoch = epoch
  }

  /// Both keys, to be wrapped and wiped.
  var exposedBytes: [UInt8] { secret.exposedBytes(and: metadata) }
}

extension Accessibility {
  /// Whether the class's keys are wrapped by the device root alone, passcode or not.
  var isUnderDeviceRoot: Bool { availability == .always }
}
