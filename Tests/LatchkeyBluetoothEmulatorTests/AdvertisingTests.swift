import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Advertising and scanning") struct AdvertisingTests {
  /// Bob advertises `02 01 06` every 100 ms and answers scans with `02 0A 00`.
  private func advertise(
    _ bench: RadioBench, _ id: ControllerID, type: LEAdvertisingType = .connectable, filterPolicy: UInt8 = 0x00,
    peer: BluetoothAddress = BluetoothAddress(0, kind: .public)
  ) throws {
    let parameters = HCILESetAdvertisingParameters(
      minimumInterval: 0xA0, maximumInterval: 0xA0, type: type, ownAddressKind: .public, peer: peer,
      filterPolicy: filterPolicy)
    bench.send(parameters, id)
    bench.send(HCILESetAdvertisingData(data: try #require(LegacyAdvertisingData([0x02, 0x01, 0x06]))), id)
    bench.send(HCILESetScanResponseData(data: try #require(LegacyAdvertisingData([0x02, 0x0A, 0x00]))), id)
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), id)
    _ = bench.dequeue(id)
  }

  private func scan(
    _ bench: RadioBench, _ id: ControllerID, isActive: Bool = true, filtersDuplicates: Bool = false,
    filterPolicy: UInt8 = 0x00
  ) {
    bench.send(HCILESetScanParameters(isActive: isActive, ownAddressKind: .public, filterPolicy: filterPolicy), id)
    bench.send(HCILESetScanEnable(isEnabled: true, filtersDuplicates: filtersDuplicates), id)
  }

  @Test("An active scan hears an advertiser and its scan response at once") func active() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    try advertise(bench, b)
    scan(bench, a)
    #expect(
      bench.dequeueHex(a).dropFirst() == [
        "040e04010c2000", "043e0f020100000b0b0000000003020106ce", "043e0f020104000b0b00000000" + "03020a00ce",
      ])
  }

  @Test("A passive scan asks for no scan response") func passive() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    try advertise(bench, b)
    scan(bench, a, isActive: false)
    #expect(bench.dequeueHex(a).dropFirst(2) == ["043e0f020100000b0b0000000003020106ce"])
  }

  @Test("Each interval brings one more report; without a listener there is no deadline") func intervals() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    try advertise(bench, b)
    #expect(bench.radio.nextDeadline == nil)
    scan(bench, a, isActive: false)
    #expect(try bench.reports(bench.dequeueEvents(a)).count == 1)
    bench.advance(by: .milliseconds(99))
    #expect(try bench.reports(bench.dequeueEvents(a)).isEmpty)
    bench.advance(by: .milliseconds(201))
    #expect(try bench.reports(bench.dequeueEvents(a)).count == 3)
    bench.send(HCILESetScanEnable(isEnabled: false), a)
    #expect(bench.radio.nextDeadline == nil)
    bench.advance(by: .seconds(5))
    #expect(try bench.reports(bench.dequeueEvents(a)).isEmpty)
  }

  @Test("The filter of duplicates reports once, until scanning begins anew") func duplicates() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    try advertise(bench, b)
    scan(bench, a, filtersDuplicates: true)
    #expect(try bench.reports(bench.dequeueEvents(a)).count == 2)
    // All is said: nothing has to happen any more.
    #expect(bench.radio.nextDeadline == nil)
    bench.advance(by: .seconds(1))
    #expect(try bench.reports(bench.dequeueEvents(a)).isEmpty)
    bench.send(HCILESetScanEnable(isEnabled: true, filtersDuplicates: true), a)
    #expect(try bench.reports(bench.dequeueEvents(a)).count == 2)
  }

  @Test(
    "Each type of advertising is reported as what it is",
    arguments: [
      (LEAdvertisingType.connectable, ["0000", "0400"]), (.scannable, ["0200", "0400"]), (.nonConnectable, ["0300"]),
    ])
  func types(_ type: LEAdvertisingType, _ expected: [String]) throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    try advertise(bench, b, type: type)
    scan(bench, a)
    let reports = bench.dequeueHex(a).filter { $0.hasPrefix("043e") }
    #expect(reports.map { String($0.dropFirst(10).prefix(4)) } == expected)
    // Only the first accepts connections.
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), a)
    #expect(try bench.connections(bench.dequeueEvents(a)).count == (type == .connectable ? 1 : 0))
  }

  @Test("Directed advertising reaches its target alone") func directed() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addReady(alice), bench.addReady(bob), bench.addReady(carol))
    scan(bench, a)
    scan(bench, c)
    _ = (bench.dequeue(a), bench.dequeue(c))
    try advertise(bench, b, type: .directedLowDutyCycle, peer: BluetoothAddress(alice, kind: .public))
    #expect(bench.dequeueHex(a) == ["043e0c020101000b0b0000000000ce"])
    #expect(bench.dequeueHex(c).isEmpty)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), c)
    bench.advance(by: .seconds(1))
    #expect(try bench.connections(bench.dequeueEvents(c)).isEmpty)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), a)
    #expect(try bench.connections(bench.dequeueEvents(a)).count == 1)
  }

  @Test("High duty cycle directed advertising ends after 1.28 s") func directedTimeout() throws {
    let bench = RadioBench()
    let b = bench.addReady(bob)
    try advertise(bench, b, type: .directedHighDutyCycle, peer: BluetoothAddress(alice, kind: .public))
    bench.advance(by: .milliseconds(1279))
    #expect(bench.dequeueHex(b).isEmpty)
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(b) == ["043e13013c0000010000000000000000000000000000"])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("A scan by the filter accept list reports its devices alone") func scanFilter() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addReady(alice), bench.addReady(bob), bench.addReady(carol))
    try advertise(bench, b)
    try advertise(bench, c)
    bench.send(HCILEAddDeviceToFilterAcceptList(address: BluetoothAddress(carol, kind: .public)), a)
    scan(bench, a, isActive: false, filterPolicy: 0x01)
    #expect(try bench.reports(bench.dequeueEvents(a)).map(\.address) == [BluetoothAddress(carol, kind: .public)])
  }

  @Test("An advertiser by its filter accept list answers its devices alone") func advertiserFilter() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addReady(alice), bench.addReady(bob), bench.addReady(carol))
    bench.send(HCILEAddDeviceToFilterAcceptList(address: BluetoothAddress(alice, kind: .public)), b)
    try advertise(bench, b, filterPolicy: 0x03)
    scan(bench, a)
    scan(bench, c)
    #expect(try bench.reports(bench.dequeueEvents(a)).count == 2)
    #expect(try bench.reports(bench.dequeueEvents(c)).count == 1)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), c)
    #expect(try bench.connections(bench.dequeueEvents(c)).isEmpty)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), a)
    #expect(try bench.connections(bench.dequeueEvents(a)).count == 1)
  }

  @Test("An initiator by its filter accept list connects to the first of its devices") func initiatorFilter() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addReady(alice), bench.addReady(bob), bench.addReady(carol))
    bench.send(HCILEAddDeviceToFilterAcceptList(address: BluetoothAddress(carol, kind: .public)), a)
    let anybody = BluetoothAddress(0, kind: .public)
    bench.send(HCILECreateConnection(usesFilterAcceptList: true, peer: anybody, ownAddressKind: .public), a)
    try advertise(bench, b)
    #expect(try bench.connections(bench.dequeueEvents(a)).isEmpty)
    try advertise(bench, c)
    #expect(try bench.connections(bench.dequeueEvents(a)).map(\.peer) == [BluetoothAddress(carol, kind: .public)])
  }

  @Test("The random address is the one on the air") func randomAddress() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    bench.send(HCILESetRandomAddress(address: .staticRandom(7)), b)
    bench.send(HCILESetAdvertisingParameters(ownAddressKind: .random), b)
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), b)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), a)
    #expect(try bench.connections(bench.dequeueEvents(a)).isEmpty)
    bench.send(HCILECreateConnectionCancel(), a)
    bench.send(HCILECreateConnection(peer: .staticRandom(7), ownAddressKind: .public), a)
    #expect(try bench.connections(bench.dequeueEvents(a)).last?.peer == .staticRandom(7))
  }

  @Test("Extended reports come from a controller that has them, to a host that lets them through") func extended()
    throws
  {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice, ControllerConfiguration(eventForm: .extended)), bench.addReady(bob))
    try advertise(bench, b)
    scan(bench, a)
    let reports = try bench.reports(bench.dequeueEvents(a))
    #expect(reports.map(\.form) == [.extended, .extended])
    #expect(reports.map(\.eventType.rawValue) == [0x13, 0x1B])
    bench.send(HCILESetEventMask(mask: 0x1F), a)
    bench.send(HCILESetScanEnable(isEnabled: true), a)
    #expect(try bench.reports(bench.dequeueEvents(a)).map(\.form) == [.legacy, .legacy])
  }

  @Test("A host that masks reports gets none") func masked() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    bench.send(HCILESetEventMask(mask: 0x1D), a)
    try advertise(bench, b)
    scan(bench, a)
    #expect(try bench.reports(bench.dequeueEvents(a)).isEmpty)
  }

  @Test("Distance weakens a signal and ends it") func distance() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    try advertise(bench, b)
    bench.radio.setDistance(50, between: a, and: b, now: bench.now)
    scan(bench, a, isActive: false)
    #expect(try bench.reports(bench.dequeueEvents(a)).map(\.rssi) == [-89])
    bench.radio.setDistance(200, between: b, and: a, now: bench.now)
    #expect(bench.radio.nextDeadline == nil)
    bench.advance(by: .seconds(1))
    #expect(try bench.reports(bench.dequeueEvents(a)).isEmpty)
    bench.radio.setDistance(nil, between: a, and: b, now: bench.now)
    #expect(try bench.reports(bench.dequeueEvents(a)).map(\.rssi) == [-50])
  }

  @Test("Loss drops its share of the advertisements") func loss() throws {
    let bench = RadioBench(RadioConfiguration(seed: 5, loss: 0.5))
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    try advertise(bench, b)
    scan(bench, a, isActive: false)
    bench.advance(by: .seconds(100))
    let heard = try bench.reports(bench.dequeueEvents(a)).count
    #expect(400..<600 ~= heard)
  }

  @Test("Scan windows and the advertising delay count with paced timing") func realisticTiming() throws {
    let bench = RadioBench(RadioConfiguration(seed: 5, timing: .paced))
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    try advertise(bench, b)
    bench.send(HCILESetScanParameters(interval: 0x40, window: 0x10, ownAddressKind: .public), a)
    bench.send(HCILESetScanEnable(isEnabled: true), a)
    bench.advance(by: .seconds(100))
    let heard = try bench.reports(bench.dequeueEvents(a)).filter { !$0.eventType.contains(.scanResponse) }.count
    #expect(190..<290 ~= heard)
  }

  @Test("Reset ends advertising and scanning") func reset() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    try advertise(bench, b)
    scan(bench, a)
    _ = bench.dequeue(a)
    bench.send(HCIReset(), b)
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(a).isEmpty)
    bench.send(HCIReset(), a)
    try advertise(bench, b)
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(a) == ["040e0401030c00"])
  }
}
