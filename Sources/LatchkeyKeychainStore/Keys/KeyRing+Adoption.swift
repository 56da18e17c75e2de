import Crypto
package import LatchkeyKeychainModel
import Synchronization

// Synchronizes a ring with the records in the file. New keys from another process are unavailable until the passcode is
// entered. Keys from this process are announced to the ring before they are stored, so that it does not lock itself out
// meanwhile.
extension KeyRing {
  /// Adopts records that this or another process has stored. The lock state stays as long as the keys behind it are known: if
  /// another process has created new ones under a passcode, this ring returns to the state before its first unlock. Without a
  /// passcode it unlocks.
  ///
  /// - Throws: `.damaged`, and leaves the ring unchanged.
  package func adopt(_ records: [KeyRecord]) throws(StoreError) {
    let checked: CheckedRecords
    do {
      checked = try CheckedRecords(records, seal: seal, minimumRounds: cost.minimumRounds)
    } catch .rootKeyUnavailable(let text) {
      throw .damaged(text)
    }
    try state.withLock { (state) throws(StoreError) in
      if checked.all == state.records.all { return }
      try checked.requireIndex(after: state.records)
      var next = state
      next.records = checked
      next.generation += 1
      try Self.open(.always, &next, under: deviceWrap, seal: seal)
      if checked.passcodeRecord == nil {
        let userRoot = try Self.userRoot(in: checked.userRootRecord, under: deviceWrap, seal: seal)
        next.dropUserKeys()
        try Self.unlock(&next, userRoot: userRoot, storeUUID: storeUUID, seal: seal)
      } else if let expected = state.expected, expected.record == checked.userRootRecord {
        try follow(&next, expected.userRoot)
      } else if !checked.hasSameUserKeys(as: state.records) {
        try followOthers(&next)
      }
      next.expected = nil
      state = next
    }
  }

  /// Calls ``expect(_:)`` and ``adopt(_:)``, for callers that store nothing.
  package func adopt(_ rotation: KeyRotation) throws(StoreError) {
    expect(rotation)
    try adopt(rotation.records)
  }

  /// Announces the keys that this process is about to store; nil cancels.
  func expect(_ rotation: KeyRotation?) {
    state.withLock {
      $0.expected = rotation.flatMap { rotation in
        rotation.records.first { $0.kind == .userRootByPasscode }.map { ($0, rotation.userRoot) }
      }
    }
  }

  /// Adopts a new user root and preserves the lock state.
  private func follow(_ state: inout State, _ userRoot: SymmetricKey) throws(StoreError) {
    let lockState = state.lockState
    state.dropUserKeys()
    switch lockState {
    case .unlocked: try Self.unlock(&state, userRoot: userRoot, storeUUID: storeUUID, seal: seal)
    case .locked:
      try Self.open(
        .afterFirstUnlock, &state, under: userRoot.derive("class wrap", storeUUID: storeUUID), seal: seal)
      state.lockState = .locked
    case .beforeFirstUnlock: break
    }
  }

  /// Adopts keys from another process. A user root that still opens them stays: earlier versions set and change a passcode
  /// without creating new keys.
  private func followOthers(_ state: inout State) throws(StoreError) {
    let userRoot = state.userRoot
    state.dropUserKeys()
    guard let userRoot else { return }
    var opened = state
    do throws(StoreError) {
      try Self.unlock(&opened, userRoot: userRoot, storeUUID: storeUUID, seal: seal)
      state = opened
    } catch .damaged {}
  }
}

extension KeyRing.State {
  /// Drops all keys under the user root.
  fileprivate mutating func dropUserKeys() {
    userRoot = nil
    classKeys = classKeys.filter { $0.key.isUnderDeviceRoot }
    enclaveKeys = enclaveKeys.filter { $0.key.isUnderDeviceRoot }
    userIndexKey = nil
    lockState = .beforeFirstUnlock
  }
}
