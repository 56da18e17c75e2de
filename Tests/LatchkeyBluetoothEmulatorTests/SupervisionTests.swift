import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("A link in bad air") struct SupervisionTests {
  private let parameters = ConnectionParameters(minimumInterval: 8, maximumInterval: 8, supervisionTimeout: 100)

  private func pair(
    _ configuration: RadioConfiguration = RadioConfiguration()
  ) throws -> (RadioBench, ControllerID, ControllerID, RadioBench.LinkPair) {
    let bench = RadioBench(configuration)
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    return (bench, a, b, try bench.connect(a, b, parameters: parameters))
  }

  @Test("out of range ends on both sides by the supervision timeout") func outOfRange() throws {
    let (bench, a, b, link) = try pair()
    bench.radio.setDistance(1000, between: a, and: b, now: bench.now)
    bench.sendData(1, handle: link.central, a)
    bench.advance(by: .milliseconds(999))
    #expect(bench.dequeueHex(a).isEmpty && bench.dequeueHex(b).isEmpty)
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(a) == ["04050400010008"])
    #expect(bench.dequeueHex(b) == ["04050400010008"])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("survives if it comes back in time, and waiting packets arrive in order") func backInTime() throws {
    let (bench, a, b, link) = try pair()
    bench.radio.setDistance(1000, between: a, and: b, now: bench.now)
    bench.sendData(1, handle: link.central, a)
    bench.sendData(2, handle: link.central, a)
    bench.advance(by: .milliseconds(999))
    bench.radio.setDistance(1, between: a, and: b, now: bench.now)
    #expect(try bench.dequeueNumbers(b) == [1, 2])
    #expect(bench.dequeueHex(a) == ["0413050101000200"])
    bench.advance(by: .seconds(10))
    #expect(bench.dequeueHex(a).isEmpty && bench.dequeueHex(b).isEmpty)
  }

  @Test("to a controller that is switched off ends at the other side only") func switchedOff() throws {
    let (bench, a, b, link) = try pair()
    bench.radio.setPowered(false, b, now: bench.now)
    let isPowered = bench.radio.isPowered(b)
    #expect(!isPowered)
    bench.send(HCIReset(), b)
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(a) == ["04050400010008"])
    #expect(bench.dequeueHex(b).isEmpty)
    bench.radio.setPowered(true, b, now: bench.now)
    bench.sendData(1, handle: link.peripheral, b)
    #expect(bench.radio.droppedPackets(of: b) == 1)
    bench.unmask(b)
    _ = try bench.connect(a, b)
  }

  @Test("to a controller that is removed ends too, and its slot is reused") func removed() throws {
    let (bench, a, b, _) = try pair()
    bench.radio.removeController(b, now: bench.now)
    let c = bench.addReady(carol)
    #expect(b != c)
    bench.send(HCIReset(), b)
    #expect(bench.dequeueHex(b).isEmpty && bench.dequeueHex(c).isEmpty)
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(a) == ["04050400010008"])
    #expect(bench.radio.controllerIDs == [a, c])
  }

  @Test("with a peer that never answers Disconnect is ended by this host all the same") func disconnectIntoSilence()
    throws
  {
    let (bench, a, b, link) = try pair()
    bench.radio.setLoss(1, between: a, and: b, now: bench.now)
    bench.send(HCIDisconnect(connectionHandle: link.central), a)
    #expect(bench.dequeueHex(a) == ["040f0400010604"])
    bench.send(HCIDisconnect(connectionHandle: link.central), a)
    #expect(bench.dequeueHex(a) == ["040f040c010604"])
    bench.advance(by: .seconds(1))
    #expect(bench.dequeueHex(a) == ["04050400010016"])
    #expect(bench.dequeueHex(b) == ["04050400010008"])
  }

  @Test("that loses packets sends them again, in order, an interval later") func retransmission() throws {
    let (bench, a, b, link) = try pair()
    bench.radio.setLoss(0.5, between: a, and: b, now: bench.now)
    for number in UInt8(0)..<20 { bench.sendData(number, handle: link.central, a) }
    let atOnce = try bench.dequeueNumbers(b)
    #expect(atOnce.count < 20)
    bench.advance(by: .seconds(2))
    #expect(atOnce + (try bench.dequeueNumbers(b)) == Array(0..<20))
    let credits = try bench.dequeueEvents(a).reduce(0) { sum, event in
      guard case .numberOfCompletedPackets(let completed) = event else { return sum }
      return sum + completed.reduce(0) { $0 + Int($1.count) }
    }
    #expect(credits == 20)
  }

  @Test("with little loss costs nothing while idle; with much it may end by chance") func sampledSupervision() throws {
    let (bench, a, b, _) = try pair()
    bench.radio.setLoss(0.1, between: a, and: b, now: bench.now)
    #expect(bench.radio.nextDeadline == nil)
    bench.radio.setLoss(0.98, between: a, and: b, now: bench.now)
    #expect(bench.radio.nextDeadline == bench.now + .milliseconds(10))
    bench.advance(by: .seconds(600))
    #expect(try bench.disconnections(bench.dequeueEvents(a)).map(\.reason) == [.connectionTimeout])
    #expect(try bench.disconnections(bench.dequeueEvents(b)).map(\.reason) == [.connectionTimeout])
  }

  @Test("with latency delivers that much later") func latency() throws {
    let (bench, a, b, link) = try pair(RadioConfiguration(timing: AirTiming(latency: .milliseconds(7))))
    bench.sendData(1, handle: link.central, a)
    bench.advance(by: .milliseconds(6))
    #expect(bench.dequeueHex(b).isEmpty && bench.dequeueHex(a).isEmpty)
    bench.sendData(2, handle: link.central, a)
    bench.advance(by: .milliseconds(1))
    #expect(try bench.dequeueNumbers(b) == [1])
    #expect(bench.dequeueHex(a) == ["0413050101000100"])
    bench.advance(by: .milliseconds(6))
    #expect(try bench.dequeueNumbers(b) == [2])
  }

  @Test("paced by connection events moves so many PDUs in each") func paced() throws {
    let (bench, a, b, link) = try pair(RadioConfiguration(timing: AirTiming(pdusPerConnectionEvent: 2)))
    bench.advance(by: .milliseconds(1))
    for number in UInt8(0)..<5 { bench.sendData(number, handle: link.central, a) }
    // 60 bytes are three PDUs of 27: they use the rest of one event, and the next.
    bench.sendData(5, count: 60, handle: link.central, a)
    #expect(bench.dequeueHex(b).isEmpty)
    var arrivals: [[UInt8]] = []
    for _ in 0..<5 {
      bench.advance(by: .milliseconds(10))
      arrivals.append(try bench.dequeueNumbers(b))
    }
    #expect(arrivals == [[0, 1], [2, 3], [4], [5], []])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("applies new timing at once: a shorter supervision timeout") func updatedTimeout() throws {
    let (bench, a, b, link) = try pair()
    let faster = ConnectionParameters(minimumInterval: 6, maximumInterval: 6, supervisionTimeout: 10)
    bench.send(HCILEConnectionUpdate(connectionHandle: link.central, parameters: faster), a)
    bench.radio.setLoss(1, between: a, and: b, now: bench.now)
    _ = (bench.dequeue(a), bench.dequeue(b))
    bench.advance(by: .milliseconds(100))
    #expect(bench.dequeueHex(a) == ["04050400010008"])
  }

  @Test("whose request was lost fails to be established, and the peripheral goes on") func requestLost() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    var faults = ControllerFaults()
    faults.lostConnectionRequests = 1
    bench.radio.setFaults(faults, on: a, now: bench.now)
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), b)
    _ = bench.dequeue(b)
    let request = HCILECreateConnection(
      peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public, parameters: parameters)
    bench.send(request, a)
    #expect(try bench.connections(bench.dequeueEvents(a)).count == 1)
    bench.sendData(1, handle: 1, a)
    bench.advance(by: .milliseconds(59))
    #expect(bench.dequeueHex(a).isEmpty)
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(a) == ["0405040001003e"])
    #expect(bench.dequeueHex(b).isEmpty)
    bench.send(request, a)
    #expect(try bench.connections(bench.dequeueEvents(b)).count == 1)
  }
}
