internal import LatchkeyByteCoding
internal import LatchkeyKeychainModel

/// Calls wipe their own copies of secrets when they end. The caller's data and the returned data are the caller's
/// responsibility.
extension [StoredItem] {
  /// Overwrites the items' data.
  mutating func wipeData() {
    for index in indices { self[index].data?.wipe() }
  }
}
