/// What an app's machine is told with each input.
package struct AppContext: Sendable {
  /// The time, on the shell's clock.
  package var now: Duration
  /// The longest value that one write without response carries: ATT_MTU - 3. Writes with response may have 512 bytes.
  package var writeLimit: Int

  package init(now: Duration, writeLimit: Int = 20) {
    self.now = now
    self.writeLimit = writeLimit
  }
}

/// What happened on the link. Characteristics are named by UUID.
package enum AppInput: Sendable {
  case subscribed(String)
  case subscriptionFailed(String, AccessFailure)
  case wrote(String)
  case writeFailed(String, AccessFailure)
  case notified(String, [UInt8])
  case read(String, [UInt8])
  case readFailed(String, AccessFailure)
}

/// How an access to a characteristic failed.
package enum AccessFailure: Hashable, Sendable {
  /// The device answered with this error of the Attribute Protocol.
  case attribute(UInt8)
  case other(String)
}

/// What an app's machine has its shell do, in order.
package enum AppAction: Sendable {
  case subscribe(String)
  /// Write a value: with response whole, however long; without it at most `AppContext.writeLimit` bytes.
  case write(String, [UInt8], withResponse: Bool)
  case read(String)
  case report(AppEvent)
}

/// What an app asks of an open session. One request at a time: the next one waits for the event that ends this one.
package enum AppRequest: Sendable {
  /// Ends with `networks` or `requestFailed`.
  case scan
  /// `network(.connecting)` may come; ends with `network(.connected)`, `network(.failed)` or `requestFailed`.
  case join(NetworkCredentials)
  /// Ends with `network` or `requestFailed`.
  case status
  /// Ends with `done` or `requestFailed`.
  case forget
  /// Ends with `done` or `requestFailed`.
  case identify
  /// Ends with `information` or `requestFailed`.
  case information
  /// Reads the host name, or sets it. Ends with `hostname` or `requestFailed`.
  case hostname(String?)
  /// Reads the name that people see, or sets it. Ends with `name` or `requestFailed`.
  case name(String?)
  /// Ends with `response` or `requestFailed`.
  case custom(endpoint: String, body: [UInt8])
}

/// What an app's machine reports.
package enum AppEvent: Sendable {
  /// The device waits for somebody to act at it: press its button, say. What the app asked for goes on when somebody has.
  case needsAuthorization
  /// The session is open.
  case opened(ProvisioningAssurance, ProvisioningCapabilities)
  case networks([ScannedNetwork])
  case network(NetworkState)
  case information(DeviceInformation)
  case hostname(String)
  case name(String)
  case response([UInt8])
  case done
  /// The request failed; the session goes on.
  case requestFailed(ProvisioningFailure)
  /// The session is over; the shell disconnects. Nothing follows.
  case failed(ProvisioningFailure)
}

/// Why a session, or a request, failed.
public enum ProvisioningFailure: Error, Hashable, Sendable {
  /// The device refused the code, or did not know it itself: one of the two is not who it should be.
  case wrongCode
  /// The device refuses tries for this long; nil: until somebody acts at it.
  case locked(for: Duration?)
  /// The device serves somebody else.
  case busy
  /// Somebody has to act at the device first.
  case notAuthorized
  /// The device would need a weaker protocol than the app accepts; the words name it.
  case insecure(String)
  /// The device offers nothing that this app speaks; the words say what is missing.
  case unsupported(String)
  /// The device sent what the protocol does not allow; the words say what.
  case malformed(String)
  /// The device refused the request; the words say what it said.
  case refused(String)
  /// The device has not joined the network; the session goes on.
  case joinFailed(JoinFailure)
  /// The device has not enrolled; the session goes on.
  case enrollmentFailed(EnrollmentFailure)
  /// The device did not answer in time.
  case timedOut
  /// The link failed or ended.
  case disconnected
  /// There is no radio to use: the manager's state, and why the controller was lost where that is known.
  case radioUnavailable(String, cause: String?)
  /// The device was not found in time.
  case notFound
  /// The caller canceled.
  case cancelled
}

/// An app's end of a provisioning protocol, without a radio or a clock, for one connection.
package protocol ProvisioningAppMachine: Sendable {
  /// When `handleTimeout(context:)` is due.
  var nextDeadline: Duration? { get }
  /// What the app should keep of the device, secret, once the device has proved who it is; nil before, and if there is nothing. The
  /// shell stores it, when it has changed, before it performs the actions of the input.
  var knowledge: AppKnowledge? { get }

  /// Begins, on the characteristics that were found in the protocol's service, with their user descriptions.
  mutating func begin(_ service: ProvisioningService, context: AppContext)
  mutating func handle(_ input: AppInput, context: AppContext)
  /// Performs a request, once `opened` was reported and the request before has ended.
  mutating func perform(_ request: AppRequest, context: AppContext)
  mutating func handleTimeout(context: AppContext)
  /// The app closes the session: the machine sends what it owes, and the shell disconnects when that is written.
  mutating func close(context: AppContext)
  /// The link has ended, and no more is written to it. A device that has joined may end it before it says so: what the machine
  /// reports now comes before the end.
  mutating func disconnected(context: AppContext)
  /// The actions since the last call, in order.
  mutating func dequeueActions() -> [AppAction]
}

/// What an app keeps of a device.
package struct AppKnowledge: Hashable, Sendable {
  /// The device's own identifier.
  package let deviceIdentifier: [UInt8]
  /// What resumes a session without the code; nil if the device gave nothing.
  package let resumption: [UInt8]?

  package init(deviceIdentifier: [UInt8], resumption: [UInt8]?) {
    self.deviceIdentifier = deviceIdentifier
    self.resumption = resumption
  }
}

extension ProvisioningAppMachine {
  /// Nothing.
  package var knowledge: AppKnowledge? { nil }

  package mutating func close(context: AppContext) {}

  package mutating func disconnected(context: AppContext) {}
}
