// Two hosts, two virtual controllers, one link, N ATT reads of 8 dynamic bytes: to be counted by an instruction counter.
// The cost of N reads is the count of a run with N minus that of a run with 0.

import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost

/// Both ends of a link, with no threads and no time.
struct Wire: ~Copyable {
  var central: Host
  var peripheral: Host
  var radio = Radio()
  let centralController: ControllerID
  let peripheralController: ControllerID
  let client: ClientID
  let server: ClientID
  var value: AttributeHandle = 0
  var link: LinkID?
  var completions = 0
  var radioOutputs: [RadioOutput] = []
  var hostOutputs: [HostOutput] = []

  init() {
    central = Host(configuration: HostConfiguration(ownAddress: .staticRandom(1)))
    peripheral = Host(configuration: HostConfiguration(ownAddress: .staticRandom(2)))
    centralController = radio.addController()
    peripheralController = radio.addController()
    client = central.addClient()
    server = peripheral.addClient()
    central.start(now: .zero)
    peripheral.start(now: .zero)
  }

  /// Delivers packets until none is left. Removed from the end, each output leaves the list without a copy, as in the shell.
  mutating func pump() {
    var isBusy = true
    while isBusy {
      isBusy = false
      central.exchangeOutputs(&hostOutputs)
      if hostOutputs.count > 1 { hostOutputs.withUnsafeMutableBufferPointer { $0.reverse() } }
      while let output = hostOutputs.popLast() {
        isBusy = true
        switch consume output {
        case .packet(let packet): radio.receive(packet, from: centralController, now: .zero)
        case .event(.connected(let link, _, _), _): self.link = link
        case .completion: completions += 1
        case .event, .bondChanged, .notice: break
        }
      }
      peripheral.exchangeOutputs(&hostOutputs)
      if hostOutputs.count > 1 { hostOutputs.withUnsafeMutableBufferPointer { $0.reverse() } }
      while let output = hostOutputs.popLast() {
        isBusy = true
        switch consume output {
        case .packet(let packet): radio.receive(packet, from: peripheralController, now: .zero)
        case .event(.readRequest(let request), _):
          peripheral.respond(to: request.id, with: .value([1, 2, 3, 4, 5, 6, 7, 8]), now: .zero)
        case .event, .completion, .bondChanged, .notice: break
        }
      }
      radio.exchangeOutputs(&radioOutputs)
      if radioOutputs.count > 1 { radioOutputs.withUnsafeMutableBufferPointer { $0.reverse() } }
      while let output = radioOutputs.popLast() {
        isBusy = true
        switch consume output {
        case .packet(let packet, let controller):
          if controller == centralController {
            central.receive(packet, now: .zero)
          } else {
            peripheral.receive(packet, now: .zero)
          }
        case .power: break
        }
      }
    }
  }

  mutating func connect() throws {
    pump()
    let placement = try peripheral.addService(
      GATTServiceDefinition(
        uuid: 0xFFF0,
        characteristics: [
          GATTCharacteristicDefinition(uuid: 0xFFF1, properties: .read, permissions: .readable)
        ]), client: server, now: .zero)
    value = placement.valueHandles.first ?? 0
    peripheral.startAdvertising(server, AdvertisingParameters(localName: "Lamp"), now: .zero)
    pump()
    central.connect(client, to: .staticRandom(2), now: .zero)
    pump()
  }

  mutating func read(_ count: Int) {
    guard let link else { return }
    for index in 0..<count {
      central.submit(.read(value), id: RequestID(UInt64(index)), client: client, link: link, now: .zero)
      pump()
    }
  }
}

@main
enum ATTCallgrind {
  static func main() throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1000
    var wire = Wire()
    try wire.connect()
    wire.read(count)
    let reads = wire.completions
    print("{\"reads\":\(reads)}")
    guard reads == count else { throw Incomplete() }
  }

  struct Incomplete: Error {}
}
