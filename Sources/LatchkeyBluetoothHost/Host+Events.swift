import LatchkeyByteCoding

extension Host {
  /// Handles an HCI event. Events that are unknown, truncated or for unknown handles are counted and ignored.
  mutating func receiveEvent(_ packet: [UInt8], now: Duration) {
    if let count = HCINumberOfCompletedPackets.entryCount(of: packet) {
      for index in 0..<count { received(HCINumberOfCompletedPackets.entry(index, of: packet)) }
      return
    }
    let event: HCIEvent
    do { event = try HCIEvent(decoding: packet) } catch { return ignored.packets += 1 }
    switch event {
    case .numberOfCompletedPackets(let completed): for entry in completed { received(entry) }
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
      // Another link may have the handle by the time they would be sent.
      _ = commands.removeWaiting(now: now) { $0.link == link.id }
      ended(link, event.reason, now: now)
    case .encryptionChange(let event): received(event, now: now)
    case .encryptionKeyRefreshComplete(let event): received(event, now: now)
    case .hardwareError: restart(now: now)
    case .le(.connectionComplete(let event)):
      guard state == .poweredOn else { return ignored.events += 1 }
      received(event, now: now)
    case .le(.advertisingReports(let reports)): received(reports, now: now)
    case .le(.advertisingSetTerminated(let event)): received(event, now: now)
    case .le(.longTermKeyRequest(let request)): received(request, now: now)
    case .le(.remoteConnectionParameterRequest(let request)): received(request, now: now)
    case .le(.connectionUpdateComplete(let event)):
      link(handle: event.connectionHandle)?.parametersChangeUntil = nil
    case .le(.dataLengthChange(let event)):
      // The two link layers have exchanged packets, so the link is established.
      if let link = link(handle: event.connectionHandle) { establish(link) }
    default: ignored.events += 1
    }
  }

  private mutating func received(_ completed: HCINumberOfCompletedPackets.Entry) {
    acl.completed(completed.connectionHandle, count: Int(completed.count))
  }

  /// Answers a peer's controller that requests other parameters: one answer at a time, however often it asks.
  private mutating func received(_ request: LERemoteConnectionParameterRequest, now: Duration) {
    guard let link = link(handle: request.connectionHandle), !link.isAnsweringParameters else {
      return ignored.events += 1
    }
    link.isAnsweringParameters = true
    if request.parameters.isAcceptable {
      commands.enqueue(
        HCILERemoteConnectionParameterRequestReply(
          connectionHandle: request.connectionHandle, parameters: request.parameters), tag: .parameterAnswer(link.id),
        now: now)
    } else {
      commands.enqueue(
        HCILERemoteConnectionParameterRequestNegativeReply(connectionHandle: request.connectionHandle),
        tag: .parameterAnswer(link.id), now: now)
    }
  }

  /// Restarts after the controller reported a hardware failure: all state is lost (Core 6.0 Vol 4 Part E 7.7.16).
  private mutating func restart(now: Duration) {
    endEverything(now: now)
    setState(.resetting)
    beginInitialization(now: now)
  }

  mutating func beginInitialization(now: Duration) {
    var machine = ControllerInitialization(
      ownAddress: localAddress.next(random, now: now) ?? localAddress.current,
      flowControl: configuration.flowControl,
      usesExtendedAdvertising: configuration.usesExtendedAdvertising,
      usesControllerPrivacy: configuration.usesControllerPrivacy)
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
      localAddress.answered(isSet: true, now: now)
      acl.configure(packetLength: found.aclPacketLength, packetCount: found.aclPacketCount)
      initiator = ConnectionInitiator(listCapacity: found.filterAcceptListSize)
      resolvingList.configure(capacity: found.resolvingListSize)
      advertising.configure(count: found.extendedAdvertising?.setCount ?? 1)
      setState(.poweredOn)
    case .failed(let failure):
      initialization = nil
      self.failure = failure
      setState(.unsupported)
    }
  }
}

extension Host {
  /// Handles the reply to a command.
  mutating func ended(_ tag: CommandTag, _ reply: HCIReply, now: Duration) {
    let failure = reply.status == .success ? nil : reply.status ?? .unspecifiedError
    switch tag {
    case .initialization: continueInitialization(reply, now: now)
    case .ignored, .optional: break
    case .localAddress: localAddress.answered(isSet: failure == nil, now: now)
    case .resolvingList(let identity): resolvingListAnswered(failure, of: identity, now: now)
    case .advertisingSetUp(let round): if let failure { advertisingSetUpFailed(failure, in: round) }
    case .advertisingEnable(let round): advertisingAnswered(failure ?? .success, in: round, now: now)
    case .createConnection(let attempt):
      if let failure, attempt == initiator.attempt { initiationRefused(failure, now: now) }
    case .acceptList(let attempt):
      if failure != nil, attempt == initiator.attempt { perform(initiator.listRefused(now: now), now: now) }
    case .startScanning: if let failure { scanningRefused(failure, now: now) }
    case .cancelConnection(let attempt):
      if failure != nil, attempt == initiator.attempt { initiator.cancelRefused(now: now) }
    case .parameterAnswer(let id): link(id)?.isAnsweringParameters = false
    case .encryption(let id): encryptionAnswered(failure, on: id, now: now)
    case .keyAnswer(let id): keyAnswered(failure, on: id)
    case .keyRefusal: isRefusingKeys = false
    case .parameters(let id): if failure != nil { link(id)?.parametersChangeUntil = nil }
    case .disconnect(let id):
      // Without a connection of that handle no event follows either.
      if let link = link(id), failure == .unknownConnectionIdentifier { ended(link, .localHostTerminated, now: now) }
    case .rssi(let id):
      // Clients that waited on an ended link have received its end.
      if let link = link(id) { answerRSSI(reply.returned(by: HCIReadRSSI.self).map(\.rssi), on: link) }
    }
    flush(now: now)
  }
}
