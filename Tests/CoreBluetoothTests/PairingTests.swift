import CoreBluetooth
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

@Suite("Managers whose devices pair") struct PairingTests {
  /// A user of one manager. Unchecked: the manager calls it on its queue, and nobody else does.
  private final class User: CBPairingAgent, @unchecked Sendable {
    enum Event {
      case asked(CBPairingRequest)
      case paired(isStored: Bool)
      case failed(any Error)
    }

    let ability: CBPairingAbility
    let log = EventLog<Event>()

    let hasOutOfBandData: Bool

    init(_ ability: CBPairingAbility, hasOutOfBandData: Bool = false) {
      self.ability = ability
      self.hasOutOfBandData = hasOutOfBandData
    }

    func manager(_ manager: CBManager, isAskedToPair request: CBPairingRequest) { log.add(.asked(request)) }
    func manager(_ manager: CBManager, didPairWith peerIdentifier: UUID, isStored: Bool) {
      log.add(.paired(isStored: isStored))
    }
    func manager(_ manager: CBManager, didFailToPairWith peerIdentifier: UUID, error: any Error) {
      log.add(.failed(error))
    }

    func request() async throws -> CBPairingRequest {
      try await log.first { if case .asked(let request) = $0 { request } else { nil } }
    }

    func isStored() async throws -> Bool {
      try await log.first { if case .paired(let isStored) = $0 { isStored } else { nil } }
    }

    func failure() async throws -> any Error {
      try await log.first { if case .failed(let error) = $0 { error } else { nil } }
    }
  }

  private func protected(_ properties: CBCharacteristicProperties = .read) -> CBMutableCharacteristic {
    Lab.characteristic("FFF1", properties, permissions: [.readEncryptionRequired, .writeEncryptionRequired])
  }

  private func discover(_ lab: Lab, _ characteristic: CBMutableCharacteristic) async throws -> (
    CBPeripheral, CBCharacteristic
  ) {
    let found = try await lab.connect([characteristic])
    return (found, try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"]))
  }

  @Test("read what needs encryption, without anybody to ask") func justWorks() async throws {
    let lab = Lab()
    let (found, characteristic) = try await discover(lab, protected([.read, .write]))
    try await lab.central.write(Data([7]), to: characteristic, of: found)
    #expect(try await lab.central.read(characteristic, of: found) == Data([7]))
  }

  @Test(
    "subscribe to what only trusted devices get",
    arguments: [CBCharacteristicProperties.notifyEncryptionRequired, .indicateEncryptionRequired])
  func subscription(_ properties: CBCharacteristicProperties) async throws {
    let lab = Lab()
    let (found, characteristic) = try await discover(lab, protected(properties))
    try await lab.central.setNotify(true, characteristic, of: found)
    #expect(characteristic.isNotifying)
  }

  @Test("ask both users to compare digits, and report the end to them") func comparison() async throws {
    let (one, other) = (User(.displayAndConfirm), User(.keyboardAndDisplay))
    let lab = Lab(agents: (one, other))
    let (found, characteristic) = try await discover(lab, protected())
    found.readValue(for: characteristic)
    let requests = (try await one.request(), try await other.request())
    guard case .compare(let digits) = requests.0.question else { throw Unexpected() }
    #expect(digits.count == 6 && requests.1.question == .compare(digits: digits))
    #expect(requests.0.peerIdentifier == found.identifier)
    requests.0.accept()
    requests.1.accept()
    #expect(try await lab.central.value(characteristic) == Data())
    #expect(try await one.isStored())
    #expect(try await other.isStored())
  }

  private struct Unexpected: Error {}

  @Test("take the digits that a user enters, and nothing else") func passkey() async throws {
    let (one, other) = (User(.keyboard), User(.display))
    let lab = Lab(agents: (one, other))
    let (found, characteristic) = try await discover(lab, protected())
    found.readValue(for: characteristic)
    guard case .show(let digits) = try await other.request().question else { throw Unexpected() }
    let request = try await one.request()
    #expect(request.question == .enter)
    for wrong in ["", "12345", "1234567", "12345a", "+12345", "１２３４５６"] { #expect(!request.enter(wrong)) }
    #expect(!request.provide(outOfBandData: Data(count: 16)))
    request.accept()
    #expect(request.enter(digits))
    #expect(try await lab.central.value(characteristic) == Data())
  }

  @Test("give the device's refusal to the app, and the reason to the user, where one rejects") func rejection()
    async throws
  {
    let (one, other) = (User(.displayAndConfirm), User(.displayAndConfirm))
    let lab = Lab(agents: (one, other))
    let (found, characteristic) = try await discover(lab, protected())
    found.readValue(for: characteristic)
    try await other.request().reject()
    let error = await #expect(throws: CBATTError.self) { try await lab.central.value(characteristic) }
    #expect(error?.code == .insufficientAuthentication)
    #expect(try await one.failure().localizedDescription == "The device refused the pairing: the digits differ.")
    #expect(try await other.failure().localizedDescription == "The pairing was refused: the digits differ.")
  }

  @Test("report a device that has lost its key") func lostKey() async throws {
    let lab = Lab()
    let (found, characteristic) = try await discover(lab, protected())
    _ = try await lab.central.read(characteristic, of: found)
    lab.central.manager.cancelPeripheralConnection(found)
    _ = try await lab.central.disconnection()
    lab.peripheralDriver.withHost { host, now in
      for identity in host.bondedPeers { host.removeBond(with: identity, now: now) }
    }
    try await lab.central.connect(found)
    let error = await #expect(throws: CBError.self) {
      _ = try await lab.central.discover(Lab.service, of: found)
    }
    #expect(error?.code == .peerRemovedPairingInformation)
  }

  @Test("discover and read on the next connection what they know, and what is new after a change") func known()
    async throws
  {
    let lab = Lab()
    let (found, first) = try await discover(lab, protected())
    _ = try await lab.central.read(first, of: found)
    for _ in 0..<2 {
      lab.central.manager.cancelPeripheralConnection(found)
      _ = try await lab.central.disconnection()
      try await lab.central.connect(found)
      let again = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
      #expect(again !== first && again.service !== first.service)
      #expect(try await lab.central.read(again, of: found) == Data())
    }
    try await lab.peripheral.add(CBMutableService(type: CBUUID(string: "AAA0"), primary: true))
    try await lab.central.log.first { event in
      if case .modified = event { return () }
      return nil
    }
    try await lab.central.discoverServices([CBUUID(string: "AAA0")], of: found)
    #expect(found.services?.contains { $0.uuid == CBUUID(string: "AAA0") } == true)
  }

  @Test("are subscribed again when the connection is encrypted") func subscribedAgain() async throws {
    let lab = Lab()
    let value = protected(.notifyEncryptionRequired)
    let (found, characteristic) = try await discover(lab, value)
    try await lab.central.setNotify(true, characteristic, of: found)
    for isFirst in [true, false] {
      try await lab.peripheral.log.first { event in
        if case .subscribed = event { return () }
        return nil
      }
      #expect(value.subscribedCentrals?.count == 1)
      guard isFirst else { continue }
      lab.central.manager.cancelPeripheralConnection(found)
      _ = try await lab.central.disconnection()
      try await lab.central.connect(found)
    }
  }

  @Test("authenticate a device by data that it gave by another way") func outOfBand() async throws {
    let (one, other) = (User(.confirm, hasOutOfBandData: true), User(.confirm))
    let lab = Lab(agents: (one, other))
    let (found, characteristic) = try await discover(lab, protected())
    let data = try #require(lab.peripheral.manager.makeOutOfBandData())
    #expect(data.count == 32)
    found.readValue(for: characteristic)
    let request = try await one.request()
    #expect(request.question == .outOfBandData(secureConnections: true))
    #expect(!request.provide(outOfBandData: data.prefix(31)))
    #expect(request.provide(outOfBandData: data))
    #expect(try await lab.central.value(characteristic) == Data())
    let bonds = lab.centralDriver.withHost { host, _ in host.bondedPeers.compactMap { host.bond(with: $0) } }
    #expect(bonds.map { $0.keyAsCentral?.isAuthenticated } == [true])
  }

  @Test("know a device, and its pairing, when its address has changed, and theirs") func privateAddresses() async throws
  {
    let lab = Lab(isPrivate: true)
    let (found, characteristic) = try await discover(lab, protected())
    _ = try await lab.central.read(characteristic, of: found)
    let address = lab.connectedPeers
    for _ in 0..<2 {
      lab.central.manager.cancelPeripheralConnection(found)
      _ = try await lab.central.disconnection()
      let before = (lab.onAir(lab.centralDriver), lab.onAir(lab.peripheralDriver))
      // A reset has new addresses made.
      for name in ["central", "peripheral"] {
        lab.radio.setPowered(false, name)
        lab.radio.setPowered(true, name)
      }
      try await lab.central.isPoweredOn()
      let again = try await lab.central.find("Lamp")
      #expect(again === found)
      #expect(lab.onAir(lab.centralDriver) != before.0 && lab.onAir(lab.peripheralDriver) != before.1)
      try await lab.central.connect(found)
      #expect(lab.connectedPeers == address)
      let value = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
      #expect(try await lab.central.read(value, of: found) == Data())
    }
  }

  /// A store that says what it was asked, or fails.
  private final class Store: BondStore {
    struct Full: Error {}
    let saved = Locked<[Bond]>([])
    let fails: Bool
    init(fails: Bool) { self.fails = fails }
    func load() -> [Bond] { [] }
    func save(_ bond: Bond) throws {
      if fails { throw Full() }
      saved.withLock { $0.append(bond) }
    }
    func update(_ bond: Bond) {}
    func remove(_ identity: BluetoothAddress) {}
  }

  @Test("have stored the bond by the time that the app hears of success") func storedFirst() async throws {
    let store = Store(fails: false)
    let lab = Lab(bonds: store)
    let (found, characteristic) = try await discover(lab, protected())
    #expect(store.saved.withLock { $0.count } == 0)
    _ = try await lab.central.read(characteristic, of: found)
    #expect(store.saved.withLock { $0.count } == 1)
  }

  @Test("report to the user a bond that could not be stored; the value is read") func notStored() async throws {
    let (one, other) = (User(.confirm), User(.confirm))
    let lab = Lab(agents: (one, other), bonds: Store(fails: true))
    let (found, characteristic) = try await discover(lab, protected())
    found.readValue(for: characteristic)
    for user in [one, other] {
      let request = try await user.request()
      #expect(request.question == .confirm)
      request.accept()
    }
    #expect(try await lab.central.value(characteristic) == Data())
    #expect(try await one.isStored() == false)
    #expect(try await other.isStored())
  }

  @Test("pass their options on to the host") func options() {
    #expect(ManagerPairing(nil).terms == nil)
    #expect(ManagerPairing([CBManagerOptionPairingAgentKey: "nobody"]).terms == nil)
    var terms = PairingTerms()
    terms.requiresSecureConnections = true
    terms.leastKeySize = 16
    let options: [String: Any] = [
      CBManagerOptionPairingSecureConnectionsOnlyKey: NSNumber(value: true),
      CBManagerOptionPairingLeastKeySizeKey: NSNumber(value: 99),
    ]
    #expect(ManagerPairing(options).terms == terms)
    terms = PairingTerms()
    terms.agent = .keyboardDisplay
    #expect(ManagerPairing([CBManagerOptionPairingAgentKey: User(.keyboardAndDisplay)]).terms == terms)
  }
}
