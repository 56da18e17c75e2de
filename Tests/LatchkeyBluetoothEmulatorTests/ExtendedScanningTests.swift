import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Extended scanning") struct ExtendedScanningTests {
  typealias Exchange = VirtualControllerCommandTests.Exchange

  static let exchanges: [Exchange] = [
    Exchange("a window longer than its interval", "01 41 20 08 00 00 01 01 10 00 11 00", "04 0e 04 01 41 20 12"),
    Exchange("a window too short", "01 41 20 08 00 00 01 01 10 00 03 00", "04 0e 04 01 41 20 12"),
    Exchange("no physical layer", "01 41 20 03 00 00 00", "04 0e 04 01 41 20 12"),
    Exchange("LE 2M", "01 41 20 08 00 00 02 01 10 00 10 00", "04 0e 04 01 41 20 12"),
    Exchange("two layers, parameters of one", "01 41 20 08 00 00 05 01 10 00 10 00", "04 0e 04 01 41 20 12"),
    Exchange("filter policy 2", "01 41 20 08 00 02 01 01 10 00 10 00", "04 0e 04 01 41 20 12"),
    Exchange("scan type 2", "01 41 20 08 00 00 01 02 10 00 10 00", "04 0e 04 01 41 20 12"),
    Exchange("parameters of two layers", "01 41 20 0D 00 00 05 01 FF FF FF FF 00 10 00 10 00", "04 0e 04 01 41 20 00"),
    Exchange("filter of duplicates 3", "01 42 20 06 01 03 00 00 00 00", "04 0e 04 01 42 20 12"),
    Exchange("renewed each period, without one", "01 42 20 06 01 02 01 00 00 00", "04 0e 04 01 42 20 12"),
    Exchange("renewed each period, without a duration", "01 42 20 06 01 02 00 00 01 00", "04 0e 04 01 42 20 12"),
    Exchange("a duration as long as its period", "01 42 20 06 01 01 80 00 01 00", "04 0e 04 01 42 20 12"),
    Exchange("enable cut short", "01 42 20 05 01 00 00 00 00", "04 0e 04 01 42 20 12"),
    Exchange("a period without a duration means nothing", "01 42 20 06 01 01 00 00 01 00", "04 0e 04 01 42 20 00"),
    Exchange("parameters while scanning", "01 41 20 08 00 00 01 01 10 00 10 00", "04 0e 04 01 41 20 0c"),
    Exchange("random address while scanning", "01 05 20 06 01 02 03 04 05 C6", "04 0e 04 01 05 20 0c"),
    Exchange("disable", "01 42 20 06 00 00 00 00 00 00", "04 0e 04 01 42 20 00"),
    Exchange("by a random address", "01 41 20 08 01 00 01 01 10 00 10 00", "04 0e 04 01 41 20 00"),
    Exchange("that was never set", "01 42 20 06 01 00 00 00 00 00", "04 0e 04 01 42 20 12"),
  ]

  @Test("is answered with the specification's bytes") func bytes() throws {
    let bench = RadioBench()
    let id = bench.addExtended(alice)
    for step in Self.exchanges {
      try bench.send(step.command, id)
      #expect(bench.dequeueHex(id) == step.answers, "\(step.name)")
    }
  }

  @Test("refuses LE Coded if the controller lacks it") func coded() throws {
    let bench = RadioBench()
    let id = bench.addExtended(alice, features: [.extendedAdvertising, .phy2M])
    let parameters = HCILESetExtendedScanParameters(ownAddressKind: .public, phys: .leCoded, scan: .init())
    #expect(try bench.status(parameters, id) == .unsupportedFeatureOrParameter)
  }

  @Test("ends at its duration with LE Scan Timeout") func duration() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, [])
    bench.scanExtended(a, duration: 25)
    bench.advance(by: .milliseconds(249))
    #expect(try bench.dequeueReports(a).count == 3)
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(a) == ["043e0111"])
    #expect(bench.radio.nextDeadline == nil)
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(a).isEmpty)
    // It is over: its parameters can change.
    let parameters = HCILESetExtendedScanParameters(ownAddressKind: .public, scan: .init())
    #expect(try bench.status(parameters, a) == .success)
  }

  @Test("that the host ends has no timeout, and one that it starts again another") func noTimeout() throws {
    let bench = RadioBench()
    let a = bench.addExtended(alice)
    bench.scanExtended(a, duration: 25)
    bench.advance(by: .milliseconds(200))
    bench.send(HCILESetExtendedScanEnable(isEnabled: true, duration: 25), a)
    _ = bench.dequeue(a)
    bench.advance(by: .milliseconds(249))
    #expect(bench.dequeueHex(a).isEmpty)
    bench.send(HCILESetExtendedScanEnable(isEnabled: false), a)
    _ = bench.dequeue(a)
    #expect(bench.radio.nextDeadline == nil)
    bench.send(HCILESetEventMask(mask: .max & ~(1 << 16)), a)
    bench.send(HCILESetExtendedScanEnable(isEnabled: true, duration: 1), a)
    _ = bench.dequeue(a)
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(a).isEmpty)
  }

  @Test(
    "rests for the remainder of each period, and then forgets duplicates if it is to",
    arguments: [(.off, [3, 3, 3]), (.on, [1, 0, 0]), (.renewedEachPeriod, [1, 1, 1])]
      as [(HCILESetExtendedScanEnable.DuplicateFilter, [Int])])
  func periods(_ filter: HCILESetExtendedScanEnable.DuplicateFilter, _ counts: [Int]) throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, [])
    // Periods of 1.28 s, of which it scans 250 ms; the intervals of 100 ms begin with each period.
    bench.scanExtended(a, filter: filter, duration: 25, period: 1)
    for (number, count) in counts.enumerated() {
      bench.advance(by: .milliseconds(250))
      #expect(try bench.dequeueReports(a).count == count, "period \(number)")
      bench.advance(by: .milliseconds(1029))
      #expect(bench.dequeueHex(a).isEmpty)
      // Resting is scanning, for the commands.
      let parameters = HCILESetExtendedScanParameters(ownAddressKind: .public, scan: .init())
      #expect(try bench.status(parameters, a) == .commandDisallowed)
      bench.advance(by: .milliseconds(1))
    }
    bench.send(HCILESetExtendedScanEnable(isEnabled: false), a)
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("tells the sets of one address apart when it filters duplicates") func duplicates() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, set: 1, [], data: [1])
    try bench.advertise(b, set: 2, [], data: [2])
    try bench.advertise(b, set: 3, [.legacy], data: [3])
    bench.scanExtended(a, filter: .on)
    #expect(try bench.dequeueReports(a).map(\.data) == [[1], [2], [3]])
    #expect(bench.radio.nextDeadline == nil)
    bench.advance(by: .seconds(1))
    #expect(try bench.dequeueReports(a).isEmpty)
  }

  @Test("reports new data of an extended set again, and none of a legacy one") func newData() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, set: 1, [], data: [1])
    try bench.advertise(b, set: 3, [.legacy], data: [3])
    bench.scanExtended(a, filter: .on)
    _ = bench.dequeue(a)
    func change(_ set: UInt8, _ operation: AdvertisingDataOperation, _ data: [UInt8]) throws -> [[UInt8]] {
      let fragment = AdvertisingDataFragment(
        handle: AdvertisingHandle(rawValue: set), operation: operation, data: data)
      #expect(try bench.status(HCILESetExtendedAdvertisingData(try #require(fragment)), b) == .success)
      bench.advance(by: .seconds(1))
      return try bench.dequeueReports(a).map(\.data)
    }
    #expect(try change(1, .complete, [7]) == [[7]])
    #expect(try change(1, .unchanged, []) == [[7]])
    #expect(try change(3, .complete, [8]) == [])
    // A set that is made anew is another.
    bench.send(.disable(), b)
    bench.send(HCILEClearAdvertisingSets(), b)
    _ = bench.dequeue(b)
    try bench.advertise(b, set: 1, [], data: [9])
    bench.advance(by: .seconds(1))
    #expect(try bench.dequeueReports(a).map(\.data) == [[9]])
  }

  @Test("remembers a bounded number of sets, and hears a forgotten one again") func bounded() throws {
    let bench = RadioBench()
    let listener = bench.addExtended(alice)
    bench.scanExtended(listener, filter: .on)
    for number in 0..<17 {
      let id = bench.addExtended(0x0200_0000_0000 + UInt64(number))
      for set: UInt8 in 0..<16 { try bench.advertise(id, set: set, []) }
    }
    #expect(try bench.dequeueReports(listener).count == 17 * 16)
    bench.advance(by: .milliseconds(150))
    #expect(try !bench.dequeueReports(listener).isEmpty)
  }

  @Test("asks for scan responses on the layers on which it is active") func activeLayer() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, set: 1, [.scannable], scanResponse: [1])
    try bench.advertise(b, set: 2, [.scannable], scanResponse: [2]) {
      ($0.primaryPHY, $0.secondaryPHY) = (.leCoded, .leCoded)
    }
    var parameters = HCILESetExtendedScanParameters(
      ownAddressKind: .public, phys: [.le1M, .leCoded], scan: .init(isActive: false))
    parameters.scans[1].isActive = true
    #expect(try bench.status(parameters, a) == .success)
    bench.send(HCILESetExtendedScanEnable(isEnabled: true), a)
    #expect(try bench.dequeueReports(a).map(\.data) == [[], [], [2]])
  }

  @Test("counts each layer's own window") func windows() throws {
    let bench = RadioBench(RadioConfiguration(seed: 5, timing: .paced))
    let (a, b) = (bench.addExtended(alice), bench.addExtended(bob))
    try bench.advertise(b, set: 1, [])
    try bench.advertise(b, set: 2, []) { ($0.primaryPHY, $0.secondaryPHY) = (.leCoded, .leCoded) }
    var parameters = HCILESetExtendedScanParameters(
      ownAddressKind: .public, phys: [.le1M, .leCoded], scan: .init(isActive: false, interval: 0x40, window: 0x10))
    parameters.scans[1].window = 0x40
    #expect(try bench.status(parameters, a) == .success)
    bench.send(HCILESetExtendedScanEnable(isEnabled: true), a)
    bench.advance(by: .seconds(100))
    let reports = try bench.dequeueReports(a)
    #expect(190..<290 ~= reports.count { $0.setIdentifier == 1 })
    #expect(900..<1000 ~= reports.count { $0.setIdentifier == 2 })
  }
}
