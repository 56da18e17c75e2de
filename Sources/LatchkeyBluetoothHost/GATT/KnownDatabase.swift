/// What a client discovered of a peer's database, under the hash that the database had (Core 6.0 Vol 3 Part G 2.5.2).
///
/// What is discovered after the hash was read may be that of a later database. Then the peer's hash is another one by the
/// next connection, and nothing of it is used.
package struct KnownDatabase: Sendable {
  /// The most bytes of records; what is discovered beyond is discovered again.
  static let mostBytes = 65_536

  /// The hash.
  package let hash: DatabaseHash
  /// The value handle of Service Changed and its configuration.
  var serviceChanged: (valueHandle: AttributeHandle, descriptor: AttributeHandle)?
  /// The size of the records in bytes.
  private(set) var byteCount = 0

  /// All primary services.
  private var services: [GATTServiceRecord]?
  /// Those of one UUID, while not all are known.
  private var servicesByUUID: [BluetoothUUID: [GATTServiceRecord]] = [:]
  private var included: [AttributeHandleRange: [GATTServiceRecord]] = [:]
  private var characteristics: [AttributeHandleRange: [GATTCharacteristicRecord]] = [:]
  private var descriptors: [AttributeHandleRange: [GATTDescriptorRecord]] = [:]
  /// Client Characteristic Configurations by the handles of the values.
  private var configurations: [AttributeHandle: AttributeHandle] = [:]

  /// A database of which only the hash is known.
  init(hash: DatabaseHash) { self.hash = hash }

  /// The outcome of a procedure; nil if a peer has to be asked.
  func outcome(of procedure: GATTProcedure) -> GATTOutcome? {
    switch procedure {
    case .discoverServices(nil): services.map { .services($0) }
    case .discoverServices(let uuids?): services(of: uuids).map { .services($0) }
    case .discoverIncludedServices(let range): included[range].map { .includedServices($0) }
    case .discoverCharacteristics(let range): characteristics[range].map { .characteristics($0) }
    case .discoverDescriptors(let range): descriptors[range].map { .descriptors($0) }
    default: nil
    }
  }

  /// Records what a procedure discovered.
  mutating func record(_ outcome: GATTOutcome, of procedure: GATTProcedure) {
    switch (procedure, outcome) {
    case (.discoverServices(nil), .services(let found)): if takes(found) { services = found }
    case (.discoverServices(let uuids?), .services(let found)):
      guard takes(found, keys: uuids.count) else { return }
      for uuid in uuids { servicesByUUID[uuid] = found.filter { $0.uuid == uuid } }
    case (.discoverIncludedServices(let range), .includedServices(let found)):
      if takes(found) { included[range] = found }
    case (.discoverCharacteristics(let range), .characteristics(let found)):
      if takes(found) { characteristics[range] = found }
    case (.discoverDescriptors(let range), .descriptors(let found)): if takes(found) { descriptors[range] = found }
    default: break
    }
  }

  /// The Client Characteristic Configuration of a value; nil if it is not known.
  func configuration(of valueHandle: AttributeHandle, end: AttributeHandle) -> AttributeHandle? {
    if let known = configurations[valueHandle] { return known }
    guard valueHandle < end else { return nil }
    let found = descriptors[AttributeHandleRange(valueHandle + 1, end)]
    return found?.first { $0.uuid == AttributeType.clientConfiguration }?.handle
  }

  /// Records a Client Characteristic Configuration.
  mutating func record(configuration: AttributeHandle, of valueHandle: AttributeHandle) {
    guard configurations[valueHandle] == nil, takes([configuration]) else { return }
    configurations[valueHandle] = configuration
  }

  private func services(of uuids: [BluetoothUUID]) -> [GATTServiceRecord]? {
    if let services { return services.filter { uuids.contains($0.uuid) } }
    var found: [GATTServiceRecord] = []
    for uuid in Set(uuids) {
      guard let known = servicesByUUID[uuid] else { return nil }
      found += known
    }
    return found.sorted { $0.range.start < $1.range.start }
  }

  /// Counts records; false if there are too many.
  private mutating func takes<Record>(_ records: [Record], keys: Int = 1) -> Bool {
    let size = records.count * MemoryLayout<Record>.stride + keys * 64
    guard byteCount + size <= Self.mostBytes else { return false }
    byteCount += size
    return true
  }
}

/// What a host knows of the databases of bonded peers, by their identities, as long as it lives.
struct KnownDatabases {
  /// The most peers.
  static let mostPeers = 64
  /// The most bytes of all records.
  static let mostBytes = 1_048_576

  /// Those that were used last come last.
  private var entries: [(peer: BluetoothAddress, database: KnownDatabase)] = []

  var count: Int { entries.count }

  /// What is known of a peer's database.
  subscript(peer: BluetoothAddress) -> KnownDatabase? {
    get { entries.first { $0.peer == peer }?.database }
    set {
      entries.removeAll { $0.peer == peer }
      guard let newValue else { return }
      entries.append((peer, newValue))
      while entries.count > Self.mostPeers || entries.reduce(0, { $0 + $1.database.byteCount }) > Self.mostBytes {
        entries.removeFirst()
      }
    }
  }
}
