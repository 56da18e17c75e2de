/// An action that the host requests, to be performed in order.
public enum HostOutput: Sendable {
  /// An H4 packet (Core 6.0 Vol 4 Part A 2), the indicator first, for the controller.
  case packet([UInt8])
  /// An event for one client of the host.
  case event(HostEvent, ClientID)
  /// The end of a procedure that was submitted; each ends exactly once.
  case completion(RequestID, GATTOutcome)
  /// A change of the bonds, for their store. It comes before the events of the pairing.
  // Indirect, since it is rare and three times as large as all others: each packet is moved as an output several times.
  indirect case bondChanged(BondChange)
  /// A notice for the log.
  case notice(HostNotice)
}

/// An event that a host reports to a client.
public enum HostEvent: Sendable {
  /// The host's state changed. Any state but `poweredOn` ends all links, scans and advertising of the client. The life
  /// is the one that begins with `poweredOn`, and the last one otherwise.
  case stateChanged(HostState, HostLife)
  /// The client's scan found a device.
  case discovered(Discovery)
  /// A link that the client requested came up, or any link in which this host is the peripheral.
  case connected(LinkID, BluetoothAddress, LinkRole)
  /// A requested connection failed; it is no longer pending.
  case connectionFailed(BluetoothAddress, HCIStatus)
  /// A link ended, or the client released it. Its procedures ended before, with `GATTFailure.disconnected`.
  case disconnected(LinkID, BluetoothAddress, LinkRole, DisconnectionCause)
  /// A link's ATT_MTU changed, in bytes.
  case mtuChanged(LinkID, Int)
  /// An unsolicited value arrived. The client calls `consumed(_:on:client:now:)` once it has processed it.
  case notification(LinkID, AttributeHandle, [UInt8])
  /// The peer's database changed in this range (Service Changed).
  case servicesChanged(LinkID, AttributeHandleRange)
  /// The link accepts Write Commands again after one was refused.
  case readyToSendWriteWithoutResponse(LinkID)
  /// A signal strength in dBm that the client requested; nil if the controller did not report one.
  case rssi(LinkID, Int8?)
  /// Advertising began, or failed to.
  case advertisingStarted(HCIStatus)
  /// A peer reads an attribute that the client owns; the client answers it once.
  case readRequest(GATTReadRequest)
  /// A peer writes attributes that the client owns. The client answers it once if it has an id. Without an id (Write
  /// Command) the client calls `consumed(_:on:client:now:)` once it has processed it.
  case writeRequest(GATTWriteRequest)
  /// A peer subscribed to or unsubscribed from one of the client's characteristics; the last value is the number of
  /// services added so far (`GATTServicePlacement.addition`).
  case subscriptionChanged(LinkID, BluetoothAddress, AttributeHandle, Subscription, additions: UInt64)
  /// Notifications are accepted again after one was refused.
  case readyToUpdateSubscribers
  /// An event of a channel with credits that the client opened or serves.
  case channel(ChannelEvent)
  /// The client's user is asked about a pairing of a link; `answerPairing` answers. The end of the pairing ends the
  /// question.
  case pairingQuestion(LinkID, BluetoothAddress, PairingPrompt)
  /// A pairing of a link ended.
  case pairingEnded(LinkID, BluetoothAddress, PairingEnd)
}

/// A bond that is to be stored, or removed from the store.
public struct BondChange: Sendable {
  /// The peer's identity address.
  package let identity: BluetoothAddress
  /// The bond; nil if it was removed.
  package let bond: Bond?
  /// Whether its keys are those that are stored, and what was kept of the peer has changed.
  package var isUpdate = false
}

/// A question of a pairing.
public struct PairingPrompt: Sendable {
  package let question: PairingQuestion
}

/// The end of a pairing.
public struct PairingEnd: Sendable {
  /// The peer's identity address, if the pairing succeeded.
  package let identity: BluetoothAddress?
  /// Whether the bond outlives the link.
  package let isStored: Bool
  /// Why the pairing failed.
  package let failure: PairingFailure?
}

/// Why a link ended.
public enum DisconnectionCause: Sendable, Hashable {
  /// The client requested it.
  case requested
  /// The peer, the radio or the controller ended it; the status is the reason (Core 6.0 Vol 1 Part F).
  case reason(HCIStatus)
}
