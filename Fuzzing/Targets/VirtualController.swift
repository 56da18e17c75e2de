// modules: LatchkeyBluetoothHost LatchkeyBluetoothEmulator
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost

/// Two connected hosts on one radio send packets of the input; the input also advances the clock. Its length decides
/// whether the hosts use legacy commands of advertising and scanning, or extended ones.
///
/// Each piece of input is one byte for the sender, the time that passes and the air, one for the packet's length, and
/// the packet.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVirtualController(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = UnsafeBufferPointer(start: start, count: count)[...]
  var radio = Radio(configuration: RadioConfiguration(loss: Double(count % 4) / 8))
  let ids = [
    radio.addController(ControllerConfiguration(features: .all)),
    radio.addController(ControllerConfiguration(buffers: .smallest, features: .all)),
  ]
  var now = Duration.zero
  connect(&radio, ids[0], ids[1], usesSets: count & 0x04 != 0)
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

private func connect(
  _ radio: inout Radio, _ central: ControllerID, _ peripheral: ControllerID, usesSets: Bool
) {
  guard let address = radio.address(of: peripheral) else { fatalError("the peripheral has no address") }
  for id in [central, peripheral] {
    radio.receive(HCISetEventMask(mask: .max).packet, from: id, now: .zero)
    radio.receive(HCILESetEventMask(mask: .max).packet, from: id, now: .zero)
  }
  let handle = AdvertisingHandle(rawValue: 0)
  let fromPeripheral =
    usesSets
    ? [
      HCILESetExtendedAdvertisingParameters(handle: handle, ownAddressKind: .public).packet,
      HCILESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: handle)]).packet,
    ] : [HCILESetAdvertisingEnable(isEnabled: true).packet]
  let fromCentral =
    usesSets
    ? HCILEExtendedCreateConnection(ownAddressKind: .public, peer: address).packet
    : HCILECreateConnection(peer: address, ownAddressKind: .public).packet
  for packet in fromPeripheral { radio.receive(packet, from: peripheral, now: .zero) }
  radio.receive(fromCentral, from: central, now: .zero)
  for case .packet(let output, _) in radio.dequeueOutputs() { check(output) }
}

/// A host must be able to decode every packet of a controller.
private func check(_ packet: [UInt8]) {
  let isRight =
    packet.first == 0x04 ? (try? HCIEvent(decoding: packet)) != nil : (try? ACLPacket(decoding: packet)) != nil
  guard isRight else { fatalError("a host cannot decode \(packet)") }
}
