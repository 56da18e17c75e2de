// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Delivers the input to both roles. Their PDUs must fit the channel, and a host must not answer the other's: two stacks could
/// continue forever. A machine that awaits answers accepts each of them once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzL2CAPSignalling(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let payload = ByteReader(Array(UnsafeBufferPointer(start: start, count: count)))
  for role in [LinkRole.central, .peripheral] {
    switch L2CAPSignalling.react(to: payload, role: role) {
    case .ignore: break
    case .send(let frame): check(frame)
    case .update(let parameters, let frame):
      guard role == .central, parameters.isValid else { fatalError("\(parameters)") }
      check(frame)
    case .answered(let identifier, let signal):
      let again = ByteReader(signal.frame(identifier: identifier), from: OutgoingFrame.headroom)
      guard L2CAPSignalling.react(to: again, role: role) == .answered(identifier: identifier, signal) else {
        fatalError("\(signal)")
      }
    case .channel(let identifier, let signal):
      let again = ByteReader(signal.frame(identifier: identifier), from: OutgoingFrame.headroom)
      guard L2CAPSignalling.react(to: again, role: role) == .channel(identifier: identifier, signal) else {
        fatalError("\(signal)")
      }
    }
    checkMachine(payload, role)
  }
  return 0
}

/// Delivers the input to a machine with a command of each kind outstanding.
private func checkMachine(_ payload: ByteReader, _ role: LinkRole) {
  var machine = L2CAPSignallingMachine()
  let (local, remote) = (L2CAPChannelID(rawValue: 0x40), L2CAPChannelID(rawValue: 0x41))
  let signal = L2CAPSignal.disconnectionRequest(destination: remote, source: local)
  let purposes: [L2CAPSignallingMachine.Purpose] = [
    .parameters, .connection(ChannelID(1)), .disconnection(ChannelID(2), local: local, remote: remote),
  ]
  for purpose in purposes { _ = machine.request(signal, for: purpose, now: .zero) }
  guard case .answered(let purpose, _) = machine.receive(payload, role: role) else { return }
  if case .answered = machine.receive(payload, role: role) { fatalError("answered twice") }
  let expired = machine.expire(now: L2CAPSignallingMachine.responseTimeout)
  guard expired.count == 2, !expired.contains(purpose) else { fatalError("\(expired)") }
}

private func check(_ frame: [UInt8]) {
  let payload = ByteReader(frame, from: OutgoingFrame.headroom)
  guard payload.remaining <= L2CAPSignalling.mtu else { fatalError("\(payload.remaining) bytes") }
  for role in [LinkRole.central, .peripheral] {
    switch L2CAPSignalling.react(to: payload, role: role) {
    case .ignore, .answered: break
    case .send, .update, .channel: fatalError("an endless exchange about \(frame)")
    }
  }
}
