extension Host {
  // MARK: Client

  /// Submits a GATT procedure on a link. It ends in one `HostOutput.completion` with `id`.
  ///
  /// If the peer refuses it for lack of security, the link is encrypted or the devices pair, and it is sent again, once.
  ///
  /// - Parameter mayRaiseSecurity: false for a procedure that no app asked for.
  public mutating func submit(
    _ procedure: GATTProcedure, id: RequestID, client: ClientID, link linkID: LinkID, mayRaiseSecurity: Bool = true,
    now: Duration
  ) {
    guard let link = link(linkID), !link.isClosing else {
      return outputs.append(.completion(id, .failed(.disconnected)))
    }
    link.client.submit(
      procedure, id: id, client: client, mayRaiseSecurity: mayRaiseSecurity, into: &link.clientOutputs)
    pump(link, now: now)
    flush(now: now)
  }

  /// Sends a Write Command of at most ATT_MTU - 3 bytes; a longer one is dropped with a notice to the log.
  ///
  /// - Returns: whether the queue had space; if not, nothing was sent, and `readyToSendWriteWithoutResponse` follows.
  public mutating func writeCommand(
    _ value: [UInt8], to handle: AttributeHandle, client: ClientID, link linkID: LinkID, now: Duration
  ) -> Bool {
    guard let link = link(linkID), !link.isClosing else { return false }
    guard !link.mustBeSecured, hasCapacity(link, now: now) else {
      if !link.waitingWriters.contains(client) { link.waitingWriters.append(client) }
      return false
    }
    guard let frame = link.client.writeCommand(value, to: handle) else {
      ignored.commands += 1
      let limit = link.client.maximumCommandLength
      outputs.append(.notice(.writeCommandTooLong(link.peer, count: value.count, limit: limit)))
      return true
    }
    send(frame, .attribute, on: link, now: now)
    flush(now: now)
    return true
  }

  /// Whether a Write Command would be accepted now. A client that gets false receives `readyToSendWriteWithoutResponse`
  /// later.
  public mutating func canSendWriteWithoutResponse(_ client: ClientID, on linkID: LinkID) -> Bool {
    guard let link = link(linkID), !link.isClosing else { return false }
    guard link.mustBeSecured || acl.queuedFrames(link.handle) >= link.pace.capacity else { return true }
    if !link.waitingWriters.contains(client) { link.waitingWriters.append(client) }
    return false
  }

  /// A link's ATT_MTU in bytes; 23 if the link has ended.
  public func mtu(of linkID: LinkID) -> Int { link(linkID)?.client.mtu ?? 23 }

  // MARK: Server

  /// Adds a service of a client to the database.
  ///
  /// - Throws: when no handles are left, or an included service is not there.
  public mutating func addService(
    _ definition: GATTServiceDefinition, client: ClientID, now: Duration
  ) throws(GATTDatabaseError) -> GATTServicePlacement {
    let placement = try database.add(definition, owner: client)
    shareWindow(now: now)
    databaseChanged(placement.range, now: now)
    subscribeKeptClients(in: placement.range, now: now)
    return placement
  }

  /// Removes a service of a client from the database. Does nothing if it is not there.
  public mutating func removeService(at range: AttributeHandleRange, client: ClientID, now: Duration) {
    keepChangedClients()
    guard database.remove(range, owner: client) else { return }
    for link in links where !link.isClosing {
      link.server.attributesRemoved(
        in: range, database: database, ids: &lastServerRequest, into: &link.serverOutputs)
      dropQueuedUpdates(of: range, on: link, now: now)
      pump(link, now: now)
    }
    databaseChanged(range, now: now)
  }

  mutating func removeServices(of client: ClientID, now: Duration) {
    for range in database.services(of: client) { removeService(at: range, client: client, now: now) }
  }

  /// Indicates Service Changed to the peers that asked for it (Core 6.0 Vol 3 Part G 7.1).
  private mutating func databaseChanged(_ range: AttributeHandleRange, now: Duration) {
    for link in links where !link.isClosing {
      link.server.databaseChanged(database)
      // A client that missed the change gets nothing but Service Changed (2.5.2.1).
      if link.server.awareness.isOutOfSync {
        dropQueuedUpdates(of: .all, on: link, now: now)
        pump(link, now: now)
      }
      link.unreportedChange = link.unreportedChange.map { $0.union(range) } ?? range
      reportChange(on: link, now: now)
    }
    flush(now: now)
  }

  /// Indicates the changed range of the database once the queue has space; changes meanwhile widen the range.
  mutating func reportChange(on link: Link, now: Duration) {
    guard let range = link.unreportedChange else { return }
    let value = GATTDatabase.serviceChangedValue(range)
    switch link.server.update(value, of: database.serviceChangedHandle, now: now) {
    case .send(let frame): send(frame, .attribute, on: link, now: now)
    // Space is free after the next confirmation.
    case .full: return
    case .queued, .notSubscribed: break
    }
    link.unreportedChange = nil
    arm(link)
  }

  /// Answers a peer's request for a client. A second answer, or one to an ended link, is ignored.
  public mutating func respond(to request: ServerRequestID, with response: GATTServerResponse, now: Duration) {
    if let link = link(request.link),
      link.server.respond(
        to: request, with: response, database: database, ids: &lastServerRequest, into: &link.serverOutputs)
    {
      pump(link, now: now)
    }
    flush(now: now)
  }
}
