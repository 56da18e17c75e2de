import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Advertising sets on the air") struct ExtendedAdvertisingTests {
  private let flags: [UInt8] = [0x02, 0x01, 0x06]

  @Test("Legacy packets of a set reach scanners of both families, each in its own event") func legacyPackets() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addExtended(alice), bench.addExtended(bob), bench.addReady(carol))
    try bench.advertise(b, [.legacy, .connectable, .scannable], data: flags, scanResponse: [0x02, 0x0A, 0x00])
    bench.scanExtended(a, isActive: true)
    #expect(
      Array(bench.dequeueHex(a).dropFirst(2))
        == packets(
          "043e1d0d01 1300 000b0b00000000 0100ff7fce 0000 00000000000000 03020106",
          "043e1d0d01 1b00 000b0b00000000 0100ff7fce 0000 00000000000000 03020a00"))
    bench.send(HCILESetScanEnable(isEnabled: true), c)
    #expect(Array(bench.dequeueHex(c).dropFirst()) == packets("043e0f020100000b0b0000000003020106ce"))
  }

  @Test("Extended packets reach extended scans alone, with their set, layers and power") func extendedPackets() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addExtended(alice), bench.addExtended(bob), bench.addReady(carol))
    let d = bench.addExtended(0x0D0D)
    try bench.advertise(b, set: 0xE5, [.includesTxPower], data: flags) { $0.secondaryPHY = .le2M }
    bench.scanExtended(a, isActive: true)
    #expect(
      Array(bench.dequeueHex(a).dropFirst(2))
        == packets("043e1d0d01 0000 000b0b00000000 01020500ce 0000 00000000000000 03020106"))
    for id in [c, d] {
      bench.send(HCILESetScanEnable(isEnabled: true), id)
      bench.advance(by: .seconds(1))
      #expect(try bench.dequeueReports(id).isEmpty)
    }
  }

  @Test(
    "A scan hears the primary layer that it scans on",
    arguments: [
      (.le1M, .le1M, true), (.le1M, .leCoded, false), (.leCoded, .le1M, false), (.leCoded, .leCoded, true),
      ([.le1M, .leCoded], .leCoded, true),
    ] as [(LEPHYs, LEPHY, Bool)])
  func layers(_ phys: LEPHYs, _ primary: LEPHY, _ isHeard: Bool) throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, []) { ($0.primaryPHY, $0.secondaryPHY) = (primary, .leCoded) }
    bench.scanExtended(a, phys: phys)
    let reports = try bench.dequeueReports(a)
    #expect(reports.map(\.primaryPHY) == (isHeard ? [primary] : []))
    #expect(reports.allSatisfy { $0.secondaryPHY == .leCoded })
    #expect((bench.radio.nextDeadline != nil) == isHeard)
  }

  @Test("Legacy packets are not heard on LE Coded") func legacyOnCoded() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, [.legacy])
    bench.scanExtended(a, phys: .leCoded)
    #expect(try bench.dequeueReports(a).isEmpty)
  }

  @Test("A radio without the secondary layer hears nothing of the set") func lackingLayer() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice, features: [.extendedAdvertising]), bench.addExtended(bob))
    try bench.advertise(b, set: 1, []) { $0.secondaryPHY = .le2M }
    try bench.advertise(b, set: 2, [])
    bench.scanExtended(a)
    #expect(try bench.dequeueReports(a).map(\.setIdentifier) == [2])
  }

  @Test("Each set has its own address, interval and life") func several() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, set: 1, [])
    let second = AdvertisingHandle(rawValue: 2)
    let parameters = HCILESetExtendedAdvertisingParameters(
      handle: second, properties: [], minimumInterval: 0x140, maximumInterval: 0x140, ownAddressKind: .random,
      setIdentifier: 2)
    #expect(try bench.status(parameters, b) == .success)
    let address = HCILESetAdvertisingSetRandomAddress(handle: second, address: .staticRandom(7))
    #expect(try bench.status(address, b) == .success)
    #expect(try bench.status(.enable(2), b) == .success)
    #expect(bench.radio.nextDeadline == nil)
    bench.scanExtended(a)
    #expect(
      try bench.dequeueReports(a).map(\.address) == [BluetoothAddress(bob, kind: .public), .staticRandom(7)])
    bench.advance(by: .milliseconds(1000))
    let sets = try bench.dequeueReports(a).map(\.setIdentifier)
    #expect(sets.count { $0 == 1 } == 10 && sets.count { $0 == 2 } == 5)
    #expect(try bench.status(.disable(1), b) == .success)
    bench.advance(by: .milliseconds(1000))
    #expect(try bench.dequeueReports(a).map(\.setIdentifier) == [2, 2, 2, 2, 2])
    // One that is enabled and not connectable may change its address.
    let other = HCILESetAdvertisingSetRandomAddress(handle: second, address: .staticRandom(8))
    #expect(try bench.status(other, b) == .success)
    bench.advance(by: .milliseconds(200))
    #expect(try bench.dequeueReports(a).map(\.address) == [.staticRandom(8)])
    #expect(try bench.status(.disable(), b) == .success)
    #expect(bench.radio.nextDeadline == nil)
  }

  // MARK: Data

  @Test(
    "Long data are several reports, of 229 bytes at most",
    arguments: [
      (0, [0]), (229, [229]), (230, [229, 1]), (458, [229, 229]), (1650, [229, 229, 229, 229, 229, 229, 229, 47]),
    ])
  func long(_ count: Int, _ lengths: [Int]) throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    let data = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    try bench.advertise(b, [], data: data)
    bench.scanExtended(a)
    let packets = bench.dequeue(a).filter { $0[1] == 0x3E }
    #expect(packets.map { $0.count } == lengths.map { 29 + $0 })
    let reports = bench.reports(try packets.map { try HCIEvent(decoding: $0) })
    #expect(reports.map(\.data.count) == lengths)
    #expect(reports.flatMap(\.data) == data)
    #expect(reports.dropLast().allSatisfy { $0.dataStatus == .incomplete } && reports.last?.dataStatus == .complete)
  }

  @Test("A lost packet of a chain truncates the data, which are reported again") func truncated() throws {
    let bench = RadioBench(RadioConfiguration(seed: 3, loss: 0.3))
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, [], data: [UInt8](repeating: 0x55, count: 1000))
    bench.scanExtended(a, filter: .on)
    bench.advance(by: .seconds(20))
    let statuses = try bench.dequeueReports(a).map(\.dataStatus)
    #expect(statuses.contains(.truncated))
    #expect(statuses.last == .complete && statuses.count { $0 == .complete } == 1)
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("Scan responses of extended sets come to those who ask") func scanResponse() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addExtended(alice), bench.addExtended(bob), bench.addExtended(carol))
    let response = [UInt8](repeating: 0x55, count: 300)
    try bench.advertise(b, set: 3, [.scannable], scanResponse: response) { $0.reportsScanRequests = true }
    bench.scanExtended(a)
    #expect(try bench.dequeueReports(a).map(\.eventType) == [.scannable])
    #expect(bench.dequeueHex(b).isEmpty)
    bench.scanExtended(c, isActive: true)
    let reports = try bench.dequeueReports(c)
    #expect(reports.map(\.eventType) == [.scannable, [.scannable, .scanResponse], [.scannable, .scanResponse]])
    #expect(reports.map(\.data.count) == [0, 229, 71])
    #expect(reports.map(\.dataStatus) == [.complete, .incomplete, .complete])
    #expect(bench.dequeueHex(b) == packets("043e091303000c0c00000000"))
  }

  @Test("A set by its filter accept list answers the scans of its devices alone") func filteredScans() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addExtended(alice), bench.addExtended(bob), bench.addExtended(carol))
    bench.send(HCILEAddDeviceToFilterAcceptList(address: BluetoothAddress(alice, kind: .public)), b)
    _ = bench.dequeue(b)
    try bench.advertise(b, [.scannable], scanResponse: flags) { $0.filterPolicy = 1 }
    #expect(try bench.status(HCILEClearFilterAcceptList(), b) == .commandDisallowed)
    bench.scanExtended(a, isActive: true)
    bench.scanExtended(c, isActive: true)
    #expect(try bench.dequeueReports(a).count == 2)
    #expect(try bench.dequeueReports(c).count == 1)
  }

  @Test("A directed set reaches its target alone, with its data") func directed() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addExtended(alice), bench.addExtended(bob), bench.addExtended(carol))
    try bench.advertise(b, set: 1, [.directed], data: flags) { $0.peer = BluetoothAddress(alice, kind: .public) }
    for id in [a, c] { bench.scanExtended(id) }
    #expect(
      Array(bench.dequeueHex(a).dropFirst(2))
        == packets("043e1d0d01 0400 000b0b00000000 0101017fce 0000 000a0a00000000 03020106"))
    #expect(try bench.dequeueReports(c).isEmpty)
  }

  @Test("An anonymous set has no address, and is on no filter accept list") func anonymous() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addExtended(alice), bench.addExtended(bob), bench.addExtended(carol))
    try bench.advertise(b, set: 1, [.anonymous], data: flags)
    bench.scanExtended(a)
    #expect(
      Array(bench.dequeueHex(a).dropFirst(2))
        == packets("043e1d0d01 0000 ff000000000000 0101017fce 0000 00000000000000 03020106"))
    bench.send(HCILEAddDeviceToFilterAcceptList(address: BluetoothAddress(bob, kind: .public)), c)
    bench.scanExtended(c, filterPolicy: 1)
    #expect(try bench.dequeueReports(c).isEmpty)
  }

  @Test("A host that masks extended reports gets none") func masked() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    bench.send(HCILESetEventMask(mask: .max & ~(1 << 12)), a)
    try bench.advertise(b, [.legacy])
    bench.scanExtended(a)
    #expect(try bench.dequeueReports(a).isEmpty)
  }

  // MARK: Limits

  @Test("A set ends at its duration") func duration() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, set: 1, [], duration: 50)
    try bench.advertise(b, set: 2, [])
    bench.scanExtended(a)
    bench.advance(by: .milliseconds(499))
    #expect(bench.dequeueHex(b).isEmpty)
    #expect(try bench.dequeueReports(a).count { $0.setIdentifier == 1 } == 5)
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(b) == packets("043e06123c01000000"))
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(b).isEmpty)
    #expect(try Set(bench.dequeueReports(a).map(\.setIdentifier)) == [2])
    // It is there still, and begins anew.
    #expect(try bench.status(.enable(1, duration: 1), b) == .success)
    bench.advance(by: .milliseconds(10))
    #expect(try bench.dequeueEnds(b).map(\.status) == [.advertisingTimeout])
  }

  @Test("To enable a set again begins its duration again") func renewed() throws {
    let bench = RadioBench()
    let b = bench.addExtended(bob)
    try bench.advertise(b, set: 1, [], duration: 50)
    bench.advance(by: .milliseconds(400))
    #expect(try bench.status(.enable(1, duration: 50), b) == .success)
    bench.advance(by: .milliseconds(499))
    #expect(try bench.dequeueEnds(b).isEmpty)
    #expect(try bench.status(.enable(1), b) == .success)
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("A set ends after its number of events, heard or not", arguments: [true, false]) func events(_ isHeard: Bool)
    throws
  {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    if isHeard { bench.scanExtended(a) }
    try bench.advertise(b, set: 1, [], maximumEvents: 3)
    bench.advance(by: .milliseconds(199))
    #expect(bench.dequeueHex(b).isEmpty)
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(b) == packets("043e06124301000003"))
    #expect(bench.radio.nextDeadline == nil)
    #expect(try bench.dequeueReports(a).count == (isHeard ? 3 : 0))
    bench.send(.enable(1, maximumEvents: 1), b)
    #expect(bench.dequeueHex(b) == packets("040e0401392000", "043e06124301000001"))
  }

  @Test("A host that ends a set is not told, and one that masks the event neither") func silentEnds() throws {
    let bench = RadioBench()
    let b = bench.addExtended(bob)
    try bench.advertise(b, set: 1, [], duration: 50)
    #expect(try bench.status(.disable(1), b) == .success)
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(b).isEmpty)
    bench.send(HCILESetEventMask(mask: .max & ~(1 << 17)), b)
    _ = bench.dequeue(b)
    #expect(try bench.status(.enable(1, duration: 1), b) == .success)
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(b).isEmpty)
    #expect(try bench.status(HCILEClearAdvertisingSets(), b) == .success)
  }

  @Test("Reset ends all sets", arguments: [true, false]) func reset(_ isPowerCut: Bool) throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    for set: UInt8 in 0..<16 { try bench.advertise(b, set: set, [], duration: 50) }
    bench.scanExtended(a)
    #expect(try bench.dequeueReports(a).count == 16)
    if isPowerCut {
      bench.radio.setPowered(false, b, now: bench.now)
    } else {
      bench.send(HCIReset(), b)
    }
    _ = bench.dequeue(b)
    #expect(bench.radio.nextDeadline == nil)
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(a).isEmpty && bench.dequeueHex(b).isEmpty)
  }
}
