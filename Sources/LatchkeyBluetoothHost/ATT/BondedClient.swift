/// What a server keeps of a bonded client between two connections (Core 6.0 Vol 3 Part G 2.5.2.1, 3.3.3.3, 7.2).
package struct BondedClient: Equatable, Sendable {
  /// A Client Characteristic Configuration that is not zero.
  package struct Configuration: Equatable, Sendable {
    /// The handle of the value.
    package var valueHandle: AttributeHandle
    /// The characteristic; a handle may be another one's by the next connection.
    package var uuid: BluetoothUUID
    /// 0x01 notifications, 0x02 indications.
    package var bits: UInt8

    package init(valueHandle: AttributeHandle, uuid: BluetoothUUID, bits: UInt8) {
      self.valueHandle = valueHandle
      self.uuid = uuid
      self.bits = bits
    }
  }

  /// The most configurations.
  package static let mostConfigurations = 64

  /// The features that the client wrote.
  package var features: UInt8 = 0
  /// The hash of the database that the client knows; nil if it never knew of the last change.
  package var knownHash: DatabaseHash?
  /// The hash of the database of which the client was told, if it has requested nothing since.
  package var informedHash: DatabaseHash?
  package var configurations: [Configuration] = []

  package init() {}
}

extension ATTServer {
  /// What is to be kept of the client of a bonded peer.
  ///
  /// - Parameter before: what was kept before: configurations of services that are not there now, and what the client knew
  ///   before the last change.
  package func bondedClient(_ database: GATTDatabase, before: BondedClient?) -> BondedClient {
    var client = BondedClient()
    client.features = awareness.features
    client.knownHash = awareness.isAware ? database.hash : before?.knownHash
    client.informedHash = awareness.isInformed ? database.hash : nil
    // Of too many the newest are kept.
    for entry in subscriptions.entries.suffix(BondedClient.mostConfigurations) {
      guard let type = database.attribute(entry.valueHandle)?.type else { continue }
      client.configurations.append(.init(valueHandle: entry.valueHandle, uuid: type, bits: entry.bits))
    }
    for old in before?.configurations ?? [] where !database.hasConfiguration(old) { client.configurations.append(old) }
    let excess = client.configurations.count - BondedClient.mostConfigurations
    if excess > 0 { client.configurations.removeLast(excess) }
    return client
  }

  /// Gives the server half of an encrypted link what was kept of its client. What the client wrote on this link stays.
  ///
  /// - Returns: whether the client knows the database as it is now. If not, a Service Changed is due.
  package mutating func restore(
    _ client: BondedClient, _ database: GATTDatabase, into outputs: inout [ATTServerOutput]
  ) -> Bool {
    // First: an owner learns of a subscription also while the client is out of step.
    subscribe(client, in: .all, database, into: &outputs)
    awareness.restore(features: client.features)
    hasChangedClient = false
    guard client.knownHash != database.hash else { return true }
    databaseChanged(database)
    if client.informedHash == database.hash { awareness.inform() }
    return false
  }

  /// Subscribes a client again to what was kept of it, as far as that is in `range`: that of the whole database on a new
  /// link, or of a service that comes back.
  package mutating func subscribe(
    _ client: BondedClient, in range: AttributeHandleRange, _ database: GATTDatabase,
    into outputs: inout [ATTServerOutput]
  ) {
    for old in client.configurations where range.contains(old.valueHandle) && database.hasConfiguration(old) {
      guard let (attribute, _) = database.configuration(of: old.valueHandle), subscriptions.bits(old.valueHandle) == 0
      else { continue }
      configure(.init(old.valueHandle, old.bits, attribute), &outputs)
    }
  }
}

extension GATTDatabase {
  /// Whether the database has this configuration, and offers its bits.
  fileprivate func hasConfiguration(_ configuration: BondedClient.Configuration) -> Bool {
    guard attribute(configuration.valueHandle)?.type == configuration.uuid,
      let (_, properties) = self.configuration(of: configuration.valueHandle)
    else { return false }
    return configuration.bits & ~properties.configurationBits == 0
  }
}

extension GATTProperties {
  /// The bits of a Client Characteristic Configuration that these properties offer (Core 6.0 Vol 3 Part G 3.3.3.3).
  var configurationBits: UInt8 { (contains(.notify) ? 0x01 : 0) | (contains(.indicate) ? 0x02 : 0) }
}
