import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Data of advertising sets") struct AdvertisingSetDataTests {
  private let handle = AdvertisingHandle(rawValue: 0)

  private func bench(_ properties: AdvertisingEventProperties) throws -> (RadioBench, ControllerID) {
    let bench = RadioBench()
    let id = bench.addExtended(alice)
    #expect(try setProperties(properties, bench, id) == .success)
    return (bench, id)
  }

  private func setProperties(
    _ properties: AdvertisingEventProperties, _ bench: RadioBench, _ id: ControllerID
  ) throws -> HCIStatus? {
    let parameters = HCILESetExtendedAdvertisingParameters(
      handle: handle, properties: properties, ownAddressKind: .public)
    return try bench.status(parameters, id)
  }

  private func fragment(_ operation: AdvertisingDataOperation, _ count: Int) throws -> AdvertisingDataFragment {
    try #require(
      AdvertisingDataFragment(
        handle: handle, operation: operation, data: [UInt8](repeating: 0x55, count: count)))
  }

  private func setData(
    _ operation: AdvertisingDataOperation, _ count: Int, _ bench: RadioBench, _ id: ControllerID
  ) throws -> HCIStatus? {
    try bench.status(HCILESetExtendedAdvertisingData(try fragment(operation, count)), id)
  }

  private func setScanResponse(
    _ operation: AdvertisingDataOperation, _ count: Int, _ bench: RadioBench, _ id: ControllerID
  ) throws -> HCIStatus? {
    try bench.status(HCILESetExtendedScanResponseData(try fragment(operation, count)), id)
  }

  @Test("come in parts, in their order") func parts() throws {
    let (bench, id) = try bench([])
    #expect(try setData(.intermediate, 1, bench, id) == .commandDisallowed)
    #expect(try setData(.last, 1, bench, id) == .commandDisallowed)
    #expect(try setData(.first, 0, bench, id) == .invalidParameters)
    #expect(try setData(.first, 251, bench, id) == .success)
    #expect(try bench.status(.enable(0), id) == .commandDisallowed)
    #expect(try setData(.intermediate, 0, bench, id) == .invalidParameters)
    #expect(try setData(.intermediate, 251, bench, id) == .success)
    #expect(try bench.status(.enable(0), id) == .commandDisallowed)
    #expect(try setData(.last, 0, bench, id) == .invalidParameters)
    #expect(try setData(.last, 1, bench, id) == .success)
    #expect(try setData(.last, 1, bench, id) == .commandDisallowed)
    #expect(try setData(.unchanged, 0, bench, id) == .invalidParameters)
    #expect(try bench.status(.enable(0), id) == .success)
    for operation: AdvertisingDataOperation in [.first, .intermediate, .last] {
      #expect(try setData(operation, 1, bench, id) == .commandDisallowed)
    }
    #expect(try setData(.unchanged, 1, bench, id) == .invalidParameters)
    #expect(try setData(.unchanged, 0, bench, id) == .success)
    #expect(try setData(.complete, 251, bench, id) == .success)
    #expect(try setData(.complete, 0, bench, id) == .success)
    #expect(try setData(.unchanged, 0, bench, id) == .invalidParameters)
  }

  @Test("of more than 1650 bytes are all discarded") func capacity() throws {
    let (bench, id) = try bench([])
    #expect(try setData(.first, 251, bench, id) == .success)
    for _ in 0..<5 { #expect(try setData(.intermediate, 251, bench, id) == .success) }
    #expect(try setData(.last, 145, bench, id) == .memoryCapacityExceeded)
    #expect(try setData(.last, 144, bench, id) == .commandDisallowed)
    // Neither partial nor any data.
    #expect(try bench.status(.enable(0), id) == .success)
    #expect(try setData(.unchanged, 0, bench, id) == .invalidParameters)
    #expect(try bench.status(.disable(0), id) == .success)
    #expect(try setData(.first, 251, bench, id) == .success)
    for _ in 0..<5 { #expect(try setData(.intermediate, 251, bench, id) == .success) }
    #expect(try setData(.last, 144, bench, id) == .success)
  }

  @Test("of legacy packets are one part of 31 bytes") func legacy() throws {
    let (bench, id) = try bench([.legacy, .scannable])
    for operation: AdvertisingDataOperation in [.first, .intermediate, .last] {
      #expect(try setData(operation, 1, bench, id) == .invalidParameters)
      #expect(try setScanResponse(operation, 1, bench, id) == .invalidParameters)
    }
    #expect(try setData(.complete, 32, bench, id) == .invalidParameters)
    #expect(try setScanResponse(.complete, 32, bench, id) == .invalidParameters)
    #expect(try setData(.complete, 31, bench, id) == .success)
    #expect(try setScanResponse(.complete, 31, bench, id) == .success)
    #expect(try bench.status(.enable(0), id) == .success)
    #expect(try setData(.unchanged, 0, bench, id) == .invalidParameters)
    #expect(try setScanResponse(.complete, 0, bench, id) == .success)
  }

  @Test(
    "are refused where the packets carry none",
    arguments: [[.scannable], [.legacy, .connectable, .directed]] as [AdvertisingEventProperties])
  func none(_ properties: AdvertisingEventProperties) throws {
    let (bench, id) = try bench(properties)
    #expect(try setData(.complete, 1, bench, id) == .invalidParameters)
    #expect(try setData(.complete, 0, bench, id) == .invalidParameters)
  }

  @Test(
    "Scan responses belong to scannable sets alone",
    arguments: [[], [.connectable], [.legacy]] as [AdvertisingEventProperties])
  func notScannable(_ properties: AdvertisingEventProperties) throws {
    let (bench, id) = try bench(properties)
    #expect(try setScanResponse(.complete, 1, bench, id) == .invalidParameters)
    // To discard them is allowed.
    #expect(try setScanResponse(.complete, 0, bench, id) == .success)
  }

  @Test("An extended scannable set always has a scan response") func scannable() throws {
    let (bench, id) = try bench([.scannable])
    #expect(try bench.status(.enable(0), id) == .commandDisallowed)
    #expect(try setScanResponse(.unchanged, 0, bench, id) == .invalidParameters)
    #expect(try setScanResponse(.first, 251, bench, id) == .success)
    #expect(try bench.status(.enable(0), id) == .commandDisallowed)
    #expect(try setScanResponse(.last, 251, bench, id) == .success)
    #expect(try bench.status(.enable(0), id) == .success)
    #expect(try setScanResponse(.complete, 0, bench, id) == .commandDisallowed)
    #expect(try setScanResponse(.first, 1, bench, id) == .commandDisallowed)
    #expect(try setScanResponse(.complete, 1, bench, id) == .success)
  }

  @Test("of a connectable set fit one packet") func connectable() throws {
    let (bench, id) = try bench([.connectable])
    #expect(try setData(.complete, 246, bench, id) == .success)
    #expect(try bench.status(.enable(0), id) == .invalidParameters)
    #expect(try setData(.complete, 245, bench, id) == .success)
    #expect(try setProperties([.connectable, .includesTxPower], bench, id) == .success)
    #expect(try bench.status(.enable(0), id) == .invalidParameters)
    #expect(try setProperties([.connectable], bench, id) == .success)
    #expect(try bench.status(.enable(0), id) == .success)
    #expect(try setData(.complete, 246, bench, id) == .packetTooLong)
  }

  @Test("do not change to packets that carry none or less") func otherProperties() throws {
    let (bench, id) = try bench([])
    #expect(try setData(.complete, 32, bench, id) == .success)
    #expect(try setProperties([.legacy], bench, id) == .invalidParameters)
    #expect(try setProperties([.scannable], bench, id) == .invalidParameters)
    #expect(try setData(.complete, 31, bench, id) == .success)
    #expect(try setProperties([.legacy, .connectable, .directed], bench, id) == .invalidParameters)
    #expect(try setProperties([.legacy, .scannable], bench, id) == .success)
    #expect(try setScanResponse(.complete, 1, bench, id) == .success)
    #expect(try setProperties([.legacy], bench, id) == .invalidParameters)
    #expect(try setScanResponse(.complete, 0, bench, id) == .success)
    #expect(try setProperties([.legacy], bench, id) == .success)
  }

  @Test("High duty cycle sets have a duration, of 1.28 s at most") func highDutyCycle() throws {
    let (bench, id) = try bench([.legacy, .connectable, .directed, .highDutyCycle])
    #expect(try bench.status(.enable(0), id) == .invalidParameters)
    #expect(try bench.status(.enable(0, duration: 129), id) == .invalidParameters)
    #expect(try bench.status(.enable(0, duration: 128), id) == .success)
    bench.advance(by: .milliseconds(1279))
    #expect(bench.dequeueHex(id).isEmpty)
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(id) == ["043e06123c00000000"])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("Sets are enabled all or none") func allOrNone() throws {
    let (bench, id) = try bench([])
    let second = AdvertisingHandle(rawValue: 1)
    let parameters = HCILESetExtendedAdvertisingParameters(
      handle: second, properties: [.scannable], ownAddressKind: .public)
    #expect(try bench.status(parameters, id) == .success)
    let both = HCILESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: handle), .init(handle: second)])
    #expect(try bench.status(both, id) == .commandDisallowed)
    #expect(try bench.status(HCILEClearAdvertisingSets(), id) == .success)
  }
}
