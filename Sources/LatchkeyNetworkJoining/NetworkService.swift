import LatchkeyDBus
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// A connection to the service of the system that manages networks, for one thread and one request.
class NetworkService {
  let bus: BusConnection
  /// The service's name on the bus.
  let name: String
  /// The connection that owned the name at first: only its signals count, and its end is the end.
  let owner: String
  let wakeUp: WakeUp

  /// How long a service may take to answer: the default of D-Bus clients.
  static let patience = Duration.seconds(25)
  static let propertiesInterface = "org.freedesktop.DBus.Properties"

  /// Connects to the bus, which starts the service where it can.
  init(_ name: String, address: String, wakeUp: WakeUp) throws(JoinFailure) {
    do throws(BusFault) {
      let bus = try BusConnection(address: address)
      func daemon(_ member: String, _ arguments: [BusValue]) throws(BusFault) -> [BusValue] {
        try bus.call(
          BusConnection.daemon, "/org/freedesktop/DBus", BusConnection.daemon, member, arguments, wakeUp: wakeUp,
          within: Self.patience
        ).values()
      }
      // A service without a file for its start runs without it: it is asked for first.
      if (try daemon("NameHasOwner", [.string(name)])).first?.flag != true {
        _ = try daemon("StartServiceByName", [.string(name), .uint32(0)])
      }
      guard let owner = try daemon("GetNameOwner", [.string(name)]).first?.text, owner.hasPrefix(":") else {
        throw .malformed("no owner")
      }
      (self.bus, self.name, self.owner, self.wakeUp) = (bus, name, owner, wakeUp)
      try bus.subscribe(
        to: "type='signal',sender='\(BusConnection.daemon)',member='NameOwnerChanged',arg0='\(name)'",
        wakeUp: wakeUp, within: Self.patience)
    } catch {
      throw Self.failure(error)
    }
  }

  /// Calls a method; a canceled task ends the wait.
  @discardableResult
  func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
  ) throws(JoinFailure) -> [BusValue] {
    do throws(BusFault) {
      return try ask(path, interface, member, arguments)
    } catch {
      throw Self.failure(error)
    }
  }

  /// The same, even if the task is canceled meanwhile: the next wait ends then.
  @discardableResult
  func callToTheEnd(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
    within limit: Duration = patience
  ) throws(JoinFailure) -> [BusValue] {
    do throws(BusFault) {
      return try bus.call(owner, path, interface, member, arguments, wakeUp: nil, within: limit).values()
    } catch {
      throw Self.failure(error)
    }
  }

  /// Calls a method whose errors mean something.
  func ask(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
    within limit: Duration = patience,
    atMost count: Int = BusMessage.greatestCount
  ) throws(BusFault) -> [BusValue] {
    try bus.call(owner, path, interface, member, arguments, wakeUp: wakeUp, within: limit).values(atMost: count)
  }

  func property(of path: String, _ interface: String, _ name: String) throws(JoinFailure) -> BusValue {
    let reply = try call(path, Self.propertiesInterface, "Get", [.string(interface), .string(name)])
    guard let value = reply.first?.bare else { throw .other }
    return value
  }

  func properties(of path: String, _ interface: String) throws(JoinFailure) -> BusValue {
    guard let values = try call(path, Self.propertiesInterface, "GetAll", [.string(interface)]).first else {
      throw .other
    }
    return values
  }

  /// Asks for signals of the service.
  func subscribe(_ rule: String) throws(JoinFailure) {
    do throws(BusFault) {
      try bus.subscribe(to: "type='signal',sender='\(owner)',\(rule)", wakeUp: wakeUp, within: Self.patience)
    } catch {
      throw Self.failure(error)
    }
  }

  /// The next signal of the service; nil when the deadline has passed, or for one of somebody else.
  ///
  /// - Throws: `.radioUnavailable` when the service has ended.
  func signal(until deadline: ContinuousClock.Instant) throws(JoinFailure) -> BusMessage? {
    do throws(BusFault) {
      guard let message = try bus.signal(until: deadline, wakeUp: wakeUp) else { return nil }
      if message.sender == BusConnection.daemon, message.isSignal(BusConnection.daemon, "NameOwnerChanged") {
        let values = try message.values()
        if values.first?.text == name { throw .noBus("the service has ended") }
      }
      return message.sender == owner ? message : nil
    } catch {
      throw Self.failure(error)
    }
  }

  /// The values of a signal.
  static func values(of message: BusMessage) throws(JoinFailure) -> [BusValue] {
    do throws(BusFault) {
      return try message.values()
    } catch {
      throw failure(error)
    }
  }

  static func failure(_ fault: BusFault) -> JoinFailure {
    switch fault {
    case .noBus, .late: .radioUnavailable
    case .cancelled, .malformed: .other
    case .refused(let name, _): failure(ofError: name)
    }
  }

  private static func failure(ofError name: String) -> JoinFailure {
    switch name.split(separator: ".").last {
    case "PermissionDenied", "AccessDenied", "NotAuthorized", "AuthFailed", "InteractiveAuthorizationRequired":
      .notPermitted
    case "ServiceUnknown", "NameHasNoOwner", "NoReply", "Disconnected", "Timeout", "TimedOut", "UnknownObject",
      "UnknownDevice", "DeviceNotReady", "InterfaceUnknown", "InterfaceDisabled":
      .radioUnavailable
    case _ where name.contains(".Spawn."): .radioUnavailable
    default: .other
    }
  }
}
