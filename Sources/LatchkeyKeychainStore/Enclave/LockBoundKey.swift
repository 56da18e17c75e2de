import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyUserPresence

/// A loaded key that works only while the class keys of its protection are available. A caller that still holds it after the
/// keychain was locked cannot use it.
final class LockBoundKey: LoadedKey {
  /// The access control to which the user has consented.
  let control: StoredControl
  private let key: any LoadedKey
  private let ring: KeyRing
  private var protection: Accessibility { control.protection }

  init(_ key: any LoadedKey, control: StoredControl, ring: KeyRing) {
    self.key = key
    self.control = control
    self.ring = ring
  }

  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8] {
    _ = try ring.classKeys(for: protection)
    return try key.sign(digest: digest)
  }

  func sharedSecret(with peer: [UInt8]) throws(StoreError) -> [UInt8] {
    _ = try ring.classKeys(for: protection)
    return try key.sharedSecret(with: peer)
  }

  func attest(challenge: [UInt8]) throws(StoreError) -> [UInt8]? {
    _ = try ring.classKeys(for: protection)
    return try key.attest(challenge: challenge)
  }
}
