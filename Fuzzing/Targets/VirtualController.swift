// modules: BluetoothEmulator
import BluetoothEmulator

/// Two hosts that send what the input says, to controllers on one radio; time passes as it says.
///
/// Each piece of input is one byte for the sender, the time that passes and the air, one for the packet's length, and
/// the packet.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVirtualController(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = UnsafeBufferPointer(start: start, count: count)[...]
  var radio = Radio(configuration: RadioConfiguration(loss: Double(count % 4) / 8))
  let ids = [radio.addController(), radio.addController(ControllerConfiguration(buffers: .smallest))]
  var now = Duration.zero
  while let control = input.popFirst(), let length = input.popFirst() {
    let packet = Array(input.prefix(Int(length)))
    input = input.dropFirst(packet.count)
    radio.receive(packet, from: ids[Int(control & 1)], now: now)
    if control & 0x02 != 0 { now += .milliseconds(Int64(control >> 2)) }
    if control == 0xFF { radio.setDistance(Double(length), between: ids[0], and: ids[1], now: now) }
    while let deadline = radio.nextDeadline, deadline <= now { radio.handleTimeout(now: now) }
    for case .packet(let output, _) in radio.takeOutputs() where output.count < 3 { fatalError("a packet cut short") }
  }
  return 0
}
