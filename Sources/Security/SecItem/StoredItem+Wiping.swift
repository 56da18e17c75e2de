internal import LatchkeyByteCoding
internal import LatchkeyKeychainModel

/// Secrets on their way through the calls are overwritten when these are done: the copies that were made here. The
/// caller's own data, and the data returned, are the caller's to care for.
extension [StoredItem] {
  /// Overwrites the items' data.
  mutating func wipeData() {
    for index in indices { self[index].data?.wipe() }
  }
}
