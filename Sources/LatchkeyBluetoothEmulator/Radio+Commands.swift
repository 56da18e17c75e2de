import LatchkeyBluetoothHost
import LatchkeyByteCoding

// Commands: the answer first, then the effects on the air (Core 6.0 Vol 4 Part E 4.4, 4.5).

extension Radio {
  mutating func receiveCommand(_ packet: [UInt8], slot: Int, now: Duration) {
    guard let command = try? HCICommandPacket(decoding: packet) else {
      controllers[slot].droppedPackets += 1
      return
    }
    if command.opcode == .hostNumberOfCompletedPackets, !controllers[slot].faults.concernCommands {
      receiveHostCompleted(command, slot, now: now)
      return
    }
    let opcode = command.opcode.rawValue
    guard !controllers[slot].faults.silentCommands.contains(opcode) else { return }
    if let status = controllers[slot].faults.refusedCommands[opcode] {
      answer(controllers[slot].failed(command.opcode, status), slot, now: now)
      return
    }
    guard command.opcode != .hostNumberOfCompletedPackets else {
      receiveHostCompleted(command, slot, now: now)
      return
    }
    if !VirtualController.timelessCommands.contains(command.opcode) {
      deadlineTable.change(slot)
      listenerTable.change(slot)
    }
    guard controllers[slot].supportedCommands.contains(command.opcode) else {
      answer(controllers[slot].failed(command.opcode, .unknownCommand), slot, now: now)
      return
    }
    do {
      answer(try controllers[slot].execute(command, random: &random), slot, now: now)
    } catch {
      answer(controllers[slot].failed(command.opcode, .invalidParameters), slot, now: now)
    }
  }

  private mutating func answer(_ outcome: CommandOutcome, _ slot: Int, now: Duration) {
    if let reply = outcome.reply { emit(reply, to: slot) }
    if let action = outcome.action { perform(action, slot, now: now) }
    guard let delay = controllers[slot].faults.commandCreditDelay, outcome.reply != nil else { return }
    controllers[slot].state.commandCreditAt = now + delay
    deadlineTable.change(slot)
  }

  /// Allows the host to send commands again after a fault withheld its credits (7.7.14: opcode 0x0000).
  mutating func raiseCommandCredits(_ slot: Int) {
    controllers[slot].state.commandCreditAt = nil
    deadlineTable.change(slot)
    emit(.commandComplete(credits: 1, opcode: .none, parameters: ByteReader([])), to: slot)
  }

  /// Handles the one command that needs no credit and is answered only with an error (7.3.40). A host with flow control
  /// sends one for every few packets, so its entries are decoded in place.
  private mutating func receiveHostCompleted(_ command: HCICommandPacket, _ slot: Int, now: Duration) {
    var reader = command.parameters
    var isRight = reader.remaining == 1 + 4 * Int(reader.peek() ?? 0)
    if isRight {
      _ = try? reader.uint8("Num_Handles")
      while let handle = try? reader.uint16("Connection_Handle"), let count = try? reader.uint16("count") {
        let handle = ConnectionHandle(rawValue: handle)
        if !controllers[slot].hostCompleted(handle, count: Int(count)) { isRight = false }
      }
      releaseHeld(slot)
    }
    if !isRight { answer(controllers[slot].failed(command.opcode, .invalidParameters), slot, now: now) }
  }

  private mutating func perform(_ action: CommandAction, _ slot: Int, now: Duration) {
    deadlineTable.change(slot)
    switch action {
    case .reset: wipe(slot, now: now)
    case .startAdvertising(let handles):
      renewPrivateAddresses(slot, now: now)
      startAdvertising(handles, slot, now: now)
    case .startScanning:
      renewPrivateAddresses(slot, now: now)
      startScanning(slot, now: now)
    case .startListening:
      renewPrivateAddresses(slot, now: now)
      startListening(slot, now: now)
    case .restartPrivateAddresses:
      let list = controllers[slot].state.resolvingList
      if list.renewal != nil { controllers[slot].state.resolvingList.renewal = now + list.lifetime }
    case .reportCancelledConnection: announceFailure(.unknownConnectionIdentifier, role: .central, slot: slot)
    case .encrypt(let command): encrypt(LinkEnd(slot: slot, handle: command.connectionHandle), command, now: now)
    case .provideKey(let handle, let key): provideKey(LinkEnd(slot: slot, handle: handle), key, now: now)
    case .refuseKey(let handle): refuseKey(LinkEnd(slot: slot, handle: handle), now: now)
    case .disconnect(let handle, let reason): send(.terminate(reason), slot, handle, now: now)
    case .readRemoteVersion(let handle): send(.versionRequest, slot, handle, now: now)
    case .readRemoteFeatures(let handle): requestFeatures(LinkEnd(slot: slot, handle: handle), now: now)
    case .updateConnection(let handle, let parameters):
      updateConnection(LinkEnd(slot: slot, handle: handle), parameters, now: now)
    case .acceptParameters(let handle, let parameters):
      updateConnection(LinkEnd(slot: slot, handle: handle), parameters, now: now)
    case .rejectParameters(let handle, let reason): send(.connectionParameterReject(reason), slot, handle, now: now)
    case .updateDataLength(let handle):
      guard let index = controllers[slot].linkIndex(handle) else { return }
      requestDataLength(LinkEnd(slot: slot, handle: handle), index, now: now)
    }
  }

  private mutating func send(_ pdu: LinkControlPDU, _ slot: Int, _ handle: ConnectionHandle, now: Duration) {
    guard let index = controllers[slot].linkIndex(handle) else { return }
    send(.control(pdu), slot, index, now: now)
  }
}
