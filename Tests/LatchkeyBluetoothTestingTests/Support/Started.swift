import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// An app that has found a device, connected and discovered everything.
struct Started {
  let radio: TestRadio
  let device: TestDevice
  let app: App

  init(
    _ definition: DeviceDefinition, mtu: Int = 517, like phone: Phone = .standard,
    queue: DispatchQueue? = DispatchQueue(label: "app"), agent: (any CBPairingAgent)? = nil
  ) throws {
    try self.init(like: phone, queue: queue, agent: agent) { try $0.add(definition, mtu: mtu) }
  }

  /// With a recorded device.
  init(cassette: Cassette, _ replay: Cassette.Replay) throws {
    try self.init { try $0.add(cassette, replay: replay) }
  }

  private init(
    like phone: Phone = .standard, queue: DispatchQueue? = DispatchQueue(label: "app"),
    agent: (any CBPairingAgent)? = nil, _ add: (TestRadio) throws -> TestDevice
  ) throws {
    radio = TestRadio()
    device = try add(radio)
    app = App(queue: queue)
    app.agent = agent
    let (radio, app) = (radio, app)
    app.now = { [weak radio] in radio?.now ?? .zero }
    radio.use(like: phone) { app.start() }
    try #require(radio.advance(upTo: .seconds(30)) { app.isReady }, "\(radio)")
  }

  /// Reads a characteristic.
  @discardableResult
  func read(_ uuid: String) -> Data? {
    let before = app.values(of: uuid).count
    app.read(uuid)
    radio.settle()
    return app.values(of: uuid).dropFirst(before).first
  }

  /// Writes, and returns the last line of the app's log.
  @discardableResult
  func write(_ bytes: [UInt8], to uuid: String) -> String? {
    app.write(bytes, to: uuid)
    radio.settle()
    return app.log.last
  }

  func subscribe(_ uuid: String) {
    app.subscribe(uuid)
    radio.settle()
  }
}
