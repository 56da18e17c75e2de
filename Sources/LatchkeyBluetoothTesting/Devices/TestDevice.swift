import CoreBluetooth
public import Foundation
import LatchkeyBluetoothTransports
import Synchronization

/// A device on a ``TestRadio``: what arrived at it, what it sends, and what goes wrong with it.
///
/// Its bytes are those of a peripheral manager, so an app meets what a device of this package would send. Calls come from
/// any thread but a callback of the device itself. Characteristics are named as in ``DeviceRequest``.
public final class TestDevice: Sendable {
  /// What the device was made of.
  public let definition: DeviceDefinition
  /// The name of its controller on the radio.
  public let name: String
  let server: DefinitionServer
  let radio: VirtualRadio
  /// The names of the controllers of apps.
  let phones: PhoneList
  let air = Mutex(Air())

  /// Where the device is, for all apps.
  struct Air {
    var distance: Double?
    var rssi: Int8?
    var loss: Double?
    /// The timer of a recorded signal.
    var signal: (any ScheduledTimer)?
    var path: (any ScheduledTimer)?
    var pathNumber = 0
  }

  init(_ definition: DeviceDefinition, name: String, server: DefinitionServer, radio: VirtualRadio, phones: PhoneList) {
    self.definition = definition
    self.name = name
    self.server = server
    self.radio = radio
    self.phones = phones
    server.sync { $0.loseLinks = { radio.dropLinks(of: name) } }
  }

  deinit { server.end() }

  // MARK: Values

  /// The value of a characteristic.
  public func value(of characteristic: String) -> Data {
    server.sync { server in server.characteristics[server.index(named: characteristic)].value }
  }

  /// Sets the value that reads return. Nobody is notified.
  public func set(_ value: Data, for characteristic: String) {
    server.sync { server in server.characteristics[server.index(named: characteristic)].value = value }
  }

  /// Sets the value of a characteristic and sends it to the subscribers, as a notification or an indication.
  ///
  /// - Returns: whether anybody is subscribed.
  @discardableResult
  public func notify(_ value: Data, for characteristic: String) -> Bool {
    server.sync { server in
      let index = server.index(named: characteristic)
      server.characteristics[index].value = value
      return server.send(value, of: index)
    }
  }

  /// The writes that arrived, oldest first; the last 65 536 at most.
  public var writes: [DeviceWrite] { server.sync { $0.writes.writes } }

  /// The values that were written to one characteristic, oldest first.
  public func writes(to characteristic: String) -> [Data] {
    server.sync { server in
      let uuid = server.characteristics[server.index(named: characteristic)].definition.uuid
      return server.writes.writes.filter { $0.characteristic == uuid }.map(\.value)
    }
  }

  /// Whether an app is subscribed to a characteristic.
  public func hasSubscriber(_ characteristic: String) -> Bool {
    server.sync { server in server.characteristics[server.index(named: characteristic)].hasSubscriber }
  }

  // MARK: Advertising

  /// Whether the device advertises now.
  public var isAdvertising: Bool { server.sync { $0.isAdvertising } }

  /// Stops advertising: apps do not find the device any more.
  public func stopAdvertising() { server.sync { $0.setAdvertising(false) } }

  /// Advertises again.
  public func startAdvertising() { server.sync { $0.setAdvertising(true) } }

  // MARK: Power

  /// Switches the device off: it says nothing any more, and links to it end by their supervision timeouts.
  public func powerOff() { radio.setPowered(false, name) }

  /// Switches the device on: it has its services and advertises.
  public func powerOn() { radio.setPowered(true, name) }
}

extension DefinitionServer {
  /// The index of the characteristic of that name, as `DeviceRequest` has it.
  func index(named name: String) -> Int {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let uuids = parts.compactMap { DefinitionNode.uuid($0) }
    let found =
      switch (parts.count, uuids.count) {
      case (1, 1): index(of: uuids[0])
      case (2, 2): characteristics.firstIndex { $0.service == uuids[0] && $0.definition.uuid == uuids[1] }
      default: nil as Int?
      }
    guard let found else {
      let known = characteristics.map { "\($0.service.uuidString)/\($0.definition.uuid.uuidString)" }
      preconditionFailure("\(definition.name) has no characteristic \(name); it has \(known.joined(separator: ", "))")
    }
    return found
  }
}
