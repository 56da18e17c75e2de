import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

/// Core 6.0 Vol 6 Part B 6.
@Suite("A controller that resolves addresses") struct LinkLayerPrivacyTests {
  /// A device with an identity address and an IRK.
  private struct Device {
    let identity: BluetoothAddress
    let key: SecurityKey

    init(_ number: UInt8) throws {
      identity = .staticRandom(UInt64(number))
      key = try #require(SecurityKey((1...16).map { $0 &* number }))
    }

    /// A private address of it.
    func address(_ prand: UInt32) throws -> BluetoothAddress {
      try #require(PairingCryptography.resolvableAddress(prand: prand, with: key))
    }
  }

  private let a: Device
  private let b: Device
  private let bench = RadioBench()
  private let alices: ControllerID
  private let bobs: ControllerID

  init() throws {
    (a, b) = (try Device(3), try Device(5))
    let features: ControllerConfiguration.Features = [.privacy, .extendedAdvertising]
    (alices, bobs) = (bench.addExtended(alice, features: features), bench.addExtended(bob, features: features))
  }

  /// Gives a controller a device to resolve.
  private func add(
    _ device: Device, to id: ControllerID, local: Device? = nil, _ mode: LEPrivacyMode? = nil, enables: Bool = true
  ) throws {
    let addition = HCILEAddDeviceToResolvingList(
      identity: device.identity, peerResolvingKey: device.key, localResolvingKey: local?.key ?? .zero)
    #expect(try bench.status(addition, id) == .success)
    if let mode {
      #expect(try bench.status(HCILESetPrivacyMode(identity: device.identity, mode: mode), id) == .success)
    }
    if enables { #expect(try bench.status(HCILESetAddressResolutionEnable(isEnabled: true), id) == .success) }
  }

  /// Lets a controller advertise under a random address by legacy commands.
  private func advertise(
    _ address: BluetoothAddress, _ id: ControllerID, _ kind: OwnAddressKind = .random, peer: BluetoothAddress? = nil,
    type: LEAdvertisingType = .connectable, filterPolicy: UInt8 = 0
  ) {
    bench.send(HCILESetAdvertisingEnable(isEnabled: false), id)
    bench.send(HCILESetRandomAddress(address: address), id)
    bench.send(
      HCILESetAdvertisingParameters(
        type: type, ownAddressKind: kind, peer: peer ?? BluetoothAddress(0, kind: .public),
        filterPolicy: filterPolicy), id)
    _ = bench.dequeue(id)
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), id)
  }

  private func scan(_ id: ControllerID, _ kind: OwnAddressKind = .public, filtersDuplicates: Bool = true) {
    bench.send(HCILESetScanEnable(isEnabled: false), id)
    bench.send(HCILESetScanParameters(isActive: false, ownAddressKind: kind), id)
    bench.send(HCILESetScanEnable(isEnabled: true, filtersDuplicates: filtersDuplicates), id)
  }

  /// The addresses of new reports, with a star where they are resolved.
  private func heard(_ id: ControllerID) throws -> [String] {
    try bench.dequeueReports(id).compactMap { report in report.address.map { "\($0)\(report.isResolved ? "*" : "")" } }
  }

  // MARK: Reports

  @Test("reports a device in its list by its identity, once, whatever addresses it has") func resolved() throws {
    try add(b, to: alices)
    try advertise(b.address(1), bobs)
    scan(alices)
    for number in 2...4 as ClosedRange<UInt32> {
      bench.advance(by: .seconds(2))
      try advertise(b.address(number), bobs)
    }
    bench.advance(by: .seconds(2))
    #expect(try heard(alices) == ["\(b.identity)*"])
    scan(alices)
    #expect(try heard(alices) == ["\(b.identity)*"])
    let last = try b.address(4)
    #expect(try bench.run(HCILEReadPeerResolvableAddress(identity: b.identity), alices).address == last)
  }

  @Test("reports it by its identity in the events of both families") func events() throws {
    try add(b, to: alices)
    try advertise(b.address(1), bobs)
    scan(alices)
    #expect(bench.dequeueHex(alices).last?.hasPrefix("043e0c020100" + "03" + "0500000000c0") == true)
    bench.send(HCIReset(), alices)
    bench.unmask(alices)
    try add(b, to: alices)
    bench.scanExtended(alices)
    #expect(bench.dequeueHex(alices).last?.hasPrefix("043e1a0d011300" + "03" + "0500000000c0") == true)
  }

  @Test("reports as on the air whom it does not know, and all while resolution is off") func unresolved() throws {
    try add(b, to: alices, enables: false)
    let (mine, others) = (try b.address(1), try Device(7).address(1))
    advertise(mine, bobs)
    scan(alices)
    #expect(try heard(alices) == ["\(mine)"])
    bench.send(HCILESetScanEnable(isEnabled: false), alices)
    bench.send(HCILESetAddressResolutionEnable(isEnabled: true), alices)
    advertise(others, bobs)
    scan(alices)
    #expect(try heard(alices) == ["\(others)"])
  }

  @Test("hears the identity address of a device in its list only in device privacy mode") func modes() throws {
    try add(b, to: alices)
    advertise(b.identity, bobs)
    scan(alices)
    bench.advance(by: .seconds(2))
    #expect(try heard(alices) == [])
    bench.send(HCILECreateConnection(peer: b.identity, ownAddressKind: .public), alices)
    bench.advance(by: .seconds(2))
    #expect(bench.connections(try bench.dequeueEvents(alices)).isEmpty)
    bench.send(HCILECreateConnectionCancel(), alices)
    bench.send(HCILESetScanEnable(isEnabled: false), alices)
    bench.send(HCILESetPrivacyMode(identity: b.identity, mode: .device), alices)
    _ = bench.dequeue(alices)
    scan(alices)
    bench.advance(by: .seconds(2))
    #expect(try heard(alices) == ["\(b.identity)"])
  }

  @Test("applies its filter accept list to identities") func filterAcceptList() throws {
    try add(b, to: alices)
    bench.send(HCILEAddDeviceToFilterAcceptList(address: b.identity), alices)
    try advertise(b.address(1), bobs)
    bench.send(HCILESetScanParameters(isActive: false, ownAddressKind: .public, filterPolicy: 1), alices)
    bench.send(HCILESetScanEnable(isEnabled: true), alices)
    #expect(try heard(alices) == ["\(b.identity)*"])
    bench.send(HCILESetScanEnable(isEnabled: false), alices)
    _ = bench.dequeue(alices)
    try advertise(Device(7).address(1), bobs)
    bench.send(HCILESetScanEnable(isEnabled: true), alices)
    bench.advance(by: .seconds(2))
    #expect(try heard(alices) == [])
  }

  // MARK: Connections

  @Test("connects to an identity, and both ends hear of the private addresses", arguments: [false, true])
  func connected(_ usesList: Bool) throws {
    try add(b, to: alices, local: a)
    try add(a, to: bobs, local: b)
    bench.send(HCILEAddDeviceToFilterAcceptList(address: b.identity), alices)
    bench.send(HCILESetRandomAddress(address: a.identity), alices)
    _ = bench.dequeue(alices)
    bench.send(
      HCILECreateConnection(
        usesFilterAcceptList: usesList, peer: usesList ? BluetoothAddress(0, kind: .public) : b.identity,
        ownAddressKind: .privateOrRandom), alices)
    bench.advance(by: .seconds(3600))
    #expect(bench.connections(try bench.dequeueEvents(alices)).isEmpty)
    advertise(b.identity, bobs, .privateOrRandom, peer: a.identity)
    let central = try #require(bench.connections(try bench.dequeueEvents(alices)).first)
    let events = try bench.dequeueEvents(bobs)
    let peripheral = try #require(bench.connections(events).first)
    let addresses = try #require(central.resolvableAddresses)
    #expect(central.peer == b.identity && central.isResolved && peripheral.peer == a.identity && peripheral.isResolved)
    #expect(PairingCryptography.resolves(addresses.local, with: a.key))
    #expect(PairingCryptography.resolves(addresses.peer, with: b.key))
    #expect(peripheral.resolvableAddresses == .init(local: addresses.peer, peer: addresses.local))
    // There is one link to a device, under whichever address.
    for peer in [b.identity, addresses.peer] {
      let request = HCILECreateConnection(peer: peer, ownAddressKind: .public)
      #expect(try bench.status(request, alices) == .connectionAlreadyExists)
    }
  }

  @Test("connects to an identity that is on the air, and nothing is resolved") func identityOnAir() throws {
    try add(b, to: alices, .device)
    advertise(b.identity, bobs)
    bench.send(HCILECreateConnection(peer: b.identity, ownAddressKind: .public), alices)
    let central = try #require(bench.connections(try bench.dequeueEvents(alices)).first)
    #expect(central.peer == b.identity && !central.isResolved && central.resolvableAddresses == .init())
  }

  @Test("connects to no private address of a stranger") func strangers() throws {
    try add(b, to: alices)
    try advertise(Device(7).address(1), bobs)
    bench.send(HCILECreateConnection(peer: b.identity, ownAddressKind: .public), alices)
    bench.advance(by: .seconds(60))
    #expect(bench.connections(try bench.dequeueEvents(alices)).isEmpty)
  }

  @Test("accepts in network privacy mode no connection from an identity address") func refusedCentral() throws {
    for (mode, isConnected) in [(LEPrivacyMode.network, false), (.device, true)] {
      bench.send(HCIReset(), bobs)
      bench.send(HCIReset(), alices)
      bench.unmask(bobs)
      bench.unmask(alices)
      try add(a, to: bobs, mode)
      advertise(b.identity, bobs)
      bench.send(HCILESetRandomAddress(address: a.identity), alices)
      bench.send(HCILECreateConnection(peer: b.identity, ownAddressKind: .random), alices)
      #expect(bench.connections(try bench.dequeueEvents(alices)).isEmpty != isConnected)
    }
  }

  @Test("accepts by its filter accept list the centrals whose identities are there") func filteredCentral() throws {
    for device in [a, try Device(7)] {
      bench.send(HCIReset(), bobs)
      bench.send(HCIReset(), alices)
      bench.unmask(bobs)
      bench.unmask(alices)
      try add(a, to: bobs)
      bench.send(HCILEAddDeviceToFilterAcceptList(address: a.identity), bobs)
      advertise(b.identity, bobs, filterPolicy: 0b10)
      bench.send(HCILESetRandomAddress(address: try device.address(9)), alices)
      bench.send(HCILECreateConnection(peer: b.identity, ownAddressKind: .random), alices)
      #expect(bench.connections(try bench.dequeueEvents(alices)).count == (device.identity == a.identity ? 1 : 0))
    }
  }

  // MARK: Its own addresses

  @Test("shows a peer private addresses, each for as long as the host says") func ownAddresses() throws {
    try add(a, to: bobs, local: b)
    #expect(try bench.status(HCILESetResolvablePrivateAddressTimeout(seconds: 10), bobs) == .success)
    advertise(b.identity, bobs, .privateOrRandom, peer: a.identity)
    scan(alices, filtersDuplicates: true)
    bench.advance(by: .seconds(35))
    let addresses = try bench.dequeueReports(alices).compactMap(\.address)
    #expect(addresses.count == 4 && Set(addresses).count == 4)
    #expect(addresses.allSatisfy { PairingCryptography.resolves($0, with: b.key) })
    _ = bench.dequeue(bobs)
    let own = try bench.run(HCILEReadLocalResolvableAddress(identity: a.identity), bobs).address
    #expect(own == addresses.last)
  }

  @Test("has no deadline for addresses that nobody is shown") func noDeadline() throws {
    try add(a, to: bobs, local: b)
    advertise(b.identity, bobs, .privateOrRandom, peer: a.identity)
    #expect(bench.radio.nextDeadline == .seconds(900))
    bench.send(HCILESetAdvertisingEnable(isEnabled: false), bobs)
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("shows its own address to peers without an entry, or without a local IRK") func fallback() throws {
    try add(a, to: bobs)
    for (kind, expected) in [
      (OwnAddressKind.privateOrRandom, b.identity), (.privateOrPublic, BluetoothAddress(bob, kind: .public)),
    ] {
      for peer in [a.identity, try Device(7).identity] {
        advertise(b.identity, bobs, kind, peer: peer)
        scan(alices)
        #expect(try heard(alices) == ["\(expected)"])
        bench.send(HCILESetScanEnable(isEnabled: false), alices)
      }
    }
  }

  @Test("refuses a private or random address while it has neither") func neither() throws {
    bench.send(HCILESetAdvertisingParameters(ownAddressKind: .privateOrRandom, peer: a.identity), bobs)
    _ = bench.dequeue(bobs)
    #expect(try bench.status(HCILESetAdvertisingEnable(isEnabled: true), bobs) == .invalidParameters)
    let request = HCILECreateConnection(peer: a.identity, ownAddressKind: .privateOrRandom)
    #expect(try bench.status(request, bobs) == .invalidParameters)
    try add(a, to: bobs, local: b)
    #expect(try bench.status(HCILESetAdvertisingEnable(isEnabled: true), bobs) == .success)
  }

  @Test("names the target of directed advertising by a private address, which that device resolves") func directed()
    throws
  {
    let carols = bench.addExtended(carol, features: [.privacy, .extendedAdvertising])
    try add(a, to: bobs, local: b)
    try add(b, to: alices, local: a)
    try add(b, to: carols, local: Device(7))
    for id in [alices, carols] { scan(id, .privateOrPublic) }
    _ = bench.dequeue(alices)
    _ = bench.dequeue(carols)
    advertise(b.identity, bobs, .privateOrRandom, peer: a.identity, type: .directedLowDutyCycle)
    #expect(try heard(alices) == ["\(b.identity)*"])
    #expect(try heard(carols) == [])
    bench.send(HCILECreateConnection(peer: b.identity, ownAddressKind: .privateOrPublic), carols)
    bench.advance(by: .seconds(2))
    #expect(bench.connections(try bench.dequeueEvents(carols)).isEmpty)
    bench.send(HCILECreateConnection(peer: b.identity, ownAddressKind: .privateOrPublic), alices)
    bench.advance(by: .seconds(2))
    #expect(bench.connections(try bench.dequeueEvents(alices)).map(\.peer) == [b.identity])
  }
}
