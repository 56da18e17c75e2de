import LatchkeyByteCoding

/// A device's end of Improv, for all links of its service.
///
/// Nothing in Improv is secret or authenticated: anyone in range can read the password. `DeviceContext.isAuthorized` alone
/// decides who may join the device to a network. The shell renews an act at the device when an attempt fails, as the
/// specification asks; it sets `DeviceContext.network` to `connecting` before it completes the work `join`.
///
/// The service stops one second after the device has joined, by whatever protocol, and starts again when it has left the network.
package struct ImprovDeviceMachine: ProvisioningDeviceMachine {
  /// What a device says of itself, and what it can do.
  package struct Configuration: Sendable {
    /// What `information` answers; its name is that of command 06.
    package var information: DeviceInformation
    package var hostname: String
    package var capabilities: ImprovCapabilities
    /// Whether the device's name can be read and set. No bit says so.
    package var hasName: Bool
    /// The page for a user who has joined the device, unless the joined network names one.
    package var page: String?
    /// Whether the operating system is told (2.4). Home Assistant's client ends the connection then.
    package var sendsSystem: Bool

    package init(
      information: DeviceInformation, hostname: String,
      capabilities: ImprovCapabilities = [.identify, .information, .scan, .hostname], hasName: Bool = true,
      page: String? = nil, sendsSystem: Bool = false
    ) {
      self.information = information
      self.hostname = hostname
      self.capabilities = capabilities
      self.hasName = hasName
      self.page = page
      self.sendsSystem = sendsSystem
    }
  }

  /// What belongs to one link, and ends with it: another central, or the same one later, finds no old result and no old error.
  struct Peer: Sendable {
    var buffer = ImprovFrameBuffer()
    var error = ImprovError.none
    var result: [UInt8] = []
    var isOpen = false
  }

  /// Work that was asked for. There is one of each kind at most, so that links that come and go pile up nothing.
  enum Work: Sendable {
    case join(ProvisioningLink)
    case scan([ProvisioningLink])
    case identify
    case rename(ImprovCommand, String, ProvisioningLink)
  }

  /// The links that are served; a controller has fewer.
  static let greatestLinkCount = 32
  /// How long the service stays when the device has joined, for its last notifications.
  static let stopDelay = Duration.seconds(1)

  package let service = ImprovService.service
  package internal(set) var configuration: Configuration
  package internal(set) var state: ImprovState
  var peers: [ProvisioningLink: Peer] = [:]
  var works: [Int: Work] = [:]
  var lastWork = 0
  /// The link whose attempt to join has begun.
  var joining: ProvisioningLink?
  var stopsAt: Duration?
  /// Whether the device was in a network when it was last looked at: only then can it join one.
  var wasConnected: Bool
  var actions: [DeviceAction] = []

  /// A service that starts now, even if the device is in a network: somebody wants it in another one.
  package init(_ configuration: Configuration, context: DeviceContext) {
    self.configuration = configuration
    state = context.isAuthorized ? .authorized : .authorizationRequired
    wasConnected = context.network.isConnected
  }

  package var isAdvertised: Bool { state != .stopped }

  package var serviceData: (uuid: UInt16, bytes: [UInt8])? {
    guard isAdvertised else { return nil }
    return (ImprovService.serviceDataUUID, ImprovService.serviceData(state, configuration.capabilities))
  }

  package var nextDeadline: Duration? {
    var next = stopsAt
    for peer in peers.values {
      guard let deadline = peer.buffer.deadline else { continue }
      next = min(next ?? deadline, deadline)
    }
    return next
  }

  package mutating func dequeueActions() -> [DeviceAction] {
    defer { actions = [] }
    return actions
  }
}

// MARK: What centrals do

extension ImprovDeviceMachine {
  package mutating func write(
    _ value: [UInt8], to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) {
    guard characteristic == ImprovService.command else { return respond(link, ATTCode.writeNotPermitted) }
    guard isAdvertised else { return respond(link, ATTCode.writeRejected) }
    guard admit(link) else { return respond(link, ATTCode.insufficientResources) }
    respond(link, nil)
    followAuthorization(context)
    do {
      guard var frame = try peers[link]?.buffer.append(value, now: context.now) else { return }
      defer { frame.data.wipe() }
      perform(frame, from: link, context)
    } catch {
      refuse(
        link, .invalidCommand, error == .checksum ? "a command with a wrong checksum" : "a command of a wrong length")
    }
  }

  package mutating func read(
    _ characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) throws(ATTFailure) -> [UInt8] {
    followAuthorization(context)
    switch characteristic {
    case ImprovService.state: return [state.rawValue]
    case ImprovService.error: return [(peers[link]?.error ?? .none).rawValue]
    case ImprovService.result: return peers[link]?.result ?? []
    case ImprovService.capabilities: return [configuration.capabilities.rawValue]
    default: throw ATTFailure(code: ATTCode.readNotPermitted)
    }
  }

  package mutating func subscribed(
    _ isSubscribed: Bool, to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) {
    followAuthorization(context)
    if isSubscribed { _ = admit(link) }
  }

  package mutating func disconnected(_ link: ProvisioningLink, context: inout DeviceContext) {
    peers[link]?.buffer.erase()
    if peers.removeValue(forKey: link)?.isOpen == true { actions.append(.report(.closed(link))) }
    followAuthorization(context)
  }

  /// Whether the link has, or gets, a place.
  private mutating func admit(_ link: ProvisioningLink) -> Bool {
    if peers[link] != nil { return true }
    guard peers.count < Self.greatestLinkCount else { return false }
    peers[link] = Peer()
    return true
  }

  private mutating func respond(_ link: ProvisioningLink, _ error: UInt8?) {
    actions.append(.respond(link, error: error))
  }
}

/// Errors of the Attribute Protocol (Core 6.0 Vol 3 Part F 3.4.1.1; the last: Core Specification Supplement Part B).
private enum ATTCode {
  static let readNotPermitted: UInt8 = 0x02
  static let writeNotPermitted: UInt8 = 0x03
  static let insufficientResources: UInt8 = 0x11
  static let writeRejected: UInt8 = 0xFC
}

extension NetworkState {
  var isConnected: Bool { if case .connected = self { true } else { false } }
}
