import Crypto
import LatchkeyKeychainModel
import Synchronization

// The index keys. Guessed names of items can be confirmed with the key that made their tags. That of the rows under the user root is
// random, and the user root wraps it, so that the device root and the file alone do not give it.
extension KeyRing {
  /// What makes the tags of the rows under the user root.
  enum UserIndex {
    /// The device's index key: there is no passcode that would keep anybody out, or an earlier version made the tags.
    case device
    /// A key of their own.
    case own(SymmetricKey)
    /// A key of their own, which is not there before the first unlock.
    case unknown
  }

  /// What makes the tags of the rows under the user root now.
  var userIndex: UserIndex {
    state.withLock { state in
      guard state.records.indexRecord != nil else { return .device }
      return state.userIndexKey.map { .own($0) } ?? .unknown
    }
  }

  /// Whether a passcode is set that the tags do not hang on yet, as earlier versions left it.
  var hasEarlierTags: Bool {
    state.withLock { $0.records.passcodeRecord != nil && $0.records.indexRecord == nil }
  }

  /// A new index key of the rows under the user root.
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
  /// - Throws: `.damaged` for records by which new tags would no longer hang on the passcode. Making such
  ///   records takes the device root.
  func requireIndex(after before: CheckedRecords) throws(StoreError) {
    guard before.indexRecord != nil, passcodeRecord != nil, indexRecord == nil else { return }
    throw .damaged("the key records in force were replaced by some of an earlier format")
  }
}
