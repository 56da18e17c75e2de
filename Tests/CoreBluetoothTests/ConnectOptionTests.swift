import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// The options of a connection: a delayed start, and reconnection after a loss.
@Suite(.timeLimit(.minutes(5)))
struct ConnectOptionTests {
  private static let reconnect = [CBConnectPeripheralOptionEnableAutoReconnect: true]

  private func find(in lab: Lab) async throws -> CBPeripheral {
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    return try await lab.central.find("Lamp")
  }

  private func reconnecting(_ lab: Lab) async throws -> (any Error)? {
    try await lab.central.log.first { event -> (any Error)?? in
      if case .reconnecting(_, let error) = event { return .some(error) }
      return nil
    }
  }

  @Test("A lost connection is requested again") func lostConnectionIsRequestedAgain() async throws {
    let lab = Lab()
    let lamp = try await find(in: lab)
    try await lab.central.connect(lamp, options: Self.reconnect)
    for _ in 0..<3 {
      lab.radio.dropLinks(of: "peripheral")
      let error = try #require(try await reconnecting(lab) as? CBError)
      #expect(error.code == .connectionTimeout)
      try await lab.central.isConnected(to: lamp)
      #expect(lamp.state == .connected)
    }
  }

  @Test("A lost connection without the option stays lost") func lostConnectionStaysLost() async throws {
    let lab = Lab()
    let lamp = try await find(in: lab)
    try await lab.central.connect(lamp, options: [CBConnectPeripheralOptionEnableAutoReconnect: false])
    lab.radio.dropLinks(of: "peripheral")
    #expect(try await lab.central.disconnection() as? CBError != nil)
    #expect(lamp.state == .disconnected)
    #expect(lab.centralDriver.withHost { host, _ in host.connectedPeers.isEmpty })
  }

  @Test("Reconnection ends when the app cancels") func cancelEndsReconnection() async throws {
    let lab = Lab()
    let lamp = try await find(in: lab)
    try await lab.central.connect(lamp, options: Self.reconnect)
    lab.peripheral.manager.stopAdvertising()
    lab.radio.dropLinks(of: "peripheral")
    _ = try await reconnecting(lab)
    #expect(lamp.state == .connecting)
    lab.central.manager.cancelPeripheralConnection(lamp)
    #expect(try await lab.central.disconnection() == nil)
    #expect(lamp.state == .disconnected)
    #expect(lab.centralDriver.withHost { host, _ in !host.isConnecting(ClientID(1), to: lamp.address) })
  }

  @Test("A connection that the app ended is not requested again") func requestedEndIsFinal() async throws {
    let lab = Lab()
    let lamp = try await find(in: lab)
    try await lab.central.connect(lamp, options: Self.reconnect)
    lab.central.manager.cancelPeripheralConnection(lamp)
    #expect(try await lab.central.disconnection() == nil)
    #expect(lamp.state == .disconnected)
  }

  @Test("A later request without the option ends reconnection") func laterRequestReplacesTheOption() async throws {
    let lab = Lab()
    let lamp = try await find(in: lab)
    try await lab.central.connect(lamp, options: Self.reconnect)
    try await lab.central.connect(lamp)
    lab.radio.dropLinks(of: "peripheral")
    #expect(try await lab.central.disconnection() as? CBError != nil)
  }

  @Test("A radio that is switched off ends reconnection") func radioEndsReconnection() async throws {
    let lab = Lab()
    let lamp = try await find(in: lab)
    try await lab.central.connect(lamp, options: Self.reconnect)
    lab.radio.setPowered(false, "central")
    _ = try await lab.central.disconnection()
    try await lab.central.log.first { event in
      if case .state(.poweredOff) = event { return () }
      return nil
    }
    #expect(lamp.state == .disconnected)
  }

  @Test("A start delay passes before the attempt") func delayPassesFirst() async throws {
    let lab = Lab()
    let lamp = try await find(in: lab)
    let start = ContinuousClock.now
    lab.central.manager.connect(lamp, options: [CBConnectPeripheralOptionStartDelayKey: 0.25])
    try await lab.central.isConnected(to: lamp)
    #expect(start.duration(to: .now) >= .milliseconds(250))
  }

  @Test("A delayed attempt is canceled") func delayedAttemptIsCanceled() async throws {
    let lab = Lab()
    let lamp = try await find(in: lab)
    lab.central.manager.connect(lamp, options: [CBConnectPeripheralOptionStartDelayKey: NSNumber(value: 3600)])
    #expect(lamp.state == .connecting)
    #expect(lab.centralDriver.withHost { host, _ in !host.isConnecting(ClientID(1), to: lamp.address) })
    lab.central.manager.cancelPeripheralConnection(lamp)
    #expect(try await lab.central.disconnection() == nil)
    #expect(lamp.state == .disconnected)
    try await lab.central.connect(lamp)
  }

  @Test("A radio that is switched off ends a delayed attempt") func radioEndsADelayedAttempt() async throws {
    let lab = Lab()
    let lamp = try await find(in: lab)
    lab.central.manager.connect(lamp, options: [CBConnectPeripheralOptionStartDelayKey: 3600])
    lab.radio.setPowered(false, "central")
    try await lab.central.log.first { event in
      if case .state(.poweredOff) = event { return () }
      return nil
    }
    #expect(lamp.state == .disconnected)
    lab.radio.setPowered(true, "central")
    try await lab.central.isPoweredOn()
    try await lab.central.connect(lamp)
  }

  @Test("Delays that are no positive number count as none", arguments: [-1, -Double.infinity, .nan, 0])
  func oddDelays(_ seconds: Double) {
    #expect(ConnectOptions([CBConnectPeripheralOptionStartDelayKey: seconds]).startDelay == .zero)
  }

  @Test("Delays have a bound, and values of other types count as none") func delaysAreBounded() {
    let options = ConnectOptions([
      CBConnectPeripheralOptionStartDelayKey: Double.infinity, CBConnectPeripheralOptionEnableAutoReconnect: "yes",
    ])
    #expect(options.startDelay == .seconds(365 * 24 * 3600))
    #expect(!options.reconnects)
    #expect(ConnectOptions([CBConnectPeripheralOptionStartDelayKey: "3"]).startDelay == .zero)
    #expect(ConnectOptions(nil).startDelay == .zero)
  }
}
