// modules: LatchkeyByteCoding LatchkeyBluetoothHost LatchkeyBluetoothTransports LatchkeyBluetoothTesting
import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting

/// Reads the input as a device definition in JSON, and serves one that is small for a moment.
///
/// Invariants: what was read is valid, and the same a second time; an error says where or what; a device of a valid definition
/// has each of its values, and the radio comes to rest.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDeviceDefinitions(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let json = Data(UnsafeBufferPointer(start: start, count: count))
  let definition: DeviceDefinition
  do {
    definition = try DeviceDefinition(json: json)
  } catch {
    guard !"\(error)".isEmpty, "\(error)".count < 4096 else { fatalError("an error of \("\(error)".count) characters") }
    return 0
  }
  do { try definition.validate() } catch { fatalError("what was read is not valid: \(error)") }
  guard let again = try? DeviceDefinition(json: json), again == definition else { fatalError("read twice, it differs") }
  guard definition.services.reduce(0, { $0 + $1.characteristics.count }) <= 32 else { return 0 }
  serve(definition)
  return 0
}

private func serve(_ definition: DeviceDefinition) {
  let radio = TestRadio()
  guard let device = try? radio.add(definition) else { fatalError("a valid definition is refused") }
  guard radio.settle() else { fatalError("the radio does not come to rest") }
  for service in definition.services {
    for characteristic in service.characteristics {
      _ = device.value(of: "\(service.uuid.uuidString)/\(characteristic.uuid.uuidString)")
    }
  }
  radio.advance(by: .milliseconds(500))
  radio.remove(device)
  guard radio.settle() else { fatalError("the radio does not come to rest without its device") }
}
