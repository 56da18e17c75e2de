public import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import LatchkeyByteCoding

extension CBManager {
  /// Makes data of this host, which the app gives to one device by another way than Bluetooth: as a picture, over NFC or a
  /// cable. The device that has them knows that it pairs with this host, and this host that it pairs with one that has them.
  ///
  /// They are for LE Secure Connections, and take the form of ``CBPairingRequest/provide(outOfBandData:)``: the confirm value
  /// and the random value, 16 bytes each (Core 6.0 Vol 3 Part H 2.3.5.6.4). They serve for one pairing, and end with the
  /// next call on a manager of the same controller, and with the process.
  ///
  /// - Returns: The data; nil if the controller is missing.
  public func makeOutOfBandData() -> Data? {
    guard let made = driver?.withHost({ host, _ in host.makeOutOfBandData() }),
      case .secureConnections(let random, let confirm) = made
    else { return nil }
    var bytes = random.exposedBytes
    defer { bytes.wipe() }
    return Data(confirm + bytes)
  }
}
