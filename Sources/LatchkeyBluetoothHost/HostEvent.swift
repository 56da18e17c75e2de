/// What a host wants done, in the order in which it is to be done.
public enum HostOutput: Sendable {
  /// An H4 packet (Core 6.0 Vol 4 Part A 2), the indicator first, for the controller.
  case packet([UInt8])
  /// Something for one client of the host to know.
  case event(HostEvent, ClientID)
  /// The end of a procedure that was submitted; each ends exactly once.
  case completion(RequestID, GATTOutcome)
  /// Something for the log.
  case notice(HostNotice)
}

/// What a host tells a client.
public enum HostEvent: Sendable {
  /// The host's state changed. Anything but `poweredOn` ends all links, scans and advertising of the client. The life is
  /// the one that begins with `poweredOn`, and the last one otherwise.
  case stateChanged(HostState, HostLife)
  /// A device was found by the client's scan.
  case discovered(Discovery)
  /// A link that the client asked for, or any link in which this host is the peripheral.
  case connected(LinkID, BluetoothAddress, LinkRole)
  /// A connection that the client asked for was not made; it is no longer pending.
  case connectionFailed(BluetoothAddress, HCIStatus)
  /// A link ended, or the client let go of it. Its procedures ended before, with `GATTFailure.disconnected`.
  case disconnected(LinkID, BluetoothAddress, LinkRole, DisconnectionCause)
  /// A link's ATT_MTU changed, in bytes.
  case mtuChanged(LinkID, Int)
  /// A value came by itself. The client calls `consumed(_:on:)` once it has dealt with it.
  case notification(LinkID, AttributeHandle, [UInt8])
  /// The peer's database changed in this range (Service Changed).
  case servicesChanged(LinkID, AttributeHandleRange)
  /// The link takes Write Commands again after one was refused.
  case readyToSendWriteWithoutResponse(LinkID)
  /// A signal strength in dBm that the client asked for; nil if the controller could not tell.
  case rssi(LinkID, Int8?)
  /// Advertising began, or could not.
  case advertisingStarted(HCIStatus)
  /// A peer reads an attribute that the client owns; it must be answered once.
  case readRequest(GATTReadRequest)
  /// A peer writes attributes that the client owns; it must be answered once if it has an id.
  /// Without an id (Write Command) the client calls `consumed(_:on:)` once it has dealt with it.
  case writeRequest(GATTWriteRequest)
  /// A peer subscribed to one of the client's characteristics, or let go of it, after so many services were added
  /// (`GATTServicePlacement.addition`).
  case subscriptionChanged(LinkID, BluetoothAddress, AttributeHandle, Subscription, additions: UInt64)
  /// Notifications are taken again after one was refused.
  case readyToUpdateSubscribers
}

/// Numbers the times at which a host was powered on. What a client asks for belongs to one of them.
///
/// A client hears of a reset later than it happens. A command that names the life of which the client has heard is refused
/// once that is over, so that nothing is begun which the news of the reset, still on its way, would end on paper alone.
public struct HostLife: Hashable, Sendable {
  package let value: UInt64
  package init(_ value: UInt64) { self.value = value }
}

/// The state of a host and its controller.
public enum HostState: Sendable, Hashable {
  /// Not known yet: the controller is being initialized.
  case unknown
  /// The controller is gone for the moment and is being initialized again.
  case resetting
  /// The controller cannot do what a host needs.
  case unsupported
  /// There is no controller.
  case poweredOff
  /// Ready.
  case poweredOn
}

/// Why a link ended.
public enum DisconnectionCause: Sendable, Hashable {
  /// The client asked for it.
  case requested
  /// The peer, the radio or the controller ended it; the status says how (Core 6.0 Vol 1 Part F).
  case reason(HCIStatus)
}

/// What a central asked of a characteristic (Core 6.0 Vol 3 Part G 3.3.3.3).
public enum Subscription: Sendable, Hashable {
  /// Nothing.
  case none
  /// Values without confirmation.
  case notifications
  /// Values with confirmation.
  case indications
}

/// A device that a scan found: what is known of it by its advertisement and scan response together.
public struct Discovery: Sendable {
  /// Its address.
  public var address: BluetoothAddress
  /// Signal strength in dBm; 127 if the controller could not tell.
  public var rssi: Int8
  /// Whether it takes connections.
  public var isConnectable: Bool
  /// The AD structures of its advertisement, then those of its scan response.
  public var data: AdvertisingData
}

/// Names a request of a peer that waits for its answer.
public struct ServerRequestID: Hashable, Sendable {
  package let value: UInt64
  package init(_ value: UInt64) { self.value = value }

  /// The link that it came by.
  var link: LinkID { LinkID(UInt32(value >> 32)) }
}

/// A peer reads an attribute that asks its owner (Core 6.0 Vol 3 Part F 3.4.4.3, 3.4.4.5).
public struct GATTReadRequest: Sendable {
  /// To answer it by.
  public var id: ServerRequestID
  /// The link it came by.
  public var link: LinkID
  /// The peer.
  public var peer: BluetoothAddress
  /// The attribute.
  public var handle: AttributeHandle
  /// The first byte that the peer wants.
  public var offset: Int
  /// How many services were added before it came (`GATTServicePlacement.addition`).
  public var additions: UInt64 = 0
}

/// A peer writes one attribute, or several by Execute Write (Core 6.0 Vol 3 Part F 3.4.5, 3.4.6).
public struct GATTWriteRequest: Sendable {
  /// One part of a write.
  public struct Part: Sendable {
    /// The attribute.
    public var handle: AttributeHandle
    /// Where in the value the bytes go.
    public var offset: Int
    /// The bytes.
    public var value: [UInt8]
  }

  /// To answer it by; nil for a Write Command, which has no answer.
  public var id: ServerRequestID?
  /// The link it came by.
  public var link: LinkID
  /// The peer.
  public var peer: BluetoothAddress
  /// What is written, all or nothing, in order.
  public var parts: [Part]
  /// How many services were added before it came (`GATTServicePlacement.addition`).
  public var additions: UInt64 = 0
}

/// A client's answer to a peer's request.
public enum GATTServerResponse: Sendable {
  /// A read succeeds: the value from the request's offset on.
  case value([UInt8])
  /// A write succeeds.
  case written
  /// The request fails.
  case error(ATTErrorCode)
}
