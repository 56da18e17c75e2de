import Foundation
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// The IRK of a host, in an item beside its bonds (`StoredResolvingKeys`).
extension KeychainBondStore {
  /// The IRK; the first call draws and stores it. A damaged item is reported and replaced.
  func resolvingKey(_ draw: () -> SecurityKey?) throws(KeychainBondError) -> SecurityKey? {
    let item = BondItems.Item(
      account: Self.account(of: local), label: "Bluetooth key of \(local) for private addresses",
      kind: "Bluetooth key")
    var drawn: SecurityKey?
    for _ in 0..<BondItems.attempts {
      var revision: Data?
      var damage: KeychainBondError?
      do throws(KeychainBondError) {
        if var content = try keys.content(of: item.account) {
          defer { content.bytes.wipe() }
          revision = content.revision
          return try key(in: content.bytes, item.account)
        }
      } catch {
        // What the keychain cannot read, it does not replace.
        guard case .damaged = error else { throw error }
        damage = error
      }
      drawn = drawn ?? draw()
      guard let drawn else { return nil }
      var bytes = StoredResolvingKeys.encode([PairingIdentity(address: local, resolvingKey: drawn)])
      defer { bytes.wipe() }
      if let damage {
        guard try keys.replace(item, revision: revision, &bytes) else { continue }
        report("\(damage); paired devices do not recognize private addresses of this host")
        return drawn
      }
      if try keys.add(item, &bytes) { return drawn }
    }
    throw .contended
  }

  private func key(in bytes: [UInt8], _ account: String) throws(KeychainBondError) -> SecurityKey {
    let entries: [StoredResolvingKeys.Entry]
    do throws(StoredFileError) { entries = try StoredResolvingKeys.decode(bytes) } catch {
      throw KeychainBondError(error, account: account)
    }
    guard entries.count == 1, let entry = entries.first, entry.address == local else {
      throw .damaged(account: account, reason: "its key is another one")
    }
    return entry.resolvingKey
  }
}
