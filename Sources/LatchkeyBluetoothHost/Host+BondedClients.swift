// What outlives a connection of a bonded peer as a client: its configurations, its features, and which database it knows
// (Core 6.0 Vol 3 Part G 2.5.2.1, 3.3.3.3, 7.2).
extension Host {
  /// How long a change waits for further ones before it goes to the store: a peer that changes its configurations all the
  /// time causes few writes.
  static let clientSaveDelay = Duration.seconds(2)

  /// Gives a link that was encrypted with the key of a stored bond what was kept of its peer. One that does not know the
  /// database as it is now is told (Part G 7.1).
  mutating func restoreClient(of link: Link, encryptedWith key: LongTermKey, now: Duration) {
    guard !link.isClientKept, let bond = storedBond(of: link), bond.key(as: link.role) == key else { return }
    link.isClientKept = true
    link.client.useDatabase(databases[bond.identity])
    guard let client = bond.client else { return }
    guard !link.server.restore(client, database, into: &link.serverOutputs) else { return }
    link.unreportedChange = .all
    reportChange(on: link, now: now)
  }

  /// Keeps what there is to keep of a link's peer, for the next link and for the store.
  mutating func keepClient(of link: Link) {
    link.clientSaveDeadline = nil
    // A link that is being closed was kept before: its peer hears of no change any more.
    guard !link.isClosing, link.isClientKept, link.security.isEncrypted, !link.isEndReported,
      var bond = storedBond(of: link)
    else { return }
    let client = link.server.bondedClient(database, before: bond.client)
    guard client != bond.client else { return }
    bond.client = client
    bonds.update(bond)
    outputs.append(.bondChanged(BondChange(identity: bond.identity, bond: bond, isUpdate: true)))
  }

  /// Keeps what the client half of a link that ends knows of the peer's database.
  mutating func keepDatabase(of link: Link) {
    guard link.isClientKept, link.security.isEncrypted, !link.isEndReported, let bond = storedBond(of: link) else {
      return
    }
    databases[bond.identity] = link.client.knownDatabase
  }

  /// Handles that something changed that is to be kept.
  mutating func clientChanged(on link: Link, now: Duration) {
    link.server.hasChangedClient = false
    guard link.isClientKept, link.clientSaveDeadline == nil else { return }
    link.clientSaveDeadline = now + Self.clientSaveDelay
    arm(link)
  }

  /// Keeps changes that wait, before services go: a configuration is kept for a service that comes back.
  mutating func keepChangedClients() {
    for link in links where link.clientSaveDeadline != nil { keepClient(of: link) }
  }

  /// Subscribes the peers of links to a service that comes back while they are connected, as their next links would: at its
  /// end a link keeps only the configurations that it has.
  mutating func subscribeKeptClients(in range: AttributeHandleRange, now: Duration) {
    for link in links where link.isClientKept && link.security.isEncrypted && !link.isClosing {
      guard let client = storedBond(of: link)?.client else { continue }
      link.server.subscribe(client, in: range, database, into: &link.serverOutputs)
      pump(link, now: now)
    }
  }

  /// The stored bond with the peer of a link.
  ///
  /// Another bond that took its place is that of another device, for all that is known.
  private func storedBond(of link: Link) -> Bond? {
    guard let bond = link.pairing?.bond, let stored = bonds[bond.identity], stored.hasSameKeys(as: bond) else {
      return nil
    }
    return stored
  }
}
