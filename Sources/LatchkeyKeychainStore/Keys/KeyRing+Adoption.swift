import Crypto
package import LatchkeyKeychainModel
import Synchronization

// How a ring follows the records in the file. New keys that another process has made are out of reach until the passcode is
// given; those that this process makes are made known before they are stored, so that nobody in it is locked out meanwhile.
extension KeyRing {
  /// Takes over records that this or another process has stored. The lock stays as it is as long as the keys behind it are
  /// known: where another process has made new ones under a passcode, this one stands before its first unlock again. Without a
  /// passcode it opens.
  ///
  /// - Throws: `.damaged`, with the ring as it was.
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

  /// ``expect(_:)`` and ``adopt(_:)`` in one, for those who store nothing.
  package func adopt(_ rotation: KeyRotation) throws(StoreError) {
    expect(rotation)
    try adopt(rotation.records)
  }

  /// Makes the keys known that this process is about to store; nil if it does not after all.
  func expect(_ rotation: KeyRotation?) {
    state.withLock {
      $0.expected = rotation.flatMap { rotation in
        rotation.records.first { $0.kind == .userRootByPasscode }.map { ($0, rotation.userRoot) }
      }
    }
  }

  /// Takes over a new user root, with the lock where it is.
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

  /// Takes over keys that another process has made. A user root that still opens them is kept: earlier versions set and
  /// change a passcode without making new keys.
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
  /// Forgets everything that the user root opens.
  fileprivate mutating func dropUserKeys() {
    userRoot = nil
    classKeys = classKeys.filter { $0.key.isUnderDeviceRoot }
    enclaveKeys = enclaveKeys.filter { $0.key.isUnderDeviceRoot }
    userIndexKey = nil
    lockState = .beforeFirstUnlock
  }
}
