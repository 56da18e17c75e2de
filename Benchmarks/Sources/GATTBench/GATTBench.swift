// Core Bluetooth on both sides, in one process, over virtual controllers; the peer has two hosts in one process, too. Prints one
// JSON line. With --central and --peripheral the hosts are at controllers of other programs.

import CoreBluetooth
import LatchkeyBluetoothTransports
import Synchronization

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
    func option(_ name: String) -> String? {
      arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
    }
    let seconds = option("--seconds").flatMap { Double($0) } ?? 5
    guard let measure = arguments.dropFirst().first.flatMap(Measure.init(rawValue:)) else {
      let usage = """
        usage: gatt-bench write|notify|read|discover|channel|pair [--seconds S] [--central HCI --peripheral HCI]

        """
      FileHandle.standardError.write(Data(usage.utf8))
      exit(64)
    }
    if measure == .pair { Pairings(seconds: seconds).run() }
    // ATT_MTU 247 and ACL 251, as the peer has them.
    VirtualRadio(preferredMTU: 247).use(as: Database.name)
    let own = "virtual:\(Database.name)"
    let peripheral = Peripheral(at: option("--peripheral") ?? own)
    let central = Central(
      measure: measure, seconds: seconds, at: option("--central") ?? own, peripheral: peripheral)
    withExtendedLifetime((peripheral, central)) { dispatchMain() }
  }
}

enum Measure: String {
  case write, notify, read, discover, channel, pair
}

/// Pairings one after the other, of new devices each time.
struct Pairings {
  let seconds: Double

  /// Prints the median of their times, in milliseconds, and ends the program.
  func run() -> Never {
    let clock = ContinuousClock()
    let begin = clock.now
    var times: [Double] = []
    while (clock.now - begin) / .seconds(1) < seconds || times.count < 3 {
      let time = Mutex(Duration.zero)
      let isDone = DispatchSemaphore(value: 0)
      let round = PairingRound(number: times.count) { duration in
        time.withLock { $0 = duration }
        isDone.signal()
      }
      withExtendedLifetime(round) { isDone.wait() }
      times.append(time.withLock { $0 } / .milliseconds(1))
    }
    let elapsed = (clock.now - begin) / .seconds(1)
    Central.finish(.pair, times.sorted()[times.count / 2], "ms", times.count, elapsed)
  }
}
