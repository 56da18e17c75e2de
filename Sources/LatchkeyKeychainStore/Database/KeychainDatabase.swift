import Glibc
public import LatchkeyKeychainModel
import LatchkeySQLite
import LatchkeyUserPresence
import Synchronization

/// A keychain in one file, for any number of threads and processes at once.
///
/// Every call is synchronous, may block on the disk, and is one transaction. An acknowledged change survives the loss of
/// power. An alteration by anything else than a keychain is `.damaged`, never wrong data and never "not found".
public final class KeychainDatabase: ItemStore {
  /// Where the file is.
  public var path: String { parts.path }
  /// The same: any number of processes have it.
  public var sharedPath: String? { path }

  let configuration: Configuration
  let pool: ConnectionPool
  let parts: StoreParts
  let enclaveKeyItems = EnclaveKeyItemCache()
  let verified: Mutex<VerifiedState>
  /// Held while the ring and the verified state go on to other key records together.
  private let keyChanges = Mutex<Void>(())
  /// For files without a mark of commits: each connection's `data_version` when it last was found sound.
  let versions = Mutex<[ObjectIdentifier: Int64]>([:])
  let isClosed = Atomic<Bool>(false)
  /// Notices another file in the place of this one.
  let watch = ExchangeWatch()
  /// Whether this object has committed anything.
  let hasWritten = Atomic<Bool>(false)
  /// Whether the keychain is sealed by another root key since it was opened here.
  let rootIsReplaced = Atomic<Bool>(false)
  /// The process that opened it: no other one may use its files, its locks and its threads.
  private let owner = getpid()
  /// Deleted and replaced content that still stands in the log.
  let erasure = Erasure()
  private let queue = Mutex<WriteQueue?>(nil)
  /// The enclave, once it was asked for.
  let enclaveMade = Mutex<KeychainEnclave?>(nil)
  /// The authenticators, once they were asked for.
  private let authority = Mutex<KeychainPresence?>(nil)

  /// Opens the keychain, or makes a new one where there is none and the configuration allows it. Where one was made before
  /// and is gone, or its file is empty, it is `.damaged`, and no new one is made.
  ///
  /// Opening writes nothing into it. An alteration from outside is not an error here, so that it can be looked at and repaired:
  /// nothing is written any more then, and read is only what holds nonetheless. Where one part alone does not hold, the
  /// items beside it stay readable, and ``status()`` reports it.
  ///
  /// - Throws: `.rootKeyUnavailable`, `.notAKeychain`, `.newerFormat`, `.unsafeLocation`, `.readOnly`, `.diskFull`,
  ///   `.busy`, `.inputOutput`, `.configuration`; `.damaged` if not even its keys can be read.
  public init(_ configuration: Configuration) throws(StoreError) {
    let opening = try StoreOpening(configuration)
    self.configuration = configuration
    pool = opening.pool
    parts = opening.parts
    verified = Mutex(opening.verified)
    if !configuration.isReadOnly {
      try? reading { (connection) throws(StoreError) in try watch.verify(connection, uuid: parts.uuid) }
    }
    takeOverErasure()
    takeOverRootKey()
    try countOpening()
  }

  /// The keychain, if there is one: nothing is made.
  ///
  /// - Throws: as ``init(_:)``; `.damaged` where one was and is gone.
  package static func ifThere(_ configuration: Configuration) throws(StoreError) -> KeychainDatabase? {
    var looking = configuration
    looking.createsIfMissing = false
    do throws(StoreError) {
      return try KeychainDatabase(looking)
    } catch {
      guard error == StoreLocation.noKeychain(StoreLocation.standardized(configuration.path)) else { throw error }
      return nil
    }
  }

  // MARK: Connections

  /// Runs `body` on one of the reading connections, outside of any transaction.
  func reading<Value>(
    _ body: (Connection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try requireUsable()
    return try pool.withReader(body).get()
  }

  /// - Throws: `.rootKeyUnavailable` once the root key is another one, and as ``requireOpen()``.
  func requireUsable() throws(StoreError) {
    try requireOpen()
    if rootIsReplaced.load(ordering: .acquiring) { throw rootReplaced }
  }

  /// - Throws: `.inputOutput` once it was closed; `.configuration` in a child of the process that opened it.
  func requireOpen() throws(StoreError) {
    guard getpid() == owner else {
      throw .configuration(
        "the keychain \(path) was opened before this process was forked: open it in the child, after fork()")
    }
    guard !isClosed.load(ordering: .acquiring) else { throw .inputOutput("\(path) was closed") }
  }

  /// Runs `body` in one state of the file of which everything was found sound.
  ///
  /// - Throws: `.damaged` if it was not.
  func readingSound<Value>(
    _ body: (Connection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try readingProven { (connection, proof, header) throws(StoreError) in
      try proof.everything(connection, header)
      return try body(connection)
    }
  }

  /// Runs `body` again if it failed while the keys changed: what it had read was sealed by others than those it had.
  func withSettledKeys<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    for _ in 0..<Self.maximumKeyChanges {
      let generation = parts.ring.generation
      do throws(StoreError) {
        return try body()
      } catch {
        if parts.ring.generation == generation { throw error }
      }
    }
    throw .busy(path: path)
  }

  /// So often the keys may change during one call.
  private static let maximumKeyChanges = 16

  /// Runs `body` in one state of the file; it proves what it leans on.
  ///
  /// - Throws: `.damaged` if the header or the key records were altered.
  func readingProven<Value>(
    _ body: (Connection, Proof, Header) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    for _ in 0..<Self.maximumKeyChanges {
      let generation = parts.ring.generation
      let result = Result { () throws(StoreError) in try readingOnce(body) }
      // Keys that changed meanwhile made other tags: what was not found by the earlier ones may be there.
      if parts.ring.generation == generation { return try result.get() }
    }
    throw .busy(path: path)
  }

  private func readingOnce<Value>(
    _ body: (Connection, Proof, Header) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try reading { (connection) throws(StoreError) in
      if let commits = CommitMark.read(connection), let known = knownState(commits) {
        let proof = Proof(parts, known)
        let result = Result { () throws(StoreError) in try body(connection, proof, known.header) }
        // No commit since: every statement of `body` saw the state that is known.
        if CommitMark.read(connection) == commits {
          record(known, proof)
          return try result.get()
        }
      }
      return try readingSnapshot(connection) { (connection, known) throws(StoreError) in
        if let damage = known.damage { throw .damaged(damage) }
        let proof = Proof(parts, known)
        defer { record(known, proof) }
        return try body(connection, proof, known.header)
      }
    }
  }

  private func knownState(_ commits: CommitMark) -> VerifiedState? {
    verified.withLock { $0.commits == commits && $0.damage == nil ? $0 : nil }
  }

  private func record(_ known: VerifiedState, _ proof: Proof) {
    guard proof.hasLearned else { return }
    var learned = known
    learned.proven = proof.proven
    learned.broken = proof.broken
    record(learned)
  }

  /// Runs `body` in a transaction, with what is known of the state that it sees.
  func readingSnapshot<Value>(
    _ connection: Connection, _ body: (Connection, VerifiedState) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    for _ in 0..<Self.snapshotAttempts {
      let before = CommitMark.read(connection)
      try connection.run("BEGIN DEFERRED")
      let result: Result<Value, StoreError>?
      do {
        // The first read fixes what the transaction sees.
        _ = try connection.number("SELECT counter FROM header WHERE id = 1")
        if CommitMark.read(connection) == before {
          configuration.readingStep(.snapshotTaken)
          result = .success(try body(connection, try verify(connection, commits: before)))
        } else {
          result = nil
        }
      } catch .rolledBack where CommitMark.read(connection) != before {
        // Another thread has learned of a later commit meanwhile: the snapshot is the old one, and not the file.
        result = nil
      } catch {
        result = .failure(error)
      }
      try? connection.run("ROLLBACK")
      if let result { return try result.get() }
    }
    throw .busy(path: path)
  }

  /// Others commit so often that it is not worth while to go on.
  private static let snapshotAttempts = 1000

  /// Verifies the state that the open transaction sees, and records the result for later ones.
  func verify(_ connection: Connection, commits: CommitMark?) throws(StoreError) -> VerifiedState {
    let known = verified.withLock { $0 }
    let version = commits == nil ? try connection.number("PRAGMA data_version") : nil
    let identity = ObjectIdentifier(connection.database)
    let isUnchanged = version.map { version in versions.withLock { $0[identity] == version } } ?? false
    let state = try Validation(
      connection: connection, parts: parts, known: known, commits: commits, isUnchanged: isUnchanged, adopt: adopt
    ).verifiedState()
    if state.damage != nil { try requireSameRoot(connection) }
    if let version { versions.withLock { $0[identity] = version } }
    record(state)
    return state
  }

  /// Adopts the key records of a state, unless those of a later one were adopted.
  ///
  /// - Throws: `.damaged`; `.rolledBack` for those of an earlier state than the one that is known.
  private func adopt(_ records: [KeyRecord], _ header: Header) throws(StoreError) {
    configuration.readingStep(.keysFound)
    try keyChanges.withLock { (_) throws(StoreError) in
      guard verified.withLock({ $0.header.counter <= header.counter }) else { throw .rolledBack(path: path) }
      try parts.ring.adopt(records)
    }
  }

  /// Adopts the key records that this process has stored, with the state that it has verified since.
  func record(_ state: VerifiedState, adopting records: [KeyRecord]?) {
    keyChanges.withLock { _ in
      // The keys first: a write that seals by the verified state must not seal by keys that are gone.
      if let records { try? parts.ring.adopt(records) }
      record(state)
    }
  }

  func record(_ state: VerifiedState) {
    verified.withLock { known in
      guard state.header.counter >= known.header.counter else { return }
      guard state.header.counter == known.header.counter, let commits = known.commits, state.commits == commits else {
        return known = state
      }
      // Other calls have verified other parts of the same state.
      known.damage = known.damage ?? state.damage
      known.broken = known.broken ?? state.broken
      known.proven.formUnion(state.proven)
    }
  }

  // MARK: Writing

  /// Has `body` performed in the next transaction, together with the writes that wait, and returns once that is on
  /// disk.
  func writing<Value: Sendable>(
    changingKeys: Bool = false, _ body: @escaping @Sendable (inout WriteTransaction) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    guard !configuration.isReadOnly else { throw .readOnly(path: path) }
    try requireUsable()
    let request = Request(changesKeys: changingKeys, body)
    writeQueue().submit(request)
    return try request.result()
  }

  private func writeQueue() -> WriteQueue {
    queue.withLock { queue in
      if let queue { return queue }
      let made = WriteQueue { [unowned self] requests in commit(requests) }
      queue = made
      return made
    }
  }

  /// Where the lock stands in this process.
  public var lockState: LockState { parts.ring.lockState }

  /// Forgets the keys of the WhenUnlocked items, and what users have consented to. A keychain without a passcode stays unlocked.
  public func lock() {
    parts.ring.lock()
    enclaveKeyItems.removeAll()
    presenceAuthority.lock()
  }

  /// The authenticators that can be asked for consent.
  public var presence: (any PresenceService)? { presenceAuthority }

  /// The same, for those who guard something by it.
  var presenceAuthority: KeychainPresence {
    authority.withLock { authority in
      if let authority { return authority }
      let made = KeychainPresence(configuration.presence, keychain: self)
      authority = made
      return made
    }
  }

  /// Closes the file. Every later call fails. Calls that are under way come to their end before.
  public func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    guard getpid() == owner else {
      // The files are the parent's, as they are: a child that closed them would write, and wait for threads that it lacks.
      _ = Unmanaged.passRetained(pool)
      return
    }
    emptyLog()
    pool.close()
  }

  deinit { close() }

  /// Moves what is in the log into the file, so that the file is all of the keychain once no process has it open. SQLite does
  /// so when the last connection goes, but does not wait for others. An object that has not written, and has no
  /// erasure due, leaves everything as it is.
  private func emptyLog() {
    guard hasWritten.load(ordering: .relaxed) || erasure.isDue else { return }
    _ = try? pool.withWriter { (connection) throws(StoreError) in
      connection.database.setBusyTimeout(0)
      try connection.truncateLog()
    }
  }
}
