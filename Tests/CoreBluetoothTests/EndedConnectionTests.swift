import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// Calls of an app in the callbacks that the end of a connection causes, and after the release of what used it.
@Suite(.timeLimit(.minutes(1)))
struct EndedConnectionTests {
  /// A delegate that starts a session or a read again as soon as one has ended.
  private final class Repeater: NSObject, CBPeripheralDelegate, @unchecked Sendable {
    enum Event {
      case distance
      case ended
      case rssi((any Error)?)
    }

    let log = EventLog<Event>()
    /// So that a test of a loop without end fails instead of running on.
    private var repetitions = 0

    private func repeats() -> Bool {
      repetitions += 1
      return repetitions < 100
    }

    func peripheral(
      _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
    ) { log.add(.distance) }

    func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
      log.add(.ended)
      peripheral.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
      log.add(.rssi(error))
      if error != nil, repeats() { peripheral.readRSSI() }
    }
  }

  private func connected(_ lab: Lab, _ repeater: Repeater) async throws -> CBPeripheral {
    let lamp = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    lamp.delegate = repeater
    return lamp
  }

  @Test("No channel sounding session starts in the callback that the link's end causes")
  func soundingDoesNotOutliveTheLink() async throws {
    let (lab, repeater) = (Lab(), Repeater())
    let lamp = try await connected(lab, repeater)
    lamp.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
    lab.radio.dropLinks(of: "peripheral")
    _ = try await lab.central.disconnection()
    #expect(lamp.current.withLock { $0.sounding == nil })
  }

  @Test("A read of the signal strength in the callback that the link's end causes is not answered")
  func signalStrengthIsNotReadWithoutEnd() async throws {
    let (lab, repeater) = (Lab(), Repeater())
    let lamp = try await connected(lab, repeater)
    lamp.current.withLock { $0.awaitedRSSIs = 1 }
    lab.radio.dropLinks(of: "peripheral")
    _ = try await lab.central.disconnection()
    #expect(lamp.current.withLock { $0.awaitedRSSIs } == 0)
    let answers = repeater.log.pending.count
    #expect(answers == 1)
  }

  @Test("A channel sounding session ends with its manager") func soundingEndsWithTheManager() async throws {
    let (lab, repeater) = (Lab(), Repeater())
    let lamp = try await connected(lab, repeater)
    lamp.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
    lab.central.queue.sync { lab.central.dropManager() }
    #expect(lamp.current.withLock { $0.sounding == nil })
    #expect(lamp.state == .disconnected)
  }

  @Test("A delayed attempt of a new object connects, although the released one of the device was connected")
  func delayedSuccessorConnects() async throws {
    let lab = Lab()
    var lamp: CBPeripheral? = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let identifier = try #require(lamp?.identifier)
    weak let released = lamp
    lamp?.delegate = nil
    let successor: CBPeripheral? = lab.central.queue.sync {
      lamp = nil
      let successor = lab.central.manager.retrievePeripherals(withIdentifiers: [identifier]).first
      if let successor {
        lab.central.manager.connect(successor, options: [CBConnectPeripheralOptionStartDelayKey: 0.2])
      }
      return successor
    }
    #expect(released == nil)
    try await lab.central.isConnected(to: try #require(successor))
    #expect(successor?.state == .connected)
  }
}
