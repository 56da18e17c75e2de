import CoreBluetooth
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

/// A radio of one test's own, with a central and a peripheral manager on it.
final class Lab: Sendable {
  let central: CentralSide
  let peripheral: PeripheralSide
  let radio: VirtualRadio
  let options: [String: String]
  private let name = UUID().uuidString

  /// The UUID of the service of `characteristic(…)`.
  static let service = "FFF0"

  /// - Parameters:
  ///   - mtu: the ATT_MTU of the peripheral's host, and so of all connections.
  ///   - listen: makes of the centrals' way to their controller one that listens.
  ///   - agents: whom the central and the peripheral manager ask about pairings.
  ///   - bonds: the bonds of the centrals' host.
  ///   - isPrivate: whether both hosts have private addresses.
  init(
    mtu: Int? = nil, centrals listen: ((any ControllerTransport) -> any ControllerTransport)? = nil,
    agents: (any CBPairingAgent, any CBPairingAgent)? = nil, bonds: (any BondStore)? = nil,
    isPrivate: Bool = false
  ) {
    options = [CBManagerOptionControllerKey: "virtual:\(name)"]
    radio = VirtualRadio.named(name)
    if let mtu {
      let driver = HostDriver(
        configuration: HostConfiguration(ownAddress: .staticRandom(7), preferredMTU: mtu),
        transport: radio.makeTransport("peripheral"), scheduler: DispatchScheduler())
      RadioRegistry.shared.replace(driver, for: .virtual(name: name), role: .peripheral)
      driver.start()
    }
    if let listen {
      let driver = HostDriver(
        configuration: HostConfiguration(ownAddress: .staticRandom(8)),
        transport: listen(radio.makeTransport("central")), scheduler: DispatchScheduler())
      RadioRegistry.shared.replace(driver, for: .virtual(name: name), role: .central)
      driver.start()
    }
    if let bonds {
      var configuration = HostConfiguration(ownAddress: .staticRandom(9))
      configuration.pairing = PairingPolicy()
      let driver = HostDriver(
        configuration: configuration, transport: radio.makeTransport("central"), scheduler: DispatchScheduler(),
        bonds: bonds)
      RadioRegistry.shared.replace(driver, for: .virtual(name: name), role: .central)
      driver.start()
    }
    if isPrivate {
      for (role, number) in [(ControllerRole.central, 10), (.peripheral, 11)] as [(ControllerRole, UInt64)] {
        var configuration = HostConfiguration(ownAddress: .staticRandom(number))
        configuration.pairing = PairingPolicy()
        configuration.identity = SecurityKey(Array(repeating: UInt8(number), count: 16)).map {
          PairingIdentity(address: .staticRandom(number), resolvingKey: $0)
        }
        configuration.usesPrivateAddresses = true
        let driver = HostDriver(
          configuration: configuration, transport: radio.makeTransport(role.rawValue), scheduler: DispatchScheduler())
        RadioRegistry.shared.replace(driver, for: .virtual(name: name), role: role)
        driver.start()
      }
    }
    var (centralOptions, peripheralOptions): ([String: Any], [String: Any]) = (options, options)
    if let agents {
      centralOptions[CBManagerOptionPairingAgentKey] = agents.0
      peripheralOptions[CBManagerOptionPairingAgentKey] = agents.1
    }
    central = CentralSide(centralOptions)
    peripheral = PeripheralSide(peripheralOptions)
  }

  /// The driver under the central managers.
  var centralDriver: HostDriver { RadioRegistry.shared.driver(for: .virtual(name: name), role: .central) }

  /// The driver under the peripheral managers.
  var peripheralDriver: HostDriver { RadioRegistry.shared.driver(for: .virtual(name: name), role: .peripheral) }

  /// Whom the centrals' host is connected to.
  var connectedPeers: [BluetoothAddress] { centralDriver.withHost { host, _ in host.connectedPeers.map(\.peer) } }

  /// The address that a host has on the air.
  func onAir(_ driver: HostDriver) -> BluetoothAddress { driver.withHost { host, _ in host.ownAddressOnAir } }

  deinit { RadioRegistry.shared.remove(.virtual(name: name)) }

  /// Publishes characteristics in one service, advertises it, finds it and connects.
  func connect(_ characteristics: [CBMutableCharacteristic]) async throws -> CBPeripheral {
    try await publish(characteristics)
    try await central.isPoweredOn()
    let found = try await central.find("Lamp")
    try await central.connect(found)
    return found
  }

  @discardableResult
  func publish(_ characteristics: [CBMutableCharacteristic], as name: String = "Lamp") async throws -> CBMutableService
  {
    try await peripheral.isPoweredOn()
    let service = CBMutableService(type: CBUUID(string: Self.service), primary: true)
    service.characteristics = characteristics
    try await peripheral.add(service)
    try await peripheral.advertise(name, services: [service.uuid])
    return service
  }

  static func characteristic(
    _ uuid: String, _ properties: CBCharacteristicProperties, value: Data? = nil,
    permissions: CBAttributePermissions = [.readable, .writeable]
  ) -> CBMutableCharacteristic {
    CBMutableCharacteristic(
      type: CBUUID(string: uuid), properties: properties, value: value, permissions: permissions)
  }
}
