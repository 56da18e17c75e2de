import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

/// Core 6.0 Vol 6 Part B 4.5.1: both ends meet at anchor points that are the connection interval apart.
@Suite("A link with connection events") struct ConnectionEventTests {
  /// 30 ms, and a supervision timeout of one second.
  private static let parameters = ConnectionParameters(
    minimumInterval: 24, maximumInterval: 24, supervisionTimeout: 100)

  private struct Couple {
    let bench: RadioBench
    let a: ControllerID
    let b: ControllerID
    let link: RadioBench.LinkPair

    /// How long after its sending the next data arrives at `receiver`, in milliseconds; nil if not within a second.
    func wait(at receiver: ControllerID) throws -> Int? {
      for waited in 0...1000 {
        if try !bench.dequeueNumbers(receiver).isEmpty { return waited }
        bench.advance(by: .milliseconds(1))
      }
      return nil
    }

    /// Goes to the next anchor point: the time at which a packet of the central arrives.
    func goToAnchor() throws {
      bench.sendData(0xFF, handle: link.central, a)
      #expect(try wait(at: b) != nil)
      _ = (bench.dequeue(a), bench.dequeue(b))
    }
  }

  private func couple(
    pdus: Int? = 6, controller: ControllerConfiguration = ControllerConfiguration()
  ) throws -> Couple {
    let bench = RadioBench(RadioConfiguration(timing: AirTiming(pdusPerConnectionEvent: pdus)))
    let (a, b) = (bench.addReady(alice, controller), bench.addReady(bob, controller))
    return Couple(bench: bench, a: a, b: b, link: try bench.connect(a, b, parameters: Self.parameters))
  }

  @Test("A packet waits for the next anchor point, from either end") func waitsForAnchor() throws {
    let couple = try couple()
    try couple.goToAnchor()
    couple.bench.advance(by: .milliseconds(10))
    couple.bench.sendData(1, handle: couple.link.central, couple.a)
    #expect(try couple.wait(at: couple.b) == 20)
    couple.bench.advance(by: .milliseconds(29))
    couple.bench.sendData(2, handle: couple.link.peripheral, couple.b)
    #expect(try couple.wait(at: couple.a) == 1)
  }

  @Test("Packets of both ends that are ready before an anchor point cross in one event") func bothWays() throws {
    let couple = try couple()
    try couple.goToAnchor()
    couple.bench.advance(by: .milliseconds(15))
    couple.bench.sendData(1, handle: couple.link.central, couple.a)
    couple.bench.sendData(2, handle: couple.link.peripheral, couple.b)
    couple.bench.advance(by: .milliseconds(15))
    #expect(try couple.bench.dequeueNumbers(couple.b) == [1])
    #expect(try couple.bench.dequeueNumbers(couple.a) == [2])
  }

  @Test("An answer to a packet of an event waits for the next event, from either end") func answersWait() throws {
    let couple = try couple()
    try couple.goToAnchor()
    couple.bench.sendData(1, handle: couple.link.peripheral, couple.b)
    #expect(try couple.wait(at: couple.a) == 30)
    couple.bench.sendData(2, handle: couple.link.central, couple.a)
    #expect(try couple.wait(at: couple.b) == 30)
  }

  @Test("So many PDUs cross in an event, however they were queued") func room() throws {
    let couple = try couple(pdus: 2)
    try couple.goToAnchor()
    for number in UInt8(0)..<2 { couple.bench.sendData(number, handle: couple.link.central, couple.a) }
    couple.bench.advance(by: .milliseconds(30))
    // At the anchor point itself: this event is over.
    for number in UInt8(2)..<5 { couple.bench.sendData(number, handle: couple.link.central, couple.a) }
    #expect(try couple.bench.dequeueNumbers(couple.b) == [0, 1])
    couple.bench.advance(by: .milliseconds(30))
    #expect(try couple.bench.dequeueNumbers(couple.b) == [2, 3])
    couple.bench.advance(by: .milliseconds(30))
    #expect(try couple.bench.dequeueNumbers(couple.b) == [4])
    #expect(couple.bench.radio.nextDeadline == nil)
  }

  @Test("Without the option data crosses at once") func withoutOption() throws {
    let couple = try couple(pdus: nil)
    couple.bench.sendData(1, handle: couple.link.central, couple.a)
    #expect(try couple.bench.dequeueNumbers(couple.b) == [1])
    #expect(couple.bench.radio.nextDeadline == nil)
  }

  @Test("A radio that is served late moves what was due, and answers still wait") func servedLate() throws {
    let couple = try couple()
    try couple.goToAnchor()
    couple.bench.sendData(1, handle: couple.link.central, couple.a)
    // Nobody serves the anchor point at 30 ms before 44 ms are over.
    couple.bench.now += .milliseconds(44)
    couple.bench.radio.handleTimeout(now: couple.bench.now)
    #expect(try couple.bench.dequeueNumbers(couple.b) == [1])
    couple.bench.sendData(2, handle: couple.link.peripheral, couple.b)
    #expect(try couple.wait(at: couple.a) == 16)
  }

  @Test("What was queued after an anchor point does not cross in its event, if that is served late") func lateData()
    throws
  {
    let couple = try couple()
    try couple.goToAnchor()
    couple.bench.sendData(1, handle: couple.link.central, couple.a)
    couple.bench.now += .milliseconds(44)
    couple.bench.sendData(2, handle: couple.link.central, couple.a)
    #expect(try couple.bench.dequeueNumbers(couple.b) == [1])
    #expect(try couple.wait(at: couple.b) == 16)
  }

  @Test("A connection update changes the anchor points for what already waits") func update() throws {
    let couple = try couple()
    try couple.goToAnchor()
    let slower = ConnectionParameters(minimumInterval: 80, maximumInterval: 80, supervisionTimeout: 300)
    couple.bench.send(HCILEConnectionUpdate(connectionHandle: couple.link.central, parameters: slower), couple.a)
    couple.bench.advance(by: .milliseconds(29))
    #expect(couple.bench.dequeueHex(couple.a) == ["040f0400011320"] && couple.bench.dequeueHex(couple.b).isEmpty)
    couple.bench.advance(by: .milliseconds(1))
    #expect(couple.bench.dequeueHex(couple.a) == ["043e0a03000100500000002c01"])
    #expect(couple.bench.dequeueHex(couple.b) == ["043e0a03000100500000002c01"])
    couple.bench.sendData(1, handle: couple.link.peripheral, couple.b)
    #expect(try couple.wait(at: couple.a) == 100)
    // Back to 7.5 ms: what the other end queued for a slow anchor point goes at a fast one.
    let faster = ConnectionParameters(minimumInterval: 6, maximumInterval: 6, supervisionTimeout: 300)
    couple.bench.send(HCILEConnectionUpdate(connectionHandle: couple.link.central, parameters: faster), couple.a)
    couple.bench.advance(by: .milliseconds(100))
    couple.bench.sendData(2, handle: couple.link.peripheral, couple.b)
    #expect(try couple.wait(at: couple.a) == 8)
  }

  @Test("Disconnect takes an event, and what waited before it arrives first") func disconnect() throws {
    let couple = try couple()
    try couple.goToAnchor()
    couple.bench.sendData(1, handle: couple.link.central, couple.a)
    couple.bench.send(HCIDisconnect(connectionHandle: couple.link.central), couple.a)
    couple.bench.advance(by: .milliseconds(29))
    #expect(try couple.bench.disconnections(couple.bench.dequeueEvents(couple.a)).isEmpty)
    #expect(couple.bench.dequeueHex(couple.b).isEmpty)
    couple.bench.advance(by: .milliseconds(1))
    let atPeripheral = couple.bench.dequeueHex(couple.b)
    #expect(atPeripheral.count == 2 && atPeripheral.last == "04050400010013")
    #expect(try couple.bench.disconnections(couple.bench.dequeueEvents(couple.a)).count == 1)
    #expect(couple.bench.radio.nextDeadline == nil)
  }

  @Test("A peer out of range ends the link by its supervision timeout, whatever waits") func supervision() throws {
    let couple = try couple()
    try couple.goToAnchor()
    couple.bench.sendData(1, handle: couple.link.central, couple.a)
    couple.bench.radio.setDistance(1000, between: couple.a, and: couple.b, now: couple.bench.now)
    couple.bench.advance(by: .milliseconds(999))
    #expect(couple.bench.dequeueHex(couple.a).isEmpty && couple.bench.dequeueHex(couple.b).isEmpty)
    couple.bench.advance(by: .milliseconds(1))
    #expect(couple.bench.dequeueHex(couple.a) == ["04050400010008"])
    #expect(couple.bench.dequeueHex(couple.b) == ["04050400010008"])
    #expect(couple.bench.radio.nextDeadline == nil)
  }

  @Test("A peer that comes back gets what waits at the next anchor point, not between two") func backInRange() throws {
    let couple = try couple()
    try couple.goToAnchor()
    couple.bench.radio.setDistance(1000, between: couple.a, and: couple.b, now: couple.bench.now)
    couple.bench.sendData(1, handle: couple.link.central, couple.a)
    couple.bench.advance(by: .milliseconds(100))
    couple.bench.radio.setDistance(1, between: couple.a, and: couple.b, now: couple.bench.now)
    #expect(try couple.wait(at: couple.b) == 20)
  }

  @Test("A lost packet is sent again in the next event, and those behind it wait with it") func retransmission() throws
  {
    let couple = try couple()
    try couple.goToAnchor()
    couple.bench.radio.setLoss(0.5, between: couple.a, and: couple.b, now: couple.bench.now)
    for number in UInt8(0)..<20 { couple.bench.sendData(number, handle: couple.link.central, couple.a) }
    var arrived: [UInt8] = []
    for _ in 0..<400 {
      couple.bench.advance(by: .milliseconds(1))
      let numbers = try couple.bench.dequeueNumbers(couple.b)
      // Anchor points alone: the first packet of `goToAnchor` came at one.
      if !numbers.isEmpty { #expect(couple.bench.now % .milliseconds(30) == .zero) }
      arrived += numbers
    }
    couple.bench.advance(by: .seconds(3))
    #expect(arrived + (try couple.bench.dequeueNumbers(couple.b)) == Array(0..<20))
  }

  @Test("Two links of one controller have anchor points of their own") func twoLinks() throws {
    let bench = RadioBench(RadioConfiguration(timing: AirTiming(pdusPerConnectionEvent: 6)))
    let (a, b, c) = (bench.addReady(alice), bench.addReady(bob), bench.addReady(carol))
    let first = try bench.connect(a, b, parameters: Self.parameters)
    bench.advance(by: .milliseconds(10))
    let second = try bench.connect(a, c, parameters: Self.parameters)
    bench.sendData(1, handle: first.central, a)
    bench.sendData(2, handle: second.central, a)
    bench.advance(by: .milliseconds(20))
    #expect(try bench.dequeueNumbers(b) == [1])
    #expect(try bench.dequeueNumbers(c) == [])
    bench.advance(by: .milliseconds(10))
    #expect(try bench.dequeueNumbers(c) == [2])
  }
}

private func % (time: Duration, step: Duration) -> Duration {
  time - step * Int((time / step).rounded(.down))
}
