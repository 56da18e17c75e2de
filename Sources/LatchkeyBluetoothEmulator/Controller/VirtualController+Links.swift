import LatchkeyBluetoothHost
import LatchkeyByteCoding

// Commands on one link (Core 6.0 Vol 4 Part E 7.1, 7.5, 7.8).

extension VirtualController {
  /// The reasons that a host may send its peer (7.1.6).
  private static let disconnectReasons: [HCIStatus] = [
    .authenticationFailure, .remoteUserTerminated, .remoteLowResources, .remotePowerOff, .unsupportedRemoteFeature,
    HCIStatus(rawValue: 0x29), .unacceptableConnectionParameters,
  ]

  mutating func executeLink(_ command: HCICommandPacket) throws(ByteCodingError) -> CommandOutcome {
    switch command.opcode {
    case .disconnect: disconnect(try command.decode(as: HCIDisconnect.self))
    case .readRSSI: readRSSI(try command.decode(as: HCIReadRSSI.self).connectionHandle)
    case .readRemoteVersionInformation:
      onLink(try command.decode(as: HCIReadRemoteVersionInformation.self).connectionHandle, command.opcode) {
        .readRemoteVersion($0)
      }
    case .leReadRemoteFeatures:
      onLink(try command.decode(as: HCILEReadRemoteFeatures.self).connectionHandle, command.opcode) {
        .readRemoteFeatures($0)
      }
    case .leEnableEncryption: enableEncryption(try command.decode(as: HCILEEnableEncryption.self))
    case .leLongTermKeyRequestReply: provideKey(try command.decode(as: HCILELongTermKeyRequestReply.self))
    case .leLongTermKeyRequestNegativeReply:
      refuseKey(try command.decode(as: HCILELongTermKeyRequestNegativeReply.self).connectionHandle)
    case .leConnectionUpdate: updateConnection(try command.decode(as: HCILEConnectionUpdate.self))
    case .leRemoteConnectionParameterRequestReply:
      accept(try command.decode(as: HCILERemoteConnectionParameterRequestReply.self))
    case .leRemoteConnectionParameterRequestNegativeReply:
      reject(try command.decode(as: HCILERemoteConnectionParameterRequestNegativeReply.self))
    case .leSetDataLength: setDataLength(try command.decode(as: HCILESetDataLength.self))
    case .leWriteSuggestedDefaultDataLength:
      suggestDataLength(try command.decode(as: HCILEWriteSuggestedDefaultDataLength.self))
    default: failed(command.opcode, .unknownCommand)
    }
  }

  private func onLink(
    _ handle: ConnectionHandle, _ opcode: HCIOpcode, _ action: (ConnectionHandle) -> CommandAction
  ) -> CommandOutcome {
    guard linkIndex(handle) != nil else { return failed(opcode, .unknownConnectionIdentifier) }
    return pending(opcode, then: action(handle))
  }

  private mutating func disconnect(_ request: HCIDisconnect) -> CommandOutcome {
    let opcode = HCIDisconnect.opcode
    guard let index = linkIndex(request.connectionHandle) else { return failed(opcode, .unknownConnectionIdentifier) }
    guard Self.disconnectReasons.contains(request.reason) else { return failed(opcode, .invalidParameters) }
    guard !state.links[index].isTerminating else { return failed(opcode, .commandDisallowed) }
    state.links[index].isTerminating = true
    // If the peer never confirms it, this host ended the link nevertheless.
    state.links[index].lossReason = .localHostTerminated
    return pending(opcode, then: .disconnect(request.connectionHandle, request.reason))
  }

  private func readRSSI(_ handle: ConnectionHandle) -> CommandOutcome {
    guard let index = linkIndex(handle) else { return failed(HCIReadRSSI.opcode, .unknownConnectionIdentifier) }
    return returned(HCIReadRSSI.self, .init(connectionHandle: handle, rssi: state.links[index].rssi))
  }

  // MARK: Encryption

  /// Only a central encrypts, and one procedure at a time is under way (7.8.24, Vol 6 Part B 5.1.3.1).
  private func enableEncryption(_ request: HCILEEnableEncryption) -> CommandOutcome {
    guard let index = linkIndex(request.connectionHandle) else {
      return failed(HCILEEnableEncryption.opcode, .unknownConnectionIdentifier)
    }
    let link = state.links[index]
    guard link.role == .central, !link.encryption.holdsData, !link.isTerminating else {
      return failed(HCILEEnableEncryption.opcode, .commandDisallowed)
    }
    return pending(HCILEEnableEncryption.opcode, then: .encrypt(request))
  }

  private func provideKey(_ reply: HCILELongTermKeyRequestReply) -> CommandOutcome {
    typealias Command = HCILELongTermKeyRequestReply
    if let refusal = refusalOfKeyReply(reply.connectionHandle) { return failed(Command.opcode, refusal) }
    return returned(
      Command.self, .init(connectionHandle: reply.connectionHandle),
      then: .provideKey(reply.connectionHandle, reply.longTermKey))
  }

  private func refuseKey(_ handle: ConnectionHandle) -> CommandOutcome {
    typealias Command = HCILELongTermKeyRequestNegativeReply
    if let refusal = refusalOfKeyReply(handle) { return failed(Command.opcode, refusal) }
    return returned(Command.self, .init(connectionHandle: handle), then: .refuseKey(handle))
  }

  /// The status of an answer to a Long Term Key Request that was not sent; nil if it was (7.8.25, 7.8.26).
  private func refusalOfKeyReply(_ handle: ConnectionHandle) -> HCIStatus? {
    guard let index = linkIndex(handle) else { return .unknownConnectionIdentifier }
    return state.links[index].encryption.isAwaitingKey ? nil : .commandDisallowed
  }

  // MARK: Connection parameters

  private func updateConnection(_ request: HCILEConnectionUpdate) -> CommandOutcome {
    guard linkIndex(request.connectionHandle) != nil else {
      return failed(HCILEConnectionUpdate.opcode, .unknownConnectionIdentifier)
    }
    guard request.parameters.isValid else { return failed(HCILEConnectionUpdate.opcode, .invalidParameters) }
    return pending(
      HCILEConnectionUpdate.opcode, then: .updateConnection(request.connectionHandle, request.parameters))
  }

  private mutating func accept(_ reply: HCILERemoteConnectionParameterRequestReply) -> CommandOutcome {
    typealias Command = HCILERemoteConnectionParameterRequestReply
    guard let index = linkIndex(reply.connectionHandle) else {
      return failed(Command.opcode, .unknownConnectionIdentifier)
    }
    guard state.links[index].awaitsParameterReply else { return failed(Command.opcode, .commandDisallowed) }
    guard reply.parameters.isValid else { return failed(Command.opcode, .invalidParameters) }
    state.links[index].awaitsParameterReply = false
    return returned(
      Command.self, .init(connectionHandle: reply.connectionHandle),
      then: .acceptParameters(reply.connectionHandle, reply.parameters))
  }

  private mutating func reject(_ reply: HCILERemoteConnectionParameterRequestNegativeReply) -> CommandOutcome {
    typealias Command = HCILERemoteConnectionParameterRequestNegativeReply
    guard let index = linkIndex(reply.connectionHandle) else {
      return failed(Command.opcode, .unknownConnectionIdentifier)
    }
    guard state.links[index].awaitsParameterReply else { return failed(Command.opcode, .commandDisallowed) }
    state.links[index].awaitsParameterReply = false
    return returned(
      Command.self, .init(connectionHandle: reply.connectionHandle),
      then: .rejectParameters(reply.connectionHandle, reply.reason))
  }

  // MARK: Data length

  private func isValidLength(octets: UInt16, time: UInt16) -> Bool { 27...251 ~= octets && 328...17040 ~= time }

  private mutating func setDataLength(_ request: HCILESetDataLength) -> CommandOutcome {
    guard let index = linkIndex(request.connectionHandle) else {
      return failed(HCILESetDataLength.opcode, .unknownConnectionIdentifier)
    }
    guard isValidLength(octets: request.maximumTransmitOctets, time: request.maximumTransmitTime) else {
      return failed(HCILESetDataLength.opcode, .invalidParameters)
    }
    state.links[index].wantedLength.transmitOctets = request.maximumTransmitOctets
    state.links[index].wantedLength.transmitTime = min(request.maximumTransmitTime, maximumDataLength.transmitTime)
    return returned(
      HCILESetDataLength.self, .init(connectionHandle: request.connectionHandle),
      then: .updateDataLength(request.connectionHandle))
  }

  private mutating func suggestDataLength(_ request: HCILEWriteSuggestedDefaultDataLength) -> CommandOutcome {
    guard isValidLength(octets: request.maximumTransmitOctets, time: request.maximumTransmitTime) else {
      return failed(HCILEWriteSuggestedDefaultDataLength.opcode, .invalidParameters)
    }
    state.suggestedOctets = request.maximumTransmitOctets
    state.suggestedTime = min(request.maximumTransmitTime, maximumDataLength.transmitTime)
    return done(HCILEWriteSuggestedDefaultDataLength.self)
  }
}
