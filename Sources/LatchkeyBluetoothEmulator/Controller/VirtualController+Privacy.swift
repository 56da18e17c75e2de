import LatchkeyBluetoothHost
import LatchkeyByteCoding

// The commands of the resolving list (Core 6.0 Vol 4 Part E 7.8.38 to 7.8.45, 7.8.77), and the addresses that follow from it.

extension VirtualController {
  static let privacyCommands: [HCIOpcode] = [
    .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList, .leReadResolvingListSize,
    .leReadPeerResolvableAddress, .leReadLocalResolvableAddress, .leSetAddressResolutionEnable,
    .leSetResolvablePrivateAddressTimeout, .leSetPrivacyMode,
  ]

  mutating func executePrivacy(
    _ command: HCICommandPacket, random: inout SplitMix64
  ) throws(ByteCodingError) -> CommandOutcome {
    switch command.opcode {
    case .leAddDeviceToResolvingList:
      add(try command.decode(as: HCILEAddDeviceToResolvingList.self), &random)
    case .leRemoveDeviceFromResolvingList:
      remove(try command.decode(as: HCILERemoveDeviceFromResolvingList.self).identity)
    case .leClearResolvingList:
      clear(try command.decode(as: HCILEClearResolvingList.self))
    case .leReadPeerResolvableAddress:
      readPeer(try command.decode(as: HCILEReadPeerResolvableAddress.self).identity)
    case .leReadLocalResolvableAddress:
      readLocal(try command.decode(as: HCILEReadLocalResolvableAddress.self).identity)
    case .leSetAddressResolutionEnable:
      enableResolution(try command.decode(as: HCILESetAddressResolutionEnable.self).isEnabled)
    case .leSetPrivacyMode:
      setMode(try command.decode(as: HCILESetPrivacyMode.self))
    default:
      setLifetime(try command.decode(as: HCILESetResolvablePrivateAddressTimeout.self).seconds)
    }
  }

  // MARK: Commands

  /// Whether anything could use the list at the moment.
  private var isUsingAddresses: Bool {
    state.advertisers.contains(where: \.isEnabled) || state.scanner.isEnabled || state.initiator != nil
  }

  /// Whether the list must not change.
  private var isListInUse: Bool { state.resolvingList.isEnabled && isUsingAddresses }

  private mutating func add(
    _ request: HCILEAddDeviceToResolvingList, _ random: inout SplitMix64
  ) -> CommandOutcome {
    typealias Command = HCILEAddDeviceToResolvingList
    guard !isListInUse else { return failed(Command.opcode, .commandDisallowed) }
    guard state.resolvingList.entries.count < configuration.resolvingListSize else {
      return failed(Command.opcode, .memoryCapacityExceeded)
    }
    let status = state.resolvingList.add(request, &random)
    return status == .success ? done(Command.self) : failed(Command.opcode, status)
  }

  private mutating func remove(_ identity: BluetoothAddress) -> CommandOutcome {
    typealias Command = HCILERemoveDeviceFromResolvingList
    guard !isListInUse else { return failed(Command.opcode, .commandDisallowed) }
    guard state.resolvingList.remove(identity) else { return failed(Command.opcode, .unknownConnectionIdentifier) }
    return done(Command.self)
  }

  private mutating func clear(_ request: HCILEClearResolvingList) -> CommandOutcome {
    guard !isListInUse else { return failed(HCILEClearResolvingList.opcode, .commandDisallowed) }
    state.resolvingList.removeAll()
    return done(HCILEClearResolvingList.self)
  }

  private mutating func setMode(_ request: HCILESetPrivacyMode) -> CommandOutcome {
    typealias Command = HCILESetPrivacyMode
    guard !isListInUse else { return failed(Command.opcode, .commandDisallowed) }
    guard state.resolvingList.setMode(request.mode, of: request.identity) else {
      return failed(Command.opcode, .unknownConnectionIdentifier)
    }
    return done(Command.self)
  }

  private mutating func enableResolution(_ isEnabled: Bool) -> CommandOutcome {
    guard !isUsingAddresses else { return failed(HCILESetAddressResolutionEnable.opcode, .commandDisallowed) }
    state.resolvingList.isEnabled = isEnabled
    return done(HCILESetAddressResolutionEnable.self)
  }

  private mutating func setLifetime(_ seconds: UInt16) -> CommandOutcome {
    typealias Command = HCILESetResolvablePrivateAddressTimeout
    guard 0x0001...0x0E10 ~= seconds else { return failed(Command.opcode, .invalidParameters) }
    state.resolvingList.lifetime = .seconds(Int64(seconds))
    return done(Command.self, then: .restartPrivateAddresses)
  }

  private func readPeer(_ identity: BluetoothAddress) -> CommandOutcome {
    typealias Command = HCILEReadPeerResolvableAddress
    guard let entry = state.resolvingList[identity] else { return failed(Command.opcode, .unknownConnectionIdentifier) }
    return returned(Command.self, .init(address: entry.peerAddress ?? BluetoothAddress(0, kind: .random)))
  }

  private func readLocal(_ identity: BluetoothAddress) -> CommandOutcome {
    typealias Command = HCILEReadLocalResolvableAddress
    guard let entry = state.resolvingList[identity] else { return failed(Command.opcode, .unknownConnectionIdentifier) }
    return returned(Command.self, .init(address: entry.localAddress ?? BluetoothAddress(0, kind: .random)))
  }

  // MARK: Addresses

  /// The address of a kind that a peer is shown, or that all are shown; nil for a random one while none was set.
  func ownAddress(_ kind: OwnAddressKind, for peer: BluetoothAddress? = nil) -> BluetoothAddress? {
    privateAddress(kind, for: peer) ?? (kind.fixed == .public ? address : state.randomAddress)
  }

  /// The private address that the controller has made for a peer; nil if it shows the peer none.
  func privateAddress(_ kind: OwnAddressKind, for peer: BluetoothAddress?) -> BluetoothAddress? {
    guard kind.isPrivate, let peer else { return nil }
    return state.resolvingList[peer]?.localAddress
  }

  /// The address of an advertiser on the air; nil while it is random and none was set.
  func address(of advertiser: VirtualAdvertiser) -> BluetoothAddress? {
    if let address = privateAddress(advertiser.ownAddressKind, for: advertiser.peer) { return address }
    guard advertiser.ownAddressKind.fixed == .random, advertiser.handle != nil else {
      return ownAddress(advertiser.ownAddressKind)
    }
    return advertiser.randomAddress
  }

  /// The address by which directed advertising names its target on the air.
  func target(of advertiser: VirtualAdvertiser) -> BluetoothAddress {
    guard advertiser.ownAddressKind.isPrivate else { return advertiser.peer }
    return state.resolvingList[advertiser.peer]?.targetAddress ?? advertiser.peer
  }

  /// Whether directed advertising of a peer is meant for this controller, which listens under an address of a kind.
  func isNamed(by target: BluetoothAddress, of peer: ResolvingList.Peer, _ kind: OwnAddressKind) -> Bool {
    target == ownAddress(kind, for: peer.address) || target == ownAddress(kind)
      || state.resolvingList.names(target, to: peer.address)
  }

  /// When the next private addresses are due; nil while none is in use.
  var privateAddressDeadline: Duration? {
    guard let renewal = state.resolvingList.renewal, state.resolvingList.hasLocalAddresses else { return nil }
    let isInUse =
      state.advertisers.contains { $0.isEnabled && $0.ownAddressKind.isPrivate }
      || state.scanner.isEnabled && state.scanner.parameters.ownAddressKind.isPrivate
      || state.initiator?.request.ownAddressKind.isPrivate == true
    return isInUse ? renewal : nil
  }
}

extension Radio {
  /// Begins the time of a controller's private addresses, or draws the next ones when it is over.
  mutating func renewPrivateAddresses(_ slot: Int, now: Duration) {
    let list = controllers[slot].state.resolvingList
    guard list.hasLocalAddresses, list.renewal.map({ $0 <= now }) ?? true else { return }
    deadlineTable.change(slot)
    controllers[slot].state.resolvingList.renewal = now + list.lifetime
    guard list.renewal != nil else { return }
    controllers[slot].state.resolvingList.renew(&random)
    listenerTable.change(slot)
  }
}
