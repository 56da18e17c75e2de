import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Synchronization

/// Detects an old copy of a keychain's file by a counter in hardware, which only grows.
///
/// The header's generation is what the counter said. Both go up by one at each unlock and each change of the passcode, and
/// without a passcode when a process first opens it, the file first: after a crash between the two the file is one ahead, which is accepted and made good at the next time. A
/// file that is behind is an old copy. Other writes do not count, since the hardware wears: a copy made since the last
/// unlock is not noticed.
struct RollbackGuard: Sendable {
  let counter: any HardwareCounter

  /// Verifies a file that is being opened.
  ///
  /// - Throws: `.rolledBack` for an old copy; `.damaged` for one that is ahead of the hardware; `.hardware`.
  func verify(generation: UInt64, path: String) throws(StoreError) {
    let value = try counter.value()
    if generation < value { throw .rolledBack(path: path) }
    if generation > value + 1 {
      throw .damaged("it counts \(generation) and the counter in the TPM \(value): the counter is another's")
    }
  }

  /// The generation after this one, to be written to the file; ``settle(_:)`` follows. Both run while no other process
  /// can write to the file.
  func next(after generation: UInt64) throws(StoreError) -> UInt64 {
    try settle(generation)
    return generation + 1
  }

  /// Lets the counter catch up with what stands in the file.
  func settle(_ generation: UInt64) throws(StoreError) {
    guard try counter.value() < generation else { return }
    guard try counter.increment() >= generation else {
      throw .damaged("the counter in the TPM is further behind than a crash explains: it is another's")
    }
  }
}

/// Which keychains this process has counted.
private let counted = Mutex<Set<[UInt8]>>([])

extension KeychainDatabase {
  /// Makes every copy of a keychain without a passcode an old one, once in the life of a process: nobody unlocks it, and the
  /// hardware wears. Where the file cannot be written now, the next process does it.
  func countOpening() throws(StoreError) {
    guard parts.rollback != nil, configuration.countsOpenings, !configuration.isReadOnly, !parts.ring.hasPasscode,
      counted.withLock({ $0.insert(parts.uuid).inserted })
    else { return }
    do throws(StoreError) {
      try retireCopies()
    } catch {
      switch error {
      case .diskFull, .readOnly, .busy, .damaged: counted.withLock { _ = $0.remove(parts.uuid) }
      default: throw error
      }
    }
  }

  /// Makes an old copy one that the counter takes for the newest, before it takes the place of the file in force: that one stays as
  /// good until the next unlock, or the next process without a passcode, counts on.
  func takeOverCounter() throws(StoreError) {
    guard let rollback = parts.rollback else { return }
    // Not in its place yet: it marks none.
    hasWritten.store(true, ordering: .relaxed)
    try writing { (transaction) throws(StoreError) in
      let value = try rollback.counter.value()
      guard transaction.header.state.generation != value else { return }
      try transaction.raiseFormat()
      transaction.header.state.generation = value
    }
    if let failure = emptyLog(waiting: busyMilliseconds) { throw failure }
  }

  /// Makes every copy of the file as it is now an old one.
  func retireCopies() throws(StoreError) {
    guard let rollback = parts.rollback, !configuration.isReadOnly else { return }
    try writing { (transaction) throws(StoreError) in
      let next = try rollback.next(after: transaction.header.state.generation)
      try transaction.raiseFormat()
      transaction.header.state.generation = next
    }
    // In a transaction, so that no other process counts at the same time.
    try writing { (transaction) throws(StoreError) in
      try rollback.settle(transaction.header.state.generation)
    }
  }
}
