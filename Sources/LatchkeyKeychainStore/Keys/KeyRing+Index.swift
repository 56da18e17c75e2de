import Crypto
import LatchkeyKeychainModel
import Synchronization

// The index keys. The key that made an item's tags can confirm guesses of its attributes. The index key of rows under the user
// root is random and wrapped by the user root, so that the device root and the file do not yield it.
extension KeyRing {
  /// The index key of the rows under the user root.
  enum UserIndex {
    /// The device's index key: no passcode is set, or an earlier version made the tags.
    case device
    /// A separate key.
    case own(SymmetricKey)
    /// A separate key that is unavailable before the first unlock.
    case unknown
  }

  /// The current index key of the rows under the user root.
  var userIndex: UserIndex {
    state.withLock { state in
      guard state.records.indexRecord != nil else { return .device }
      return state.userIndexKey.map { .own($0) } ?? .unknown
    }
  }

  /// Whether a passcode is set but the tags do not depend on it, as in keychains of earlier versions.
  var hasEarlierTags: Bool {
    state.withLock { $0.records.passcodeRecord != nil && $0.records.indexRecord == nil }
  }

  /// Seals a new index key for the rows under the user root.
  static func newIndexKey(epoch: UInt32, under key: SymmetricKey, seal: RecordSeal) throws(StoreError) -> KeyRecord {
    try SymmetricKey(size: .bits256).sealed(as: .indexKey, epoch: epoch, under: key, seal: seal)
  }

  static func indexKey(
    of state: State, under key: SymmetricKey, seal: RecordSeal
  ) throws(StoreError) -> SymmetricKey? {
    guard let record = state.records.indexRecord else { return nil }
    guard var bytes = record.open(under: key, seal: seal), bytes.count == 32 else {
      throw .damaged("the index key does not open")
    }
    let opened = SymmetricKey(consuming: &bytes)
    opened.keepInMemory()
    return opened
  }
}

extension CheckedRecords {
  /// - Throws: `.damaged` if new tags would no longer depend on the passcode under these records. Creating such records
  ///   requires the device root.
  func requireIndex(after before: CheckedRecords) throws(StoreError) {
    guard before.indexRecord != nil, passcodeRecord != nil, indexRecord == nil else { return }
    throw .damaged("the key records in force were replaced by some of an earlier format")
  }
}
