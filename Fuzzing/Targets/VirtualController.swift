// modules: LatchkeyBluetoothHost LatchkeyBluetoothEmulator
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost

/// Two connected hosts on one radio send packets of the input; the input also advances the clock.
///
/// Each piece of input is one byte for the sender, the time that passes and the air, one for the packet's length, and
/// the packet.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVirtualController(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = UnsafeBufferPointer(start: start, count: count)[...]
  var radio = Radio(configuration: RadioConfiguration(loss: Double(count % 4) / 8))
  let ids = [radio.addController(), radio.addController(ControllerConfiguration(buffers: .smallest))]
  var now = Duration.zero
  connect(&radio, ids[0], ids[1])
  while let control = input.popFirst(), let length = input.popFirst() {
    let packet = Array(input.prefix(Int(length)))
    input = input.dropFirst(packet.count)
    radio.receive(packet, from: ids[Int(control & 1)], now: now)
    if control & 0x02 != 0 { now += .milliseconds(Int64(control >> 2)) }
    if control == 0xFF { radio.setDistance(Double(length), between: ids[0], and: ids[1], now: now) }
    while let deadline = radio.nextDeadline, deadline <= now { radio.handleTimeout(now: now) }
    for case .packet(let output, _) in radio.dequeueOutputs() { check(output) }
  }
  return 0
}

private func connect(_ radio: inout Radio, _ central: ControllerID, _ peripheral: ControllerID) {
  guard let address = radio.address(of: peripheral) else { fatalError("the peripheral has no address") }
  for id in [central, peripheral] {
    radio.receive(HCISetEventMask(mask: .max).packet, from: id, now: .zero)
    radio.receive(HCILESetEventMask(mask: .max).packet, from: id, now: .zero)
  }
  radio.receive(HCILESetAdvertisingEnable(isEnabled: true).packet, from: peripheral, now: .zero)
  radio.receive(HCILECreateConnection(peer: address, ownAddressKind: .public).packet, from: central, now: .zero)
  for case .packet(let output, _) in radio.dequeueOutputs() { check(output) }
}

/// A host must be able to decode every packet of a controller.
private func check(_ packet: [UInt8]) {
  let isRight =
    packet.first == 0x04 ? (try? HCIEvent(decoding: packet)) != nil : (try? ACLPacket(decoding: packet)) != nil
  guard isRight else { fatalError("a host cannot decode \(packet)") }
}
