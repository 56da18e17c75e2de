import LatchkeyBluetoothEmulator
import LatchkeySwiftTesting
import Synchronization
import Testing

@testable import LatchkeyBluetoothHost
@testable import LatchkeyBluetoothTransports
@testable import LatchkeyKeychainBonds

@Suite("Hosts whose bonds are in the keychain", .temporaryKeychain) struct BondedReconnectTests {
  /// One of two hosts on a radio, with its user's app, which serves one value to encrypted links.
  private final class End: HostEventSink {
    let driver: HostDriver
    private let client = Mutex<ClientID?>(nil)
    private let links = Mutex<[LinkID]>([])
    private let ends = Mutex<[PairingEnd]>([])
    private let reasons = Mutex<[String]>([])
    private let values = Mutex<[[UInt8]?]>([])

    init(_ driver: HostDriver) {
      self.driver = driver
      let client = driver.addClient(self)
      self.client.withLock { $0 = client }
    }

    var app: ClientID { client.withLock { $0 } ?? ClientID(0) }
    var link: LinkID? { links.withLock { $0.last } }
    var pairings: [PairingEnd] { ends.withLock { $0 } }
    var notStored: [String] { reasons.withLock { $0 } }
    var read: [[UInt8]?] { values.withLock { $0 } }
    var security: LinkSecurity? { driver.withHost { host, _ in host.links.first?.security } }

    func hostDidSend(_ event: HostEvent) {
      switch event {
      case .connected(let link, _, _): links.withLock { $0.append(link) }
      case .pairingEnded(_, _, let end): ends.withLock { $0.append(end) }
      case .readRequest(let request):
        driver.withHost { host, now in host.respond(to: request.id, with: .value([0x51]), now: now) }
      default: break
      }
    }

    func bondWasNotStored(_ identity: BluetoothAddress, _ reason: String) { reasons.withLock { $0.append(reason) } }

    func publish() throws -> AttributeHandle {
      let definition = GATTServiceDefinition(
        uuid: 0xFFD0,
        characteristics: [
          GATTCharacteristicDefinition(uuid: 0xFFD1, properties: .read, permissions: .readEncryptionRequired)
        ])
      let placement = try driver.withHost { host, now throws(GATTDatabaseError) in
        try host.addService(definition, client: app, now: now)
      }
      return try #require(placement.valueHandles.first)
    }

    func begin(_ handle: AttributeHandle) throws {
      driver.submit(.read(handle), client: app, link: try #require(link)) { outcome in
        guard case .value(let value) = outcome else { return self.values.withLock { $0.append(nil) } }
        self.values.withLock { $0.append(value) }
      }
    }
  }

  private let clock = VirtualClock()
  private let radio: VirtualRadio

  init() { radio = VirtualRadio(scheduler: clock) }

  /// A new host of a role on the radio, with the same address each time.
  private func start(_ role: LinkRole, _ store: any BondStore, secure: Bool) throws -> End {
    let address = BluetoothAddress.staticRandom(role == .central ? 1 : 2)
    var configuration = HostConfiguration(ownAddress: address)
    var policy = PairingPolicy()
    policy.supportsSecureConnections = secure
    configuration.pairing = policy
    configuration.identity = try store.resolvingKey { SecurityKey(Array(repeating: 7, count: 16)) }.map {
      PairingIdentity(address: address, resolvingKey: $0)
    }
    let driver = HostDriver(
      configuration: configuration, transport: radio.makeTransport(role == .central ? "central" : "peripheral"),
      scheduler: clock, bonds: store)
    let end = End(driver)
    driver.start()
    return end
  }

  private func connect(_ central: End, _ peripheral: End) {
    peripheral.driver.withHost { host, now in
      host.startAdvertising(peripheral.app, AdvertisingParameters(localName: "Lamp"), now: now)
    }
    central.driver.withHost { host, now in host.connect(central.app, to: .staticRandom(2), now: now) }
    clock.advance(by: .seconds(2))
  }

  private func store(_ role: LinkRole) -> KeychainBondStore {
    KeychainBondStore(local: .staticRandom(role == .central ? 1 : 2))
  }

  @Test(
    "encrypt at once after a restart, without a pairing",
    arguments: [LinkRole.central, .peripheral], [true, false]) func restart(_ role: LinkRole, _ secure: Bool) throws
  {
    func begin(_ other: LinkRole, _ memory: MemoryBondStore) throws -> End {
      try start(other, other == role ? store(other) : memory, secure: secure)
    }
    let memory = MemoryBondStore()
    var (central, peripheral) = (try begin(.central, memory), try begin(.peripheral, memory))
    var handle = try peripheral.publish()
    connect(central, peripheral)
    try central.begin(handle)
    clock.advance(by: .seconds(5))
    #expect(central.read == [[0x51]])
    #expect([central, peripheral].map { $0.pairings.map(\.isStored) } == [[true], [true]])
    #expect(RawItems.all().count == 1)
    #expect(central.notStored + peripheral.notStored == [])

    central.driver.shutDown()
    peripheral.driver.shutDown()
    clock.advance(by: .seconds(60))
    (central, peripheral) = (try begin(.central, memory), try begin(.peripheral, memory))
    handle = try peripheral.publish()
    connect(central, peripheral)
    try central.begin(handle)
    clock.advance(by: .seconds(5))
    #expect(central.read == [[0x51]])
    #expect(central.pairings.isEmpty && peripheral.pairings.isEmpty)
    #expect(central.security?.isEncrypted == true)
    #expect(central.security?.usesSecureConnections == secure)
    #expect(RawItems.all().count == 1)
    central.driver.shutDown()
    peripheral.driver.shutDown()
  }

  @Test("hear that a bond is not stored where the keychain refuses it", .temporaryKeychain(accessGroups: []))
  func refused() throws {
    let other = MemoryBondStore()
    let central = End(
      HostDriver(
        configuration: {
          var configuration = HostConfiguration(ownAddress: .staticRandom(1))
          configuration.pairing = PairingPolicy()
          return configuration
        }(), transport: radio.makeTransport("central"), scheduler: clock, bonds: store(.central)))
    central.driver.start()
    let peripheral = try start(.peripheral, other, secure: true)
    let handle = try peripheral.publish()
    connect(central, peripheral)
    try central.begin(handle)
    clock.advance(by: .seconds(5))
    #expect(central.read == [[0x51]])
    #expect(central.notStored.count == 1)
    #expect(central.notStored.first?.hasPrefix("the keychain answers -34018") == true)
    #expect(other.load().count == 1)
    central.driver.shutDown()
    peripheral.driver.shutDown()
  }
}
