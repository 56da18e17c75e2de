// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Reads the input as an event, which must have one encoding that reads the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHCIEvents(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let packet = [HCIPacketType.event.rawValue] + UnsafeBufferPointer(start: start, count: count)
  guard let event = try? HCIEvent(decoding: packet) else { return 0 }
  let encoded = event.encode()
  guard let again = try? HCIEvent(decoding: encoded), again.encode() == encoded else { fatalError("\(event)") }
  switch event {
  case .numberOfCompletedPackets(let completed):
    guard completed.reduce(0, { sum, _ in sum + 1 }) == (count - 3) / 4 else { fatalError("lost an entry") }
  case .le(.advertisingReports(let reports)):
    guard reports.reduce(0, { $0 + $1.data.count }) < count else { fatalError("more data than the event contains") }
  case .commandComplete(_, _, let parameters):
    guard parameters.remaining == count - 5 else { fatalError("lost parameters") }
  case .unknown, .le(.unknown): break
  default: guard encoded.count == packet.count else { fatalError("another length") }
  }
  return 0
}
