// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Delivers the input to both roles. Their PDUs must fit the channel, and a host must not answer the other's: two stacks could
/// continue forever.
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
    }
  }
  return 0
}

private func check(_ frame: [UInt8]) {
  let payload = ByteReader(frame, from: OutgoingFrame.headroom)
  guard payload.remaining <= L2CAPSignalling.mtu else { fatalError("\(payload.remaining) bytes") }
  for role in [LinkRole.central, .peripheral] {
    switch L2CAPSignalling.react(to: payload, role: role) {
    case .ignore, .answered: break
    case .send, .update: fatalError("an endless exchange about \(frame)")
    }
  }
}
