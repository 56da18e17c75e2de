import CoreBluetooth
import Foundation
import LatchkeyBluetoothHost

extension Cassette {
  /// The most turns of a replay.
  private static let turnCapacity = 256

  /// What a replay advertises: the distinct data, each with the scan response that came after it, for as long as it was
  /// the latest in the recording, but between half a second and 10 seconds.
  ///
  /// Reports that only repeat an earlier one are not on a cassette, so an advertisement without a scan response of its own
  /// has that of the one before it.
  var turns: [AdvertisingTurn] {
    var states: [AdvertisingState] = []
    var response = Data()
    for report in advertisements {
      if report.isScanResponse {
        response = report.data
        guard let last = states.last else { continue }
        // A second scan response is a state of its own.
        if last.hasOwnResponse { states.append(AdvertisingState(report.time, last.data, last.isConnectable)) }
        (states[states.count - 1].response, states[states.count - 1].hasOwnResponse) = (response, true)
      } else {
        states.append(AdvertisingState(report.time, report.data, report.isConnectable, response: response))
      }
    }
    // Only a scan response was received, and flags are what nothing lacks.
    if states.isEmpty, !response.isEmpty {
      states.append(AdvertisingState(.zero, Data([0x02, 0x01, 0x06]), true, response: response))
    }
    var turns: [AdvertisingTurn] = []
    for (index, state) in states.enumerated() where turns.count < Self.turnCapacity {
      let end = index + 1 < states.count ? states[index + 1].time : state.time + .seconds(1)
      let turn = state.turn(for: min(max(end - state.time, .milliseconds(500)), .seconds(10)))
      guard !turns.contains(where: { $0.data == turn.data && $0.phy == turn.phy }) else { continue }
      turns.append(turn)
    }
    return turns
  }

  /// The signal strength at each time when it changed.
  var signal: [SignalPoint] {
    var points: [SignalPoint] = []
    for report in advertisements {
      guard let rssi = report.rssi, rssi != 127, rssi != points.last?.rssi else { continue }
      points.append(SignalPoint(time: report.time, rssi: rssi))
    }
    return points
  }
}

/// A signal strength from a time on.
struct SignalPoint: Sendable, Equatable {
  let time: Duration
  let rssi: Int8
}

/// What a device advertised from a time on.
private struct AdvertisingState {
  let time: Duration
  let data: Data
  let isConnectable: Bool
  var response: Data
  var hasOwnResponse = false

  init(_ time: Duration, _ data: Data, _ isConnectable: Bool, response: Data = Data()) {
    self.time = time
    self.data = data
    self.isConnectable = isConnectable
    self.response = response
  }

  /// Data longer than a legacy advertisement came by extended packets, which have no scan response: its data follow, as far
  /// as whole structures fit.
  func turn(for duration: Duration) -> AdvertisingTurn {
    let isLegacy = max(data.count, response.count) <= AdvertisingPayload.capacity
    guard !isLegacy else {
      return AdvertisingTurn(
        AdvertisedData(advertisement: data, scanResponse: response, isConnectable: isConnectable), duration: duration)
    }
    var whole = data + response
    if whole.count > AdvertisingPayload.extendedCapacity {
      var structures = AdvertisingData(decoding: [UInt8](whole))
      while structures.encode().count > AdvertisingPayload.extendedCapacity { structures.structures.removeLast() }
      whole = Data(structures.encode())
    }
    return AdvertisingTurn(
      AdvertisedData(advertisement: whole, scanResponse: Data(), isConnectable: isConnectable), phy: "1M",
      duration: duration)
  }
}
