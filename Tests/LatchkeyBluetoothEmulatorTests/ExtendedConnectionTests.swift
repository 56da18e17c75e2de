import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Connections to advertising sets") struct ExtendedConnectionTests {
  typealias Exchange = VirtualControllerCommandTests.Exchange

  private static let peer = "00 0B 0B 00 00 00 00"
  private static let initiation = "10 00 10 00 0C 00 18 00 00 00 F4 01 00 00 00 00"

  static let exchanges: [Exchange] = [
    Exchange("no layer", "01 43 20 0A 00 00 \(peer) 00", "04 0f 04 12 01 43 20"),
    Exchange("a reserved layer", "01 43 20 1A 00 00 \(peer) 08 \(initiation)", "04 0f 04 12 01 43 20"),
    Exchange("LE 2M alone", "01 43 20 1A 00 00 \(peer) 02 \(initiation)", "04 0f 04 12 01 43 20"),
    Exchange("two layers, parameters of one", "01 43 20 1A 00 00 \(peer) 03 \(initiation)", "04 0f 04 12 01 43 20"),
    Exchange(
      "one layer, parameters of two", "01 43 20 2A 00 00 \(peer) 01 \(initiation) \(initiation)", "04 0f 04 12 01 43 20"
    ),
    Exchange(
      "a random address that was never set", "01 43 20 1A 00 01 \(peer) 01 \(initiation)", "04 0f 04 12 01 43 20"),
    Exchange(
      "a window longer than its interval",
      "01 43 20 1A 00 00 \(peer) 01 10 00 11 00 0C 00 18 00 00 00 F4 01 00 00 00 00", "04 0f 04 12 01 43 20"),
    Exchange(
      "a timeout shorter than the interval allows",
      "01 43 20 1A 00 00 \(peer) 01 10 00 10 00 0C 00 80 0C 00 00 0A 00 00 00 00 00", "04 0f 04 12 01 43 20"),
    Exchange("cancel of nothing", "01 0E 20 00", "04 0e 04 01 0e 20 0c"),
    Exchange("LE 1M", "01 43 20 1A 00 00 \(peer) 01 \(initiation)", "04 0f 04 00 01 43 20"),
    Exchange("while one is pending", "01 43 20 1A 00 00 \(peer) 01 \(initiation)", "04 0f 04 0c 01 43 20"),
    Exchange(
      "cancel", "01 0E 20 00", "04 0e 04 01 0e 20 00",
      "04 3e 1f 0a 02 00 00 00 00" + String(repeating: " 00", count: 25)),
    Exchange(
      "three layers; LE 2M has no scan",
      "01 43 20 3A 00 00 \(peer) 07 \(initiation) 00 00 00 00 0C 00 18 00 00 00 F4 01 00 00 00 00 \(initiation)",
      "04 0f 04 00 01 43 20"),
  ]

  @Test("are requested in the specification's bytes") func bytes() throws {
    let bench = RadioBench()
    let id = bench.addExtended(alice)
    for step in Self.exchanges {
      try bench.send(step.command, id)
      #expect(bench.dequeueHex(id) == step.answers, "\(step.name)")
    }
  }

  private func request(
    _ peer: BluetoothAddress = BluetoothAddress(bob, kind: .public), phys: LEPHYs = .le1M
  ) -> HCILEExtendedCreateConnection {
    HCILEExtendedCreateConnection(ownAddressKind: .public, peer: peer, phys: phys)
  }

  @Test("refuse layers that the controller has not", arguments: [LEPHYs([.le1M, .le2M]), .leCoded])
  func layers(_ phys: LEPHYs) throws {
    let bench = RadioBench()
    let id = bench.addExtended(alice, features: [.extendedAdvertising])
    #expect(try bench.status(request(phys: phys), id) == .unsupportedFeatureOrParameter)
  }

  @Test(
    "are reported before the end of the set, which ends alone",
    arguments: [[.connectable], [.legacy, .connectable, .scannable]] as [AdvertisingEventProperties])
  func connect(_ properties: AdvertisingEventProperties) throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addExtended(alice), bench.addExtended(bob), bench.addExtended(carol))
    try bench.advertise(b, set: 1, [])
    try bench.advertise(b, set: 2, properties)
    try bench.advertise(b, set: 3, []) { $0.ownAddressKind = .public }
    bench.send(request(), a)
    let addresses = String(repeating: "00", count: 12)
    #expect(
      Array(bench.dequeueHex(a).prefix(2))
        == packets("040f0400014320", "043e1f0a00 0100 00 000b0b00000000 \(addresses) 18000000f40100"))
    #expect(
      Array(bench.dequeueHex(b).prefix(2))
        == packets(
          "043e1f0a00 0100 01 000a0a00000000 \(addresses) 18000000f40100",
          "043e061200 02 0100 00"))
    bench.scanExtended(c)
    #expect(try bench.dequeueReports(c).map(\.setIdentifier) == [1, 3])
    bench.sendData(9, handle: 1, a)
    #expect(try bench.dequeueNumbers(b) == [9])
    // The set is there, not enabled.
    #expect(try bench.status(HCILERemoveAdvertisingSet(handle: AdvertisingHandle(rawValue: 2)), b) == .success)
  }

  @Test("are reported in the plain event to a host that masks the enhanced one") func plain() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    bench.send(HCILESetEventMask(mask: .max & ~(1 << 9)), a)
    bench.send(HCILESetEventMask(mask: .max & ~(1 << 9 | 1 << 17)), b)
    _ = bench.dequeue(b)
    try bench.advertise(b, [.connectable])
    bench.send(request(), a)
    #expect(bench.connections(try bench.dequeueEvents(a)).map(\.isEnhanced) == [false])
    let events = try bench.dequeueEvents(b)
    #expect(bench.connections(events).map(\.isEnhanced) == [false])
    #expect(!events.contains { if case .le(.advertisingSetTerminated) = $0 { true } else { false } })
  }

  @Test("take the parameters of the physical layer of the link, else of the one that was heard")
  func parameters() throws {
    for (primary, secondary, phys, expected) in [
      (LEPHY.le1M, LEPHY.le1M, LEPHYs([.le1M, .le2M, .leCoded]), 11), (.le1M, .le2M, [.le1M, .le2M, .leCoded], 12),
      (.leCoded, .leCoded, [.le1M, .le2M, .leCoded], 13), (.le1M, .le2M, .le1M, 11), (.leCoded, .le1M, .leCoded, 13),
    ] as [(LEPHY, LEPHY, LEPHYs, UInt16)] {
      let bench = RadioBench()
      let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
      try bench.advertise(b, [.connectable]) { ($0.primaryPHY, $0.secondaryPHY) = (primary, secondary) }
      var request = self.request(phys: phys)
      for (index, phy) in phys.all.enumerated() {
        let interval = 10 + UInt16(phy.rawValue)
        request.initiations[index].parameters.minimumInterval = interval
        request.initiations[index].parameters.maximumInterval = interval
      }
      bench.send(request, a)
      #expect(bench.connections(try bench.dequeueEvents(a)).map(\.interval) == [expected])
      #expect(bench.connections(try bench.dequeueEvents(b)).map(\.interval) == [expected])
    }
  }

  @Test("are not made where the set is not heard, not meant or not connectable") func unheard() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addExtended(alice), bench.addExtended(bob), bench.addReady(carol))
    try bench.advertise(b, set: 1, [.connectable]) { ($0.primaryPHY, $0.secondaryPHY) = (.leCoded, .leCoded) }
    try bench.advertise(b, set: 2, [])
    try bench.advertise(b, set: 3, [.connectable, .directed]) { $0.peer = BluetoothAddress(carol, kind: .public) }
    bench.send(request(), a)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), c)
    bench.advance(by: .seconds(1))
    #expect(bench.connections(try bench.dequeueEvents(a)).isEmpty)
    #expect(bench.connections(try bench.dequeueEvents(c)).isEmpty)
    #expect(try bench.dequeueEnds(b).isEmpty)
    #expect(bench.radio.nextDeadline == nil)
    bench.send(HCILECreateConnectionCancel(), a)
    // A legacy initiator connects to legacy packets.
    try bench.advertise(b, set: 4, [.legacy, .connectable, .scannable])
    #expect(bench.connections(try bench.dequeueEvents(c)).count == 1)
  }

  @Test("by the filter accept list, to a set's own random address") func filterAcceptList() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    bench.send(HCILEAddDeviceToFilterAcceptList(address: .staticRandom(7)), a)
    var request = self.request()
    request.usesFilterAcceptList = true
    bench.send(request, a)
    #expect(bench.connections(try bench.dequeueEvents(a)).isEmpty)
    try bench.advertise(b, set: 1, [.connectable])
    let handle = AdvertisingHandle(rawValue: 2)
    let parameters = HCILESetExtendedAdvertisingParameters(
      handle: handle, properties: [.connectable], ownAddressKind: .random)
    #expect(try bench.status(parameters, b) == .success)
    bench.send(HCILESetAdvertisingSetRandomAddress(handle: handle, address: .staticRandom(7)), b)
    _ = bench.dequeue(b)
    bench.send(.enable(2), b)
    #expect(try bench.dequeueEnds(b).map(\.handle) == [handle])
    #expect(bench.connections(try bench.dequeueEvents(a)).map(\.peer) == [.staticRandom(7)])
    #expect(try bench.status(self.request(.staticRandom(7)), a) == .connectionAlreadyExists)
  }

  @Test("do not exceed the links that a controller holds") func limit() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob, maximumLinks: 1))
    let c = bench.addExtended(carol)
    try bench.advertise(b, set: 1, [.connectable])
    try bench.advertise(b, set: 2, [.connectable])
    bench.send(request(), a)
    bench.send(request(), c)
    #expect(bench.connections(try bench.dequeueEvents(a)).count == 1)
    #expect(bench.connections(try bench.dequeueEvents(c)).isEmpty)
    #expect(try bench.dequeueEnds(b).map(\.handle.rawValue) == [1])
    #expect(try bench.status(.enable(1), b) == .connectionLimitExceeded)
    bench.send(HCIDisconnect(connectionHandle: 1, reason: .remoteUserTerminated), a)
    bench.advance(by: .seconds(1))
    #expect(bench.connections(try bench.dequeueEvents(c)).count == 1)
    #expect(try bench.dequeueEnds(b).map(\.handle.rawValue) == [2])
  }

  @Test("whose request is lost leave the set advertising") func lost() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, [.connectable])
    var faults = ControllerFaults()
    faults.lostConnectionRequests = 1
    bench.radio.setFaults(faults, on: a, now: bench.now)
    bench.send(request(), a)
    bench.advance(by: .seconds(1))
    #expect(bench.disconnections(try bench.dequeueEvents(a)).map(\.reason) == [.connectionFailedToBeEstablished])
    #expect(bench.dequeueHex(b).isEmpty)
    bench.send(request(), a)
    #expect(bench.connections(try bench.dequeueEvents(b)).count == 1)
  }

  @Test("that a fault reports late hold back the end of the set, too") func held() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    var faults = ControllerFaults()
    faults.sendsDataBeforeConnectionEvent = true
    bench.radio.setFaults(faults, on: b, now: bench.now)
    try bench.advertise(b, set: 1, [.connectable])
    bench.send(request(), a)
    #expect(bench.dequeueHex(b).allSatisfy { !$0.hasPrefix("043e06") })
    bench.sendData(9, handle: 1, a)
    let kinds = bench.dequeueHex(b).map { String($0.prefix(8)) }
    #expect(kinds == ["02012008", "043e1f0a", "043e0612"])
  }
}
