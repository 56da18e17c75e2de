import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Faults") struct ControllerFaultsTests {
  private func pair(
    _ change: (inout ControllerFaults) -> Void
  ) throws -> (RadioBench, ControllerID, ControllerID, RadioBench.LinkPair) {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    let link = try bench.connect(a, b)
    set(bench, a, change)
    return (bench, a, b, link)
  }

  private func set(_ bench: RadioBench, _ id: ControllerID, _ change: (inout ControllerFaults) -> Void) {
    var faults = bench.radio.faults(of: id)
    change(&faults)
    bench.radio.setFaults(faults, on: id, now: bench.now)
  }

  @Test("A silent command gets no answer and does nothing") func silentCommand() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    set(bench, b) { $0.silentCommands = [0x200A] }
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), b)
    bench.send(HCILESetScanEnable(isEnabled: true), a)
    #expect(bench.dequeueHex(b).isEmpty)
    #expect(bench.dequeueHex(a) == ["040e04010c2000"])
  }

  @Test("A refused command is answered in the event of its kind") func refusedCommand() throws {
    let bench = RadioBench()
    let id = bench.addReady(alice)
    set(bench, id) { $0.refusedCommands = [0x200A: .hardwareFailure, 0x200D: .controllerBusy] }
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), id)
    bench.send(HCILECreateConnection(peer: .staticRandom(1), ownAddressKind: .public), id)
    #expect(bench.dequeueHex(id) == ["040e04010a200" + "3", "040f043a010d20"])
  }

  @Test("Command credits come back by a Command Complete of nothing") func commandCredits() throws {
    let bench = RadioBench()
    let id = bench.addReady(alice)
    set(bench, id) { $0.commandCreditDelay = .milliseconds(500) }
    try bench.send("01 09 10 00", id)
    #expect(bench.dequeueHex(id) == ["040e0a000910000a0a00000000"])
    bench.advance(by: .milliseconds(499))
    #expect(bench.dequeueHex(id).isEmpty)
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(id) == ["040e03010000"])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("Late credits come late") func lateCredits() throws {
    let (bench, a, b, link) = try pair { $0.credits = .late(.milliseconds(200)) }
    bench.sendData(1, handle: link.central, a)
    #expect(try bench.dequeueNumbers(b) == [1])
    bench.advance(by: .milliseconds(100))
    bench.sendData(2, handle: link.central, a)
    #expect(bench.dequeueHex(a).isEmpty)
    bench.advance(by: .milliseconds(100))
    #expect(bench.dequeueHex(a) == ["0413050101000100"])
    bench.advance(by: .milliseconds(100))
    #expect(bench.dequeueHex(a) == ["0413050101000100"])
  }

  @Test("Withheld credits come when they are released, or the fault ends") func withheldCredits() throws {
    let (bench, a, _, link) = try pair { $0.credits = .withheld }
    bench.sendData(1, handle: link.central, a)
    bench.sendData(2, handle: link.central, a)
    bench.advance(by: .seconds(60))
    #expect(bench.dequeueHex(a).isEmpty)
    bench.radio.releaseCredits(of: a, now: bench.now)
    #expect(bench.dequeueHex(a) == ["0413050101000200"])
    bench.sendData(3, handle: link.central, a)
    #expect(bench.dequeueHex(a).isEmpty)
    set(bench, a) { $0.credits = .prompt }
    #expect(bench.dequeueHex(a) == ["0413050101000100"])
    bench.sendData(4, handle: link.central, a)
    #expect(bench.dequeueHex(a) == ["0413050101000100"])
  }

  @Test("Lost credits come back with the end of the link alone") func lostCredits() throws {
    let (bench, a, b, link) = try pair { faults in
      faults.credits = .everyLost(2)
      faults.buffers = ACLBuffers(length: 27, count: 2)
    }
    for number in UInt8(1)...4 { bench.sendData(number, handle: link.central, a) }
    // The second is delivered, but its buffer never comes back; the third is reported, the fourth again not.
    #expect(bench.dequeueHex(a) == ["0413050101000100", "0413050101000100"])
    #expect(try bench.dequeueNumbers(b) == [1, 2, 3, 4])
    bench.sendData(5, handle: link.central, a)
    #expect(bench.dequeueHex(a) == ["041a0101"])
    bench.send(HCIDisconnect(connectionHandle: link.central), a)
    _ = (bench.dequeue(a), bench.dequeue(b))
    let again = try bench.connect(a, b)
    bench.sendData(6, handle: again.central, a)
    #expect(try bench.dequeueNumbers(b) == [6])
  }

  @Test("Data can arrive before the event of its connection") func dataFirst() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    set(bench, b) { $0.sendsDataBeforeConnectionEvent = true }
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), b)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), a)
    _ = bench.dequeue(b)
    try bench.send("02 01 00 01 00 AA", a)
    let got = bench.dequeueHex(b)
    #expect(got.count == 2)
    #expect(got.first == "0201200100aa")
    #expect(got.last?.hasPrefix("043e1301000100") == true)
    try bench.send("02 01 00 01 00 BB", a)
    #expect(bench.dequeueHex(b) == ["0201200100bb"])
  }

  @Test("The event does not wait for ever for data") func dataNever() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    set(bench, b) { $0.sendsDataBeforeConnectionEvent = true }
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), b)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), a)
    #expect(try bench.connections(bench.dequeueEvents(b)).isEmpty)
    bench.advance(by: .milliseconds(100))
    #expect(try bench.connections(bench.dequeueEvents(b)).count == 1)
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("A handle can be given again at once") func reusedHandle() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    set(bench, a) { $0.reusesHandles = true }
    let first = try bench.connect(a, b)
    bench.send(HCIDisconnect(connectionHandle: first.central), a)
    _ = (bench.dequeue(a), bench.dequeue(b))
    let second = try bench.connect(a, b)
    #expect(first.central == second.central)
    #expect(first.peripheral != second.peripheral)
  }

  @Test("A link is lost at the packet that was named, once", arguments: [0, 1, 3]) func lostLink(_ count: Int) throws {
    let (bench, a, b, link) = try pair { $0.linkLoss = .init(afterPackets: count) }
    for number in UInt8(1)...5 { bench.sendData(number, handle: link.central, a) }
    let got = bench.dequeue(b)
    #expect(got.dropLast().compactMap(\.last).count == count)
    #expect(got.last == [0x04, 0x05, 0x04, 0x00, 0x01, 0x00, 0x08])
    #expect(try bench.disconnections(bench.dequeueEvents(a)).map(\.reason) == [.connectionTimeout])
    let again = try bench.connect(a, b)
    for number in UInt8(1)...5 { bench.sendData(number, handle: again.central, a) }
    #expect(try bench.dequeueNumbers(b) == [1, 2, 3, 4, 5])
  }

  @Test("A link can fall silent at the packet that was named") func silentLink() throws {
    let (bench, a, b, link) = try pair { $0.linkLoss = .init(afterPackets: 1, isImmediate: false) }
    bench.sendData(1, handle: link.peripheral, b)
    bench.sendData(2, handle: link.peripheral, b)
    bench.sendData(3, handle: link.central, a)
    #expect(try bench.dequeueNumbers(a) == [1])
    _ = bench.dequeue(b)
    bench.advance(by: .milliseconds(4999))
    #expect(bench.dequeueHex(a).isEmpty && bench.dequeueHex(b).isEmpty)
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(a) == ["04050400010008"])
    #expect(bench.dequeueHex(b) == ["04050400010008"])
  }

  @Test("Links can be dropped with any reason") func droppedLinks() throws {
    let (bench, a, b, _) = try pair { _ in }
    bench.radio.dropLinks(of: b, reason: .linkLayerResponseTimeout, now: bench.now)
    #expect(bench.dequeueHex(a) == ["04050400010022"])
    #expect(bench.dequeueHex(b) == ["04050400010022"])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("Buffers can be made the smallest") func smallBuffers() throws {
    let (bench, a, _, _) = try pair { $0.buffers = .smallest }
    let size = try bench.run(HCILEReadBufferSize(), a)
    #expect(size.aclPacketLength == 27 && size.aclPacketCount == 1)
  }

  @Test("A hardware error is reported, unless masked") func hardwareError() throws {
    let (bench, a, _, _) = try pair { _ in }
    bench.radio.raiseHardwareError(0x42, on: a, now: bench.now)
    #expect(bench.dequeueHex(a) == ["04100142"])
    bench.send(HCISetEventMask(mask: 0), a)
    _ = bench.dequeue(a)
    bench.radio.raiseHardwareError(0x42, on: a, now: bench.now)
    #expect(bench.dequeueHex(a).isEmpty)
  }

  @Test("Faults outlive a reset; a controller without any is as it was") func lifetime() throws {
    let (bench, a, _, _) = try pair { $0.silentCommands = [0x1009] }
    bench.send(HCIReset(), a)
    _ = bench.dequeue(a)
    bench.send(HCIReadBDADDR(), a)
    #expect(bench.dequeueHex(a).isEmpty)
    bench.radio.setFaults(ControllerFaults(), on: a, now: bench.now)
    #expect(try bench.run(HCIReadBDADDR(), a).address.value == alice)
  }
}
