import CoreBluetooth
import LatchkeyBluetoothEmulator

// Recorded devices.
extension TestRadio {
  /// Adds the device of a cassette, which advertises and answers as it did in the recording.
  ///
  /// - Parameters:
  ///   - replay: whether the app must do what was done in the recording.
  ///   - name: the name of its controller in the exchange; by default it is made of the device's.
  /// - Returns: the device, which the radio keeps until ``remove(_:)``.
  /// - Throws: what is wrong with the cassette.
  @discardableResult
  public func add(
    _ cassette: Cassette, replay: Cassette.Replay = .loose, named name: String? = nil
  ) throws(DefinitionError) -> TestDevice {
    let device = try add(
      named: name ?? cassette.device.name, mtu: cassette.mtu, controller: ControllerConfiguration(features: .all)
    ) { queue, options throws(DefinitionError) in
      try DefinitionServer(cassette, replay, queue: queue, options: options)
    }
    device.follow(cassette.signal)
    return device
  }
}

// What an app did with a cassette.
extension TestDevice {
  /// How the app's requests differ from those of the cassette, oldest first, the first 1 024 at most. Empty in a loose
  /// replay, and for other devices.
  public var cassetteDifferences: [CassetteDifference] { server.player?.differences ?? [] }

  /// The recorded requests that the app has not done: in a strict replay, the rest of the tape.
  public var cassetteUnplayedSteps: [CassetteDifference] { server.player?.unplayed ?? [] }

  /// The differences, and the requests that were not done, as a unified diff; empty if there are none.
  public var cassetteReport: String {
    guard let player = server.player else { return "" }
    return (player.differences + player.unplayed).map(\.description).joined(separator: "\n")
  }
}
