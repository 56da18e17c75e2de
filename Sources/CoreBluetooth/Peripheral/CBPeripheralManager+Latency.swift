import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// How soon a central's data, and data for it, should be sent: shorter latencies cost both devices more power.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
  /// Speed before power: an interval of 15 to 30 ms.
  case low = 0
  /// A balance: an interval of 75 to 105 ms.
  case medium = 1
  /// Power before speed: an interval of 300 to 400 ms.
  case high = 2

  /// The parameters to request, all within Apple's accessory design guidelines.
  var parameters: ConnectionParameters {
    switch self {
    case .low: ConnectionParameters(minimumInterval: 12, maximumInterval: 24, supervisionTimeout: 200)
    case .medium: ConnectionParameters(minimumInterval: 60, maximumInterval: 84, supervisionTimeout: 400)
    case .high: ConnectionParameters(minimumInterval: 240, maximumInterval: 320, supervisionTimeout: 600)
    }
  }
}

extension CBPeripheralManager {
  /// Requests a latency of the connection to a central. The central may refuse, or change it later; neither is reported.
  public func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
    guard isPoweredOnForCommand() else { return }
    guard let link = central.link else { return Diagnostics.misuse("\(central) is not connected") }
    engine.driver.withHost { host, now in host.requestParameters(latency.parameters, on: link, now: now) }
  }
}
