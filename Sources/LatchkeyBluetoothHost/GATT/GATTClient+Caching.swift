// Discoveries that a bonded peer need not answer again (Core 6.0 Vol 3 Part G 2.5.2, 7.3): one read of its Database Hash
// decides whether what is known of an earlier connection holds.
extension GATTClient {
  /// How far the peer's database is known.
  enum Caching: Sendable {
    /// Nothing is kept: the peer is not bonded, or gives no hash.
    case off
    /// The hash is read before the next discovery. What is known holds if it is the same.
    case unverified(KnownDatabase?)
    /// The hash was read on this link, and nothing says that it has changed since.
    case verified(KnownDatabase, isReused: Bool)
  }

  /// Begins to use what is known of the database, and to add to it. For a link that is encrypted with the key of a bond.
  package mutating func useDatabase(_ known: KnownDatabase?) {
    guard !isDead else { return }
    caching = .unverified(known)
    // A bonded peer may indicate a change before anything is requested.
    if let found = known?.serviceChanged, serviceChangedHandle == 0 { serviceChangedHandle = found.valueHandle }
  }

  /// What is to be kept for the next link; nil if nothing known holds.
  package var knownDatabase: KnownDatabase? {
    switch caching {
    case .off: nil
    case .unverified(let known): known
    case .verified(let known, _): known
    }
  }

  /// Whether the peer's database is kept.
  var isCaching: Bool {
    if case .off = caching { false } else { true }
  }

  /// Whether the hash must be read before a procedure begins.
  func needsHash(_ procedure: GATTProcedure) -> Bool {
    guard case .unverified = caching else { return false }
    return procedure.isDiscovery
  }

  /// Begins to read the hash, for no client.
  mutating func beginHash() {
    procedure.begin(ReadByUUIDProcedure(uuid: AttributeType.databaseHash, range: .all, wantsFirst: true))
    current = Current(id: nil, client: nil, readsHash: true)
  }

  /// Handles the outcome of reading the hash. A peer without one, or with one of a wrong length, is asked for everything
  /// as if it were not bonded.
  mutating func hashWasRead(_ outcome: GATTOutcome) {
    guard case .unverified(let known) = caching else { return }
    guard case .values(let values) = outcome, let hash = values.first.flatMap({ DatabaseHash($0.value) }) else {
      caching = .off
      return
    }
    if let known, known.hash == hash {
      caching = .verified(known, isReused: true)
    } else {
      caching = .verified(KnownDatabase(hash: hash), isReused: false)
    }
  }

  /// The outcome of a procedure that is known.
  func knownOutcome(of procedure: GATTProcedure) -> GATTOutcome? {
    guard case .verified(let known, _) = caching else { return nil }
    return known.outcome(of: procedure)
  }

  /// The database that is known, if its hash was read.
  var verifiedDatabase: KnownDatabase? {
    guard case .verified(let known, _) = caching else { return nil }
    return known
  }

  /// Adds to what is known, if the hash was read.
  mutating func addToDatabase(_ body: (inout KnownDatabase) -> Void) {
    guard case .verified(var known, let isReused) = caching else { return }
    // Not copied: the only other reference goes first.
    caching = .off
    body(&known)
    caching = .verified(known, isReused: isReused)
  }

  /// Forgets what is known, and reads the hash again before the next discovery. What is under way adds nothing.
  mutating func forgetDatabase() {
    current?.discovery = nil
    current?.readsHash = false
    if isCaching { caching = .unverified(nil) }
  }

  /// Handles a refusal that says that the peer's database is not what this host takes it for: the peer says so (Vol 3 Part
  /// F 3.4.1.1), or has no attribute where its hash promised one.
  mutating func noteRefusal(_ error: ATTErrorResponse, _ outputs: inout [GATTClientOutput]) {
    // The hash is read once, whatever the peer answers.
    guard current?.readsHash != true else { return }
    switch (error.code, caching) {
    case (.databaseOutOfSync, _), (.invalidHandle, .verified(_, isReused: true)):
      let wasListening = listensForServiceChanges
      servicesChanged(in: .all, &outputs)
      // Service Changed itself may be elsewhere; nothing known is used a second time.
      if !wasListening, error.code == .invalidHandle, procedure.serviceChanges != nil, background.count == 0 {
        background.append(ProcedureQueue.Entry(procedure: .listenForServiceChanges, id: nil, client: nil))
      }
    default: break
    }
  }
}

extension GATTProcedure {
  /// Whether its outcome follows from the peer's database alone, and needs a request.
  var isDiscovery: Bool {
    switch self {
    case .discoverServices(let uuids): uuids?.isEmpty != true
    case .discoverIncludedServices(let range), .discoverCharacteristics(let range), .discoverDescriptors(let range):
      range.isValid
    case .listenForServiceChanges: true
    default: false
    }
  }
}
