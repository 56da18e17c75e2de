import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// The requests to a peripheral that the app did not make.
@Suite(.timeLimit(.minutes(5)))
struct BackgroundRequestTests {
  /// Keeps what a host sends to its controller.
  private final class Listener: ControllerTransport {
    private let way: any ControllerTransport
    private let packets = Locked<[[UInt8]]>([])

    init(_ way: any ControllerTransport) { self.way = way }

    /// The ATT PDUs: of ACL packets that begin an L2CAP frame on the channel 4.
    var requests: [[UInt8]] {
      packets.withLock { $0 }.filter { $0.count > 9 && $0[0] == 2 && $0[7] == 4 && $0[8] == 0 }.map { Array($0[9...]) }
    }

    func open(_ receiver: any ControllerTransportReceiver) { way.open(receiver) }

    func send(_ packet: consuming [UInt8]) {
      let copy = packet
      packets.withLock { $0.append(copy) }
      way.send(copy)
    }

    func close() { way.close() }
  }

  @Test("A connection begins with the app's request and a few of its own")
  func aConnectionBeginsWithTheAppsRequestAndFewOfOurOwn() async throws {
    var listener: Listener?
    let lab = Lab(centrals: { way in
      let made = Listener(way)
      listener = made
      return made
    })
    let heard = try #require(listener)
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    lab.central.reaction = { event in
      if case .connected(let peripheral) = event { peripheral.discoverServices([CBUUID(string: Lab.service)]) }
    }
    try await lab.central.connect(found)
    try await lab.central.log.first { event in
      if case .services(nil) = event { return () }
      return nil
    }
    let characteristics = try await lab.central.discover(Lab.service, of: found)
    let characteristic = try #require(characteristics["FFF1"])
    #expect(try await lab.central.read(characteristic, of: found) == Data())
    // Exchange MTU; the app's service, and that there is no second one; the name, as far as its first value; Service Changed
    // with its service, itself, its descriptors, and the write that asks for it. Then the app's later requests.
    let opcodes: [UInt8] = heard.requests.map { $0[0] }
    #expect(Array(opcodes.prefix(8)) == [0x02, 0x06, 0x06, 0x08, 0x06, 0x08, 0x04, 0x12], "\(opcodes)")
    let names = heard.requests.filter { Array($0.suffix(2)) == [0x00, 0x2A] }
    #expect(names.count == 1)
    #expect(opcodes.last == 0x0A)
  }
}
