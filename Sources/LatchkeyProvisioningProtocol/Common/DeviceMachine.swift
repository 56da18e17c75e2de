/// A central's connection to a device, numbered by the shell: a lost one and the next one of the same central differ.
package struct ProvisioningLink: Hashable, Sendable {
  package let id: UInt64

  package init(id: UInt64) { self.id = id }
}

/// What a device's machine is told with each input, and what it may change: the state that all protocols of the device share.
///
/// The shell stores `attempts` if they have changed, before it performs the actions of the input.
package struct DeviceContext: Sendable {
  /// The time, on the shell's clock.
  package var now: Duration
  /// The tries that all protocols share.
  package var attempts: AttemptBudget
  /// What the network connection is doing.
  package var network: NetworkState
  /// Whether somebody has acted at the device within the time that such an act holds, or no act is needed.
  package var isAuthorized: Bool
  /// Whether the device lets apps in that it does not know yet: for some time after its start, or after an act at it.
  package var isPairing: Bool
  /// The longest value that can be notified on a link: ATT_MTU - 3.
  package var notificationLimits: [ProvisioningLink: Int]

  package init(
    now: Duration, attempts: AttemptBudget? = nil, network: NetworkState = .idle, isAuthorized: Bool = true,
    isPairing: Bool = true,
    notificationLimits: [ProvisioningLink: Int] = [:]
  ) {
    self.now = now
    self.attempts = attempts ?? AttemptBudget(now: now)
    self.network = network
    self.isAuthorized = isAuthorized
    self.isPairing = isPairing
    self.notificationLimits = notificationLimits
  }

  /// The longest value that can be notified on `link`; 20 bytes if nobody knows.
  package func notificationLimit(of link: ProvisioningLink) -> Int { notificationLimits[link] ?? 20 }
}

/// Work for the device that a protocol's request is about. The machine chose its number, which comes back with the result.
package enum DeviceWork: Sendable {
  /// List the networks in reach; the result is `networks`.
  case scan
  /// Join the network. The result, `done` or `failed`, says whether the attempt has begun; how it goes on is `DeviceContext.network`.
  case join(NetworkCredentials)
  /// Forget the network, and the last attempt; the result is `done`.
  case forget
  /// Show which device this is; the result is `done`.
  case identify
  /// Set the host name; the result is `done`.
  case setHostname(String)
  /// Set the name that people see; the result is `done`.
  case setName(String)
  /// A request to an endpoint of the maker's; the result is `response`.
  case custom(endpoint: String, body: [UInt8])
}

/// The result of work.
package enum DeviceWorkResult: Sendable {
  case done
  /// The networks, strongest first, each name once.
  case networks([ScannedNetwork])
  case response([UInt8])
  case failed(DeviceWorkFailure)
}

/// Why work was not done.
package enum DeviceWorkFailure: Hashable, Sendable {
  /// The request makes no sense: a name that no host may have, an endpoint that there is not.
  case invalid
  /// Other work is under way.
  case busy
  /// The device cannot.
  case unavailable
}

/// What a device's machine has its shell do. The shell performs the actions in their order.
package enum DeviceAction: Sendable {
  /// Answer the last write on the link: nil accepts it, else it is an ATT error (Core 6.0 Vol 3 Part F 3.4.1.1). Each write has one answer.
  case respond(ProvisioningLink, error: UInt8?)
  /// Notify the link of a value that fits its limit, if it has subscribed.
  case notify(ProvisioningLink, characteristic: String, [UInt8])
  /// Do this work. Work of a link that has ended goes on; its result is ignored.
  case perform(Int, DeviceWork)
  /// `serviceData` or `isAdvertised` has changed.
  case advertise
  /// Tell the user.
  case report(DeviceMachineEvent)
}

/// What a user of the device is told. It has no secrets.
package enum DeviceMachineEvent: Hashable, Sendable {
  /// A session is open.
  case opened(ProvisioningLink, ProvisioningAssurance)
  /// A peer was refused, or its session ended by its own mistake; the words say why, for the device's owner alone.
  case refused(ProvisioningLink, String)
  /// A try with a wrong code, or one that was not finished.
  case wrongCode(ProvisioningLink)
  /// A session has ended.
  case closed(ProvisioningLink)
}

/// A device's end of a provisioning protocol, without a radio, a clock or a disk: it takes what centrals do and the results of
/// work, and gives actions. One machine serves all links of its service.
///
/// Whatever a peer writes is answered, or refused; nothing that it does grows without bound.
package protocol ProvisioningDeviceMachine: Sendable {
  /// The service, with its characteristics. Fixed.
  var service: ProvisioningService { get }
  /// Whether the service is advertised and serves now.
  var isAdvertised: Bool { get }
  /// Service data of the advertisement, by 16-bit UUID; nil if there is none.
  var serviceData: (uuid: UInt16, bytes: [UInt8])? { get }
  /// When `handleTimeout(context:)` is due.
  var nextDeadline: Duration? { get }
  /// What the machine keeps over restarts, secret; nil if it keeps nothing. The shell stores it, when it has changed, before it
  /// performs the actions of the input, and gives it back to the machine's initializer.
  var storedState: [UInt8]? { get }

  /// A central wrote a value: a long write comes as one.
  mutating func write(
    _ value: [UInt8], to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext)
  /// The value that a central reads. A long read asks once: the shell keeps the value for the parts that follow.
  ///
  /// - Throws: the ATT error that answers the read.
  mutating func read(
    _ characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) throws(ATTFailure) -> [UInt8]
  /// A central subscribed to a characteristic, or no longer is.
  mutating func subscribed(
    _ isSubscribed: Bool, to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext)
  /// A link has ended: what it had is erased.
  mutating func disconnected(_ link: ProvisioningLink, context: inout DeviceContext)
  /// Work is done.
  mutating func completed(_ number: Int, _ result: DeviceWorkResult, context: inout DeviceContext)
  /// `context.network`, `context.isAuthorized` or `context.isPairing` has changed.
  mutating func changed(context: inout DeviceContext)
  /// A deadline has passed.
  mutating func handleTimeout(context: inout DeviceContext)
  /// The actions since the last call, in order.
  mutating func dequeueActions() -> [DeviceAction]
}

extension ProvisioningDeviceMachine {
  /// Nothing.
  package var storedState: [UInt8]? { nil }
}

/// An error of the Attribute Protocol that answers a request.
package struct ATTFailure: Error, Hashable, Sendable {
  /// Core 6.0 Vol 3 Part F 3.4.1.1.
  package let code: UInt8

  package init(code: UInt8) { self.code = code }
}
