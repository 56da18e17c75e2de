import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("A link") struct LinkTests {
  @Test("is made of a request and an advertisement, and reported on both sides") func connectionAsBytes() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    try bench.send("01 06 20 0F A0 00 A0 00 00 00 00 00 00 00 00 00 00 07 00", b)
    try bench.send("01 0A 20 01 01", b)
    _ = bench.dequeue(b)
    try bench.send("01 0D 20 19 60 00 30 00 00 00 0B 0B 00 00 00 00 00 18 00 28 00 02 00 2A 00 00 00 00 00", a)
    #expect(
      bench.dequeueHex(a) == ["040f0400010d20", "043e130100010000000b0b00000000280002002a0000"])
    #expect(bench.dequeueHex(b) == ["043e130100010001000a0a00000000280002002a0000"])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("ends advertising, which may begin again") func advertisingEnds() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addReady(alice), bench.addReady(bob), bench.addReady(carol))
    _ = try bench.connect(a, b)
    bench.send(HCILESetScanEnable(isEnabled: true), c)
    bench.advance(by: .seconds(10))
    #expect(try bench.reports(bench.dequeueEvents(c)).isEmpty)
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), b)
    #expect(try bench.reports(bench.dequeueEvents(c)).count == 1)
  }

  @Test("goes to each central that connects, one to each") func twoCentrals() throws {
    let bench = RadioBench()
    let (a, b, c) = (bench.addReady(alice), bench.addReady(bob), bench.addReady(carol))
    let first = try bench.connect(a, b)
    let second = try bench.connect(c, b)
    #expect(first.peripheral != second.peripheral)
    bench.sendData(1, handle: first.peripheral, b)
    bench.sendData(2, handle: second.peripheral, b)
    #expect(try bench.dequeueNumbers(a) == [1])
    #expect(try bench.dequeueNumbers(c) == [2])
  }

  @Test("is not made twice between two devices") func alreadyConnected() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), a)
    #expect(bench.dequeueHex(a) == ["040f040b010d20"])
  }

  @Test("is ended by Disconnect: 0x16 here, the reason there") func disconnect() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    try bench.send("01 06 04 03 01 00 15", a)
    #expect(bench.dequeueHex(a) == ["040f0400010604", "04050400010016"])
    #expect(bench.dequeueHex(b) == ["04050400010015"])
    bench.sendData(1, handle: 1, b)
    #expect(bench.dequeueHex(a).isEmpty)
    #expect(bench.radio.droppedPackets(of: b) == 1)
  }

  @Test("with a reason that no host may give goes on") func forbiddenReason() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    let link = try bench.connect(a, b)
    try bench.send("01 06 04 03 01 00 08", a)
    #expect(bench.dequeueHex(a) == ["040f0412010604"])
    bench.sendData(1, handle: link.central, a)
    #expect(try bench.dequeueNumbers(b) == [1])
  }

  @Test("ends by the supervision timeout when the peer is reset") func reset() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    try bench.send("01 03 0C 00", b)
    #expect(bench.dequeueHex(b) == ["040e0401030c00"])
    #expect(bench.dequeueHex(a).isEmpty)
    bench.advance(by: .milliseconds(4999))
    #expect(bench.dequeueHex(a).isEmpty)
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(a) == ["04050400010008"])
    #expect(bench.dequeueHex(b).isEmpty)
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("gets other handles round and round, so that nothing late reaches a new link") func handles() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    let first = try bench.connect(a, b)
    bench.send(HCIDisconnect(connectionHandle: first.central), a)
    _ = (bench.dequeue(a), bench.dequeue(b))
    let second = try bench.connect(a, b)
    #expect(first.central != second.central && first.peripheral != second.peripheral)
    bench.sendData(1, handle: first.central, a)
    #expect(try bench.dequeueNumbers(b).isEmpty)
  }

  @Test("reports the peer's features and version") func featuresAndVersion() throws {
    let bench = RadioBench()
    let features: ControllerConfiguration.Features = [.dataPacketLengthExtension]
    let (a, b) = (bench.addReady(alice), bench.addReady(bob, ControllerConfiguration(features: features)))
    _ = try bench.connect(a, b)
    try bench.send("01 16 20 02 01 00", a)
    #expect(bench.dequeueHex(a) == ["040f0400011620", "043e0c040001002000000000000000"])
    try bench.send("01 1D 04 02 01 00", a)
    #expect(bench.dequeueHex(a) == ["040f0400011d04", "040c080001000" + "9ffff0100"])
    // The peripheral may ask only where both sides can do it.
    try bench.send("01 16 20 02 01 00", b)
    #expect(bench.dequeueHex(b) == ["040f0400011620", "043e0c041a01000000000000000000"])
  }

  @Test("uses the central's new parameters, and both sides are informed") func update() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    try bench.send("01 13 20 0E 01 00 06 00 08 00 01 00 64 00 00 00 00 00", a)
    #expect(bench.dequeueHex(a) == ["040f0400011320", "043e0a03000100080001006400"])
    #expect(bench.dequeueHex(b) == ["043e0a03000100080001006400"])
    try bench.send("01 13 20 0E 01 00 06 00 05 00 01 00 64 00 00 00 00 00", a)
    #expect(bench.dequeueHex(a) == ["040f0412011320"])
  }

  @Test("asks the central's host for the peripheral's parameters") func parameterRequest() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    let link = try bench.connect(a, b)
    let wanted = ConnectionParameters(minimumInterval: 6, maximumInterval: 9, supervisionTimeout: 100)
    bench.send(HCILEConnectionUpdate(connectionHandle: link.peripheral, parameters: wanted), b)
    #expect(bench.dequeueHex(b) == ["040f0400011320"])
    #expect(bench.dequeueHex(a) == ["043e0b060100060009000000" + "6400"])
    bench.send(HCILERemoteConnectionParameterRequestReply(connectionHandle: link.central, parameters: wanted), a)
    #expect(bench.dequeueHex(a) == ["040e0601202000" + "0100", "043e0a03000100090000006400"])
    #expect(bench.dequeueHex(b) == ["043e0a03000100090000006400"])

    bench.send(HCILEConnectionUpdate(connectionHandle: link.peripheral, parameters: ConnectionParameters()), b)
    _ = (bench.dequeue(a), bench.dequeue(b))
    bench.send(HCILERemoteConnectionParameterRequestNegativeReply(connectionHandle: link.central), a)
    #expect(bench.dequeueHex(a) == ["040e06012120000100"])
    #expect(bench.dequeueHex(b) == ["043e0a033b0100090000006400"])
    // Answered once, it is answered.
    bench.send(HCILERemoteConnectionParameterRequestNegativeReply(connectionHandle: link.central), a)
    #expect(bench.dequeueHex(a) == ["040e040121200c"])
  }

  @Test("refuses the peripheral's parameters for a host that masks the question") func maskedParameterRequest() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    let link = try bench.connect(a, b)
    bench.send(HCILESetEventMask(mask: 0x1F), a)
    _ = bench.dequeue(a)
    bench.send(HCILEConnectionUpdate(connectionHandle: link.peripheral, parameters: ConnectionParameters()), b)
    #expect(bench.dequeueHex(a).isEmpty)
    #expect(bench.dequeueHex(b) == ["040f0400011320", "043e0a031a010018000000f401"])
  }

  @Test("has its data length changed, and each side is informed where it changed") func dataLength() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    try bench.send("01 22 20 06 01 00 FB 00 48 08", a)
    #expect(bench.dequeueHex(a) == ["040e06012220000100", "043e0b070100fb0048081b004801"])
    #expect(bench.dequeueHex(b) == ["043e0b0701001b004801fb004808"])
    try bench.send("01 22 20 06 01 00 FB 00 48 08", a)
    #expect(bench.dequeueHex(a) == ["040e06012220000100"])
    #expect(bench.dequeueHex(b).isEmpty)
  }

  @Test("begins with the data length that a host suggested") func suggestedDataLength() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    bench.send(HCILEWriteSuggestedDefaultDataLength(maximumTransmitOctets: 251, maximumTransmitTime: 2120), a)
    _ = bench.dequeue(a)
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), b)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), a)
    #expect(bench.dequeueHex(a).last == "043e0b070100fb0048081b004801")
    #expect(bench.dequeueHex(b).last == "043e0b0701001b004801fb004808")
  }

  @Test("is not reported to a host that masks LE events") func masked() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.add(bob))
    try bench.send("01 0A 20 01 01", b)
    _ = bench.dequeue(b)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), a)
    #expect(bench.dequeueHex(b).isEmpty)
    #expect(try bench.connections(bench.dequeueEvents(a)).count == 1)
  }

  @Test("is reported in the enhanced event by a controller that has it") func enhanced() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice, ControllerConfiguration(eventForm: .extended)), bench.addReady(bob))
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), b)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), a)
    #expect(
      bench.dequeueHex(a).last == "043e1f0a00010000000b0b00000000" + "000000000000000000000000" + "18000000f40100")
  }

  @Test("is refused beyond the controller's limit") func limit() throws {
    let bench = RadioBench()
    let (a, b, c) = (
      bench.addReady(alice, ControllerConfiguration(maximumLinks: 1)), bench.addReady(bob), bench.addReady(carol)
    )
    _ = try bench.connect(a, b)
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), c)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(carol, kind: .public), ownAddressKind: .public), a)
    #expect(bench.dequeueHex(a) == ["040f0409010d20"])
    bench.send(HCILESetAdvertisingEnable(isEnabled: true), a)
    #expect(bench.dequeueHex(a) == ["040e04010a2009"])
  }

  @Test("reports the signal strength that was set") func rssi() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    let link = try bench.connect(a, b)
    #expect(try bench.run(HCIReadRSSI(connectionHandle: link.central), a).rssi == -50)
    bench.radio.setRSSI(-71, between: a, and: b, now: bench.now)
    #expect(try bench.run(HCIReadRSSI(connectionHandle: link.peripheral), b).rssi == -71)
    bench.radio.setRSSI(nil, between: a, and: b, now: bench.now)
    bench.radio.setDistance(10, between: a, and: b, now: bench.now)
    #expect(try bench.run(HCIReadRSSI(connectionHandle: link.central), a).rssi == -75)
  }

  @Test("has no extended commands, which is said of each") func extendedCommands() throws {
    let bench = RadioBench()
    let a = bench.addReady(alice)
    for opcode in ["3620", "3720", "3820", "3920", "4120", "4220", "4320", "5E20"] {
      try bench.send("01" + opcode + "00", a)
      #expect(bench.dequeueHex(a) == ["040f040101" + opcode.lowercased()])
    }
  }
}
