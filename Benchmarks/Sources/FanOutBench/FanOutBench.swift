// A host with many links, its controller simulated: the cost of a value to all subscribers for each of them, and the
// cost of a read of one of them, with 10, 100 and 1 000 links. There is no peer: no other host holds so many links.

import Glibc
import LatchkeyBluetoothHost

/// A peripheral with subscribers, and the bytes of its controller.
struct Crowd: ~Copyable {
  var host = Host(configuration: HostConfiguration(ownAddress: .staticRandom(1)))
  let links: Int
  let server: ClientID
  private(set) var value: AttributeHandle = 0
  private var outputs: [HostOutput] = []
  private(set) var sent = 0

  init(links: Int) {
    self.links = links
    server = host.addClient()
    host.start(now: .zero)
    settle()
    let characteristic = GATTCharacteristicDefinition(
      uuid: 0xFFF1, properties: [.read, .notify], permissions: .readable)
    let service = GATTServiceDefinition(uuid: 0xFFF0, characteristics: [characteristic])
    guard let placement = try? host.addService(service, client: server, now: .zero) else { fatalError("no room") }
    value = placement.valueHandles[0]
    for handle in 1...UInt16(links) {
      // LE Connection Complete, as peripheral of a central with a random address.
      var event: [UInt8] = [0x04, 0x3E, 0x13, 0x01, 0x00, UInt8(handle & 0xFF), UInt8(handle >> 8), 0x01, 0x01]
      event += [UInt8(handle & 0xFF), UInt8(handle >> 8), 0, 0, 0, 0xC0, 24, 0, 0, 0, 200, 0, 0]
      receive(event)
      // Write Request of the configuration: notifications.
      receiveATT([0x12, UInt8(truncatingIfNeeded: value + 1), UInt8((value + 1) >> 8), 0x01, 0x00], on: handle)
    }
    sent = 0
  }

  /// Delivers a packet of the controller to the host, and performs the outputs.
  mutating func receive(_ packet: [UInt8]) {
    host.receive(packet, now: .zero)
    settle()
  }

  mutating func receiveATT(_ pdu: [UInt8], on handle: UInt16) {
    let count = UInt8(pdu.count)
    receive([0x02, UInt8(handle & 0xFF), UInt8(handle >> 8) | 0x20, count + 4, 0, count, 0, 4, 0] + pdu)
  }

  /// Sends a value to all subscribers, and completes its packets.
  mutating func update(_ number: Int) {
    let isTaken = host.updateValue(
      [UInt8(truncatingIfNeeded: number), 2, 3, 4, 5, 6, 7, 8], of: value, links: nil, client: server, now: .zero)
    guard isTaken else { fatalError("no room") }
    settle()
  }

  /// Answers commands, and completes each packet at once.
  private mutating func settle() {
    while true {
      host.exchangeOutputs(&outputs)
      if outputs.isEmpty { return }
      for output in outputs {
        guard case .packet(let packet) = output else { continue }
        if packet[0] == 0x02 {
          sent += 1
          // Number Of Completed Packets.
          host.receive([0x04, 0x13, 0x05, 0x01, packet[1], packet[2] & 0x0F, 0x01, 0x00], now: .zero)
        } else {
          let returned = Self.returned(by: UInt16(packet[1]) | UInt16(packet[2]) << 8)
          host.receive([0x04, 0x0E, UInt8(3 + returned.count), 0x01, packet[1], packet[2]] + returned, now: .zero)
        }
      }
    }
  }

  /// The return parameters of a plain controller's commands.
  private static func returned(by opcode: UInt16) -> [UInt8] {
    switch opcode {
    case 0x1001: [0, 0x0D, 0, 0, 0x0D, 0xFF, 0xFF, 0, 0]
    case 0x1002: Array(repeating: 0, count: 65)
    case 0x1009: [0, 1, 2, 3, 4, 5, 6]
    case 0x2002: [0, 251, 0, 32]
    case 0x2003: Array(repeating: 0, count: 9)
    default: [0]
    }
  }
}

@main
enum FanOutBench {
  static let crowds = [10, 100, 1000]
  static let deliveries = 400_000

  static func main() {
    var costs: [(update: Double, read: Double)] = []
    for links in crowds {
      var crowd = Crowd(links: links)
      let rounds = deliveries / links
      for round in 0..<(rounds / 10) { crowd.update(round) }
      let before = crowd.sent
      let updates = processorTime { for round in 0..<rounds { crowd.update(round) } }
      guard crowd.sent - before == rounds * links else { fatalError("\(crowd.sent - before) values were sent") }
      let reads = processorTime {
        // Read Request of the device name.
        for round in 0..<deliveries { crowd.receiveATT([0x0A, 0x03, 0x00], on: UInt16(1 + round % links)) }
      }
      costs.append((updates / Double(rounds * links), reads / Double(deliveries)))
      print(
        "links \(links): \(Int(costs.last?.update ?? 0)) ns a value and link, \(Int(costs.last?.read ?? 0)) ns a read")
    }
    guard let few = costs.first, let many = costs.last else { return }
    print(
      "1 000 links against 10: \(rounded(many.update / few.update)) x a value, \(rounded(many.read / few.read)) x a read"
    )
  }

  /// The CPU time of this process in nanoseconds: other processes do not count.
  private static func processorTime(_ body: () -> Void) -> Double {
    let start = clock()
    body()
    return Double(clock() - start) * 1e9 / Double(CLOCKS_PER_SEC)
  }

  private static func rounded(_ ratio: Double) -> Double { (ratio * 100).rounded() / 100 }
}
