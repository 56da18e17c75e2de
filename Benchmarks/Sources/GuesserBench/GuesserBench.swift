import CBenchCrypto
import CoreBluetooth
import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import Synchronization

/// `guesser-bench [--seconds S] [--rounds N]`: what a guesser on one link of a provisionable device takes from the reads of four others,
/// over the radio in this process, in real time. Run it on one core: `taskset -c 0 guesser-bench`.
///
/// The links read a value of another service of the same device, which its program answers. The guesser computes nothing: it sends
/// what it prepared, at once when the device has answered, and connects again where the link is over. The budget of tries holds it
/// as it does in the field, or somebody presses the device's button each millisecond, so that guesses are computed. Both hosts of each
/// link and the guesser are in this process: without events, which are what bounds a link on the air, it takes the processor's time
/// for its own side, too, and for connecting again.
@main struct GuesserBench {
  static func main() async throws {
    var (rounds, seconds) = (3, 3.0)
    var arguments = CommandLine.arguments.dropFirst()
    while let name = arguments.popFirst() {
      guard let value = arguments.popFirst().flatMap(Double.init), value > 0 else { throw Failure.usage }
      switch name {
      case "--seconds": seconds = value
      case "--rounds": rounds = max(1, Int(value))
      default: throw Failure.usage
      }
    }
    for isPaced in [true, false] {
      print(isPaced ? "  links with events each 30 ms:" : "  links without events:")
      for kind in [ProvisioningProtocol.secure, .espressif] {
        let scene = try await Scene(kind, isPaced: isPaced)
        for isPressed in [false, true] {
          var ratios: [Double] = []
          var ofProcessor: [Double] = []
          for round in 1...rounds {
            let alone = await scene.measure(seconds)
            scene.begin(isPressed: isPressed)
            let beside = await scene.measure(seconds)
            scene.end()
            ratios.append(beside.reads / alone.reads)
            ofProcessor.append(beside.reads / beside.load / (alone.reads / alone.load))
            print(
              "    \(kind), \(isPressed ? "each guess computed" : "with the budget"), round \(round):",
              "\(text(alone.reads)) reads/s alone, \(text(beside.reads)) beside \(text(beside.guesses)) guesses/s,",
              "\(text(beside.handshakes)) of them computed; ratio \(text(ratios[ratios.count - 1])),",
              "cores used \(text(alone.load)) and \(text(beside.load))")
            fflush(nil)
          }
          // Links with events leave the core idle: what a read costs there is not what bounds them.
          let rest = isPaced ? "" : "; of reads in a second of the processor \(text(median(ofProcessor))) x"
          print(
            "    \(kind), \(isPressed ? "each guess computed" : "with the budget"): median of ratios",
            "\(text(median(ratios))) x (goal: >= 0.8 x)\(rest)")
        }
        scene.stop()
      }
    }
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func text(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}

enum Failure: Error {
  case usage
  case notReady(String)
}

/// What happened in a second.
struct Rates {
  let reads: Double
  let guesses: Double
  let handshakes: Double
  /// CPU seconds of the process a second.
  let load: Double
}

/// A device, four links that read, and a guesser.
private final class Scene: Sendable {
  private static let readers = 4

  private let radio: VirtualRadio
  private let name = "guesser-\(UUID().uuidString)"
  private let device: ProvisionableDevice
  private let running: Task<Void, any Error>
  private let service: ReadService
  private let readers: [Reader]
  private let guesser: Guesser
  private let isPressed = Atomic(false)

  init(_ kind: ProvisioningProtocol, isPaced: Bool) async throws {
    radio = VirtualRadio(
      configuration: RadioConfiguration(timing: AirTiming(pdusPerConnectionEvent: isPaced ? 6 : nil)))
    radio.use(as: name)
    let place = "virtual:\(name)/"
    var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
    options.protocols = [kind]
    options.pairingWindow = nil
    service = ReadService(at: place + "lamp")
    let device = ProvisionableDevice(
      name: "PROV_Lamp", options: options, joiner: NoJoiner(),
      managerOptions: [CBManagerOptionControllerKey: place + "lamp"])
    self.device = device
    running = Task { try await device.run() }
    for await event in device.events where event == .advertising { break }
    readers = (0..<Self.readers).map { Reader(at: "\(place)reader-\($0)") }
    guesser = Guesser(at: place + "guesser", espressif: kind == .espressif)
    for _ in 0..<2000 where !readers.allSatisfy({ $0.reads > 2 }) { try await Task.sleep(for: .milliseconds(10)) }
    guard readers.allSatisfy({ $0.reads > 2 }) else { throw Failure.notReady("the links do not read") }
  }

  func begin(isPressed: Bool) {
    device.press()
    self.isPressed.store(isPressed, ordering: .relaxed)
    guesser.begin()
  }

  func end() {
    guesser.end()
    isPressed.store(false, ordering: .relaxed)
  }

  func stop() {
    running.cancel()
    for reader in readers { reader.end() }
  }

  func measure(_ seconds: Double) async -> Rates {
    // The first moments after a change are not counted.
    await pass(0.3)
    let before = (counts, bench_cpu_nanoseconds(), ContinuousClock.now)
    await pass(seconds)
    let (after, cpu) = (counts, bench_cpu_nanoseconds())
    let passed = (ContinuousClock.now - before.2) / .seconds(1)
    return Rates(
      reads: Double(after.reads - before.0.reads) / passed, guesses: Double(after.guesses - before.0.guesses) / passed,
      handshakes: Double(after.handshakes - before.0.handshakes) / passed,
      load: Double(cpu - before.1) / 1e9 / passed)
  }

  private func pass(_ seconds: Double) async {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      if isPressed.load(ordering: .relaxed) { device.press() }
      try? await Task.sleep(for: .milliseconds(isPressed.load(ordering: .relaxed) ? 1 : 10))
    }
  }

  private var counts: (reads: Int, guesses: Int, handshakes: Int) {
    (readers.reduce(0) { $0 + $1.reads }, guesser.guesses, guesser.handshakes)
  }
}

private struct NoJoiner: NetworkJoiner {
  func scan() async throws(JoinFailure) -> [ScannedNetwork] { [] }
  func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork { throw .networkNotFound }
  func forget() async throws(JoinFailure) {}
}
