import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Data on a link") struct DataTests {
  @Test("goes to the other host, and the buffer comes back") func asBytes() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    try bench.send("02 01 00 07 00 03 00 04 00 0A 01 00", a)
    #expect(bench.dequeueHex(b) == ["02012007000300" + "04000a0100"])
    #expect(bench.dequeueHex(a) == ["0413050101000100"])
    // A continuing fragment stays one.
    try bench.send("02 01 10 02 00 AA BB", a)
    #expect(bench.dequeueHex(b) == ["0201100200aabb"])
  }

  @Test("sent before outputs are dequeued is acknowledged in one event") func coalesced() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    for number in UInt8(0)..<5 {
      bench.radio.receive([0x02, 0x01, 0x00, 0x01, 0x00, number], from: a, now: .zero)
    }
    #expect(bench.dequeueHex(a) == ["0413050101000500"])
    #expect(try bench.dequeueNumbers(b) == [0, 1, 2, 3, 4])
  }

  @Test("that overruns the buffers is dropped, and the host is informed") func overflow() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice, ControllerConfiguration(buffers: .smallest)), bench.addReady(bob))
    _ = try bench.connect(a, b)
    try bench.send("02 01 00 1C 00" + String(repeating: " 55", count: 28), a)
    #expect(bench.dequeueHex(a) == ["041a0101"])
    bench.radio.receive([0x02, 0x01, 0x00, 0x01, 0x00, 0x01], from: a, now: .zero)
    bench.radio.receive([0x02, 0x01, 0x00, 0x01, 0x00, 0x02], from: a, now: .zero)
    #expect(bench.dequeueHex(a) == ["041a0101", "0413050101000100"])
    #expect(try bench.dequeueNumbers(b) == [1])
  }

  @Test("is cut to what the receiving controller delivers") func cut() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob, ControllerConfiguration(buffers: .smallest)))
    let link = try bench.connect(a, b)
    bench.sendData(9, count: 60, handle: link.central, a)
    let packets = try bench.dequeueData(b)
    #expect(packets.map(\.payload.remaining) == [27, 27, 6])
    #expect(packets.map(\.boundary) == [.firstFlushable, .continuing, .continuing])
    #expect(bench.dequeueHex(a) == ["0413050101000100"])
  }

  @Test("waits for a host without buffers, and holds the sender's credits") func backPressure() throws {
    let bench = RadioBench()
    let (a, b) = (
      bench.addReady(alice, ControllerConfiguration(buffers: ACLBuffers(length: 27, count: 3))), bench.addReady(bob)
    )
    bench.send(HCIHostBufferSize(aclPacketLength: 27, aclPacketCount: 2), b)
    bench.send(HCISetControllerToHostFlowControl(isOnForACL: true), b)
    _ = bench.dequeue(b)
    let link = try bench.connect(a, b)
    for number in UInt8(1)...5 {
      bench.sendData(number, handle: link.central, a)
    }
    // Two are with the host, three wait, and with them three of the sender's buffers.
    #expect(try bench.dequeueNumbers(b) == [1, 2])
    #expect(bench.dequeueHex(a) == ["0413050101000100", "0413050101000100"])
    bench.sendData(6, handle: link.central, a)
    #expect(bench.dequeueHex(a) == ["041a0101"])
    bench.send(HCIHostNumberOfCompletedPackets.packet(link.peripheral, count: 1), b)
    #expect(try bench.dequeueNumbers(b) == [3])
    #expect(bench.dequeueHex(a) == ["0413050101000100"])
    bench.send(HCIHostNumberOfCompletedPackets.packet(link.peripheral, count: 2), b)
    #expect(try bench.dequeueNumbers(b) == [4, 5])
    #expect(bench.dequeueHex(a) == ["0413050101000200"])
    // More than the host has is an error, and is not counted.
    bench.send(HCIHostNumberOfCompletedPackets.packet(link.peripheral, count: 3), b)
    #expect(bench.dequeueHex(b) == ["040e0401350c12"])
  }

  @Test("that waits for the host ends with its link, and the host's buffers are free again") func heldAtTheEnd() throws
  {
    let bench = RadioBench()
    let (a, b, c) = (bench.addReady(alice), bench.addReady(bob), bench.addReady(carol))
    bench.send(HCIHostBufferSize(aclPacketLength: 251, aclPacketCount: 1), b)
    bench.send(HCISetControllerToHostFlowControl(isOnForACL: true), b)
    let first = try bench.connect(a, b)
    let second = try bench.connect(c, b)
    bench.sendData(1, handle: first.central, a)
    bench.sendData(2, handle: first.central, a)
    bench.sendData(3, handle: second.central, c)
    #expect(try bench.dequeueNumbers(b) == [1])
    bench.send(HCIDisconnect(connectionHandle: first.central), a)
    #expect(try bench.dequeueNumbers(b) == [3])
    // Late for a link that is gone: no error.
    bench.send(HCIHostNumberOfCompletedPackets.packet(first.peripheral, count: 1), b)
    #expect(bench.dequeueHex(b).isEmpty)
    #expect(try bench.dequeueEvents(c).count == 1)
  }

  @Test("flow control towards the host cannot be turned on under a link") func flowControlTooLate() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    #expect(try bench.run(HCISetControllerToHostFlowControl(isOnForACL: true), b).status == .commandDisallowed)
  }

  @Test("does not reach a link of the same handle at another controller") func handlesAreLocal() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addReady(alice), bench.addReady(bob), bench.addReady(carol))
    _ = try bench.connect(a, b)
    bench.sendData(1, handle: 1, c)
    #expect(try bench.dequeueNumbers(a).isEmpty && bench.dequeueNumbers(b).isEmpty)
  }
}
