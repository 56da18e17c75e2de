// Core Bluetooth on both sides, in one process, over virtual controllers; the peer has two hosts in one process, too. Prints one
// JSON line.

import CoreBluetooth
import LatchkeyBluetoothTransports

/// Seven services of three characteristics each, as the peer's: dynamic read, write without response, notify.
enum Database {
  static let serviceCount = 7
  static let name = "bench"

  static func uuid(_ service: Int, _ characteristic: Int = 0) -> CBUUID {
    CBUUID(string: String(format: "%08X-0000-4000-8000-0000000000%02X", service, characteristic))
  }

  static func services() -> [CBMutableService] {
    (1...serviceCount).map { number in
      let service = CBMutableService(type: uuid(number), primary: true)
      service.characteristics = [
        CBMutableCharacteristic(type: uuid(number, 1), properties: .read, value: nil, permissions: .readable),
        CBMutableCharacteristic(
          type: uuid(number, 2), properties: [.writeWithoutResponse, .write], value: nil, permissions: .writeable),
        CBMutableCharacteristic(type: uuid(number, 3), properties: .notify, value: nil, permissions: .readable),
      ]
      return service
    }
  }
}

@main
enum GATTBench {
  static func main() {
    let arguments = CommandLine.arguments
    let seconds =
      arguments.firstIndex(of: "--seconds").flatMap { index in
        index + 1 < arguments.count ? Double(arguments[index + 1]) : nil
      } ?? 5
    guard let measure = arguments.dropFirst().first.flatMap(Measure.init(rawValue:)) else {
      FileHandle.standardError.write(Data("usage: gatt-bench write|read|discover|channel [--seconds S]\n".utf8))
      exit(64)
    }
    // ATT_MTU 247 and ACL 251, as the peer has them.
    VirtualRadio(preferredMTU: 247).use(as: Database.name)
    let peripheral = Peripheral()
    let central = Central(measure: measure, seconds: seconds, peripheral: peripheral)
    withExtendedLifetime((peripheral, central)) { dispatchMain() }
  }
}

enum Measure: String {
  case write, read, discover, channel
}
