import ByteCoding

extension Host {
  /// An HCI event came. Events that are unknown, cut short, or tell of unknown handles are counted and ignored.
  mutating func receiveEvent(_ packet: [UInt8], now: Duration) {
    let event: HCIEvent
    do { event = try HCIEvent(decoding: packet) } catch { return ignored.packets += 1 }
    switch event {
    case .numberOfCompletedPackets(let completed):
      for entry in completed { acl.completed(entry.connectionHandle, count: Int(entry.count)) }
    case .commandComplete(let credits, let opcode, let parameters):
      guard
        let (tag, reply) = commands.complete(credits: credits, opcode: opcode, parameters: parameters, now: now)
      else { return }
      ended(tag, reply, now: now)
    case .commandStatus(let status, let credits, let opcode):
      guard let (tag, reply) = commands.status(status, credits: credits, opcode: opcode, now: now) else { return }
      ended(tag, reply, now: now)
    case .disconnectionComplete(let event):
      guard let link = link(handle: event.connectionHandle), event.status == .success else {
        return ignored.events += 1
      }
      ended(link, event.reason, now: now)
    case .hardwareError: restart(now: now)
    case .le(.connectionComplete(let event)):
      guard state == .poweredOn else { return ignored.events += 1 }
      received(event, now: now)
    case .le(.advertisingReports(let reports)): received(reports)
    case .le(.remoteConnectionParameterRequest(let request)):
      guard link(handle: request.connectionHandle) != nil else { return ignored.events += 1 }
      commands.enqueue(
        HCILERemoteConnectionParameterRequestReply(
          connectionHandle: request.connectionHandle, parameters: request.parameters), tag: .optional, now: now)
    default: ignored.events += 1
    }
  }

  /// The controller failed and says so: everything is gone, and begins anew (Core 6.0 Vol 4 Part E 7.7.16).
  private mutating func restart(now: Duration) {
    endEverything(now: now)
    setState(.resetting)
    beginInitialization(now: now)
  }

  mutating func beginInitialization(now: Duration) {
    var machine = ControllerInitialization(ownAddress: configuration.ownAddress)
    let progress = machine.start()
    initialization = machine
    perform(progress, now: now)
    flush(now: now)
  }

  private mutating func continueInitialization(_ reply: HCIReply, now: Duration) {
    guard let progress = initialization?.handle(reply) else { return }
    perform(progress, now: now)
  }

  private mutating func perform(_ progress: ControllerInitialization.Progress, now: Duration) {
    switch progress {
    case .send(let command): commands.enqueue(command, tag: .initialization, now: now)
    case .ready(let found):
      initialization = nil
      capabilities = found
      acl.configure(packetLength: found.aclPacketLength, packetCount: found.aclPacketCount)
      setState(.poweredOn)
    case .failed(let failure):
      initialization = nil
      self.failure = failure
      setState(.unsupported)
    }
  }
}

extension Host {
  /// A command ended, as far as its own reply tells.
  mutating func ended(_ tag: CommandTag, _ reply: HCIReply, now: Duration) {
    let failure = reply.status == .success ? nil : reply.status ?? .unspecifiedError
    switch tag {
    case .initialization: continueInitialization(reply, now: now)
    case .scanning, .optional: break
    case .advertisingSetUp: advertiser.setUpFailure = advertiser.setUpFailure ?? failure
    case .advertisingEnable: advertisingAnswered(failure ?? .success, now: now)
    case .createConnection: if let failure { initiationFailed(failure, now: now) }
    case .disconnect(let id):
      // Without a connection of that handle there will be no event for it either.
      if let link = link(id), failure == .unknownConnectionIdentifier { ended(link, .localHostTerminated, now: now) }
    case .rssi(let id, let client):
      tell(client, .rssi(id, reply.returned(by: HCIReadRSSI.self).map(\.rssi)))
    }
    flush(now: now)
  }
}
