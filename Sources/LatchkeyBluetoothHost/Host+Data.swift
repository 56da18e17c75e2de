import LatchkeyByteCoding

extension Host {
  /// Handles an ACL data packet.
  mutating func receiveData(_ packet: consuming [UInt8], now: Duration) {
    guard let header = try? ACLPacket.handleAndFlags(of: packet) else { return ignored.packets += 1 }
    let handle = ConnectionHandle(rawValue: header)
    guard let link = link(handle: handle) else {
      if !early.enqueue(packet, handle: handle, now: now) { giveBack(handle) }
      return
    }
    countReturnable(1, on: link)
    canHoldPacket = capabilities.usesHostFlowControl
    if !link.isEstablished { establish(link) }
    if let frame = link.reassembler.receive(ACLPacket(packet, handleAndFlags: header)), !link.isClosing {
      received(frame, on: link, now: now)
      pump(link, now: now)
    }
    if window.isReturnDue { returnPackets() }
  }

  private mutating func received(_ frame: L2CAPFrame, on link: Link, now: Duration) {
    switch frame.channel {
    case .attribute:
      guard let opcode = frame.payload.peek() else { return ignored.frames += 1 }
      if ATTOpcode.isForClient(opcode) {
        link.client.receive(frame.payload, into: &link.clientOutputs)
      } else {
        link.server.receive(
          frame.payload, database: database, now: now, ids: &lastServerRequest, into: &link.serverOutputs)
      }
    case .signalling: receivedSignalling(frame.payload, on: link, now: now)
    case .securityManager: receivedSecurity(frame.payload, on: link, now: now)
    default: received(frame, onChannelOf: link, now: now)
    }
  }

  /// Performs the outputs of a link's halves, and sends the frames that the client half has ready.
  mutating func pump(_ link: Link, now: Duration) {
    repeat {
      if !link.clientOutputs.isEmpty { performClientOutputs(of: link, now: now) }
      if !link.serverOutputs.isEmpty { performServerOutputs(of: link, now: now) }
      guard !link.isClosing else { return }
      while link.client.mayHaveFrame(), let frame = link.client.nextFrame(now: now, into: &link.clientOutputs) {
        send(frame, .attribute, on: link, now: now)
      }
    } while !link.clientOutputs.isEmpty
    // A frame sent here is due after `transactionTimeout`, so an earlier armed deadline fires first anyway.
    if let armed = link.armedDeadline, armed <= now + ATTLimits.transactionTimeout { return }
    arm(link)
  }

  /// Queues a frame. A peer that sends requests without reading the answers violates the protocol and loses the link,
  /// so that nothing grows without bound.
  @inline(__always)
  mutating func send(_ frame: consuming [UInt8], _ channel: L2CAPChannelID, on link: Link, now: Duration) {
    let opcode = channel == .attribute && frame.count > OutgoingFrame.headroom ? frame[OutgoingFrame.headroom] : 0
    let goesAtOnce = acl.sendsAtOnce(frame.count, link.handle)
    if goesAtOnce, channel == .attribute {
      // Most frames. Those of other channels stay behind the outputs of the same input: a bond is stored before the peer hears
      // of the end of its pairing.
      outputs.append(.packet(acl.depart(frame, channel: channel, handle: link.handle)))
    } else if !acl.enqueue(frame, channel: channel, handle: link.handle) {
      return close(link, now: now)
    }
    if !goesAtOnce {
      hasQueued(opcode, on: link, now: now)
    } else if opcode == ATTOpcode.handleValueIndication.rawValue {
      indicationWasSent(on: link, now: now)
    }
  }

  private mutating func performClientOutputs(of link: Link, now: Duration) {
    var todo: [GATTClientOutput] = []
    swap(&todo, &link.clientOutputs)
    // Removed from the end and consumed, each output is moved and not copied, and the storage is reused.
    if todo.count > 1 { todo.withUnsafeMutableBufferPointer { $0.reverse() } }
    while let output = todo.popLast() {
      switch consume output {
      case .completion(let request, let outcome): outputs.append(.completion(request, outcome))
      case .notification(let handle, let value, let subscribers):
        for client in subscribers { deliver(.notification(link.id, handle, value), to: client, on: link, now: now) }
      case .send(let frame): if !link.isClosing { send(frame, .attribute, on: link, now: now) }
      case .mtu(let mtu):
        link.server.mtu = mtu
        emitMTU(mtu, of: link)
      case .servicesChanged(let range): for client in link.claims { emit(client, .servicesChanged(link.id, range)) }
      case .needsSecurity(let code, let client): raiseSecurity(for: client, code, on: link, now: now)
      case .bearerDead: close(link, now: now)
      }
    }
    if link.clientOutputs.isEmpty { swap(&todo, &link.clientOutputs) }
  }

  private mutating func performServerOutputs(of link: Link, now: Duration) {
    var todo: [ATTServerOutput] = []
    swap(&todo, &link.serverOutputs)
    // Removed from the end and consumed, each output is moved and not copied, and the storage is reused.
    if todo.count > 1 { todo.withUnsafeMutableBufferPointer { $0.reverse() } }
    while let output = todo.popLast() {
      switch consume output {
      case .send(let frame): if !link.isClosing { send(frame, .attribute, on: link, now: now) }
      case .readRequest(let owner, var request):
        request.additions = database.additions
        emit(owner, .readRequest(request))
      case .writeRequest(let owner, var request):
        request.additions = database.additions
        if request.id == nil {
          deliver(.writeRequest(request), to: owner, on: link, now: now)
        } else {
          emit(owner, .writeRequest(request))
        }
      case .subscriptionChanged(let owner, let handle, let subscription):
        emit(
          owner,
          .subscriptionChanged(link.id, link.peer, handle, subscription, additions: database.additions))
      case .mtu(let mtu):
        link.client.mtu = mtu
        emitMTU(mtu, of: link)
      case .indicationConfirmed:
        reportChange(on: link, now: now)
        notifyOfCapacity(on: link)
      case .bearerDead: close(link, now: now)
      }
    }
    if link.serverOutputs.isEmpty { swap(&todo, &link.serverOutputs) }
    if link.server.hasChangedClient { clientChanged(on: link, now: now) }
  }

  private mutating func emitMTU(_ mtu: Int, of link: Link) {
    for client in clients { emit(client, .mtuChanged(link.id, mtu)) }
  }
}
