import CoreBluetooth
package import Dispatch
import Foundation

extension Cassette {
  /// The device that a replay serves: without behaviors, and permitting what it was asked for in the recording, so that the
  /// player answers that. What was not permitted then stays so.
  package var servedDevice: DeviceDefinition {
    var device = device
    for service in device.services.indices {
      for characteristic in device.services[service].characteristics.indices {
        device.services[service].characteristics[characteristic].behavior = .stored
      }
    }
    for step in steps where step.attribute.descriptor == nil {
      let (service, characteristic) = (step.attribute.service, step.attribute.characteristic)
      var permissions = device.services[service].characteristics[characteristic].permissions
      switch step.event {
      case .readRefused(.readNotPermitted), .write(_, .writeNotPermitted), .subscription, .notification, .indication:
        continue
      case .read, .readRefused:
        if !permissions.contains(.readEncryptionRequired) { permissions.insert(.readable) }
      case .write, .writeWithoutResponse:
        if !permissions.contains(.writeEncryptionRequired) { permissions.insert(.writeable) }
      }
      device.services[service].characteristics[characteristic].permissions = permissions
    }
    return device
  }
}

extension DefinitionServer {
  /// A server that replays a cassette.
  ///
  /// - Throws: what is wrong with the cassette.
  package convenience init(
    _ cassette: Cassette, _ replay: Cassette.Replay, queue: DispatchQueue, options: [String: Any],
    report: @escaping @Sendable (Event) -> Void = { _ in }
  ) throws(DefinitionError) {
    let player = try CassettePlayer(cassette, replay)
    self.init(
      cassette.servedDevice, queue: queue, options: options, answerer: player, turns: cassette.turns, report: report)
  }

  /// The player of a cassette that is replayed; nil for other devices.
  package var player: CassettePlayer? { sync { $0.answerer as? CassettePlayer } }
}
