import CoreBluetooth
import Glibc
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTesting
import LatchkeyBluetoothTransports
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import Synchronization

/// `opening-bench`: how long an app needs from the connection to the first request that the device accepts, over a radio with
/// connection events 30 ms apart, in its time: by the secure protocol, by a resumption of it, and by Espressif's Security 2.
///
/// Both ends are ours. Nothing is random but keys, and computing takes no time on the radio's clock, so one run is enough; what
/// the processors need is what `secure-handshake-bench` and `srp-bench` measure.
@main struct OpeningBench {
  static func main() throws {
    // ATT_MTU: what Linux offers, what iPhones and Android's default for apps have been.
    for mtu in [517, 247, 185] {
      let secure = try Scene(.secure, mtu: mtu).open()
      let resumed = try Scene(.secure, mtu: mtu).open(resumes: true)
      let espressif = try Scene(.espressif, mtu: mtu).open()
      print("  ATT_MTU \(mtu), six PDUs an event:")
      for (name, opening) in [("secure", secure), ("resumed", resumed), ("Espressif Security 2", espressif)] {
        print("    \(name): \(opening.text)")
      }
      for (name, opening) in [("secure", secure), ("resumed", resumed)] {
        print("    \(name) against Espressif Security 2: \(opening.ratios(to: espressif))")
      }
    }
  }

  enum Failure: Error {
    case notFound
    case notAnswered(String)
    case unreadable(String)
  }
}

/// A device and an app on a radio of their own.
private final class Scene {
  private static let patience = Duration.seconds(120)

  private let radio = TestRadio(
    configuration: RadioConfiguration(timing: AirTiming(pdusPerConnectionEvent: AirTiming.paced.pdusPerConnectionEvent))
  )
  private let code: ProvisioningCode
  private let app: Provisioner
  private let running: Task<Void, any Error>

  init(_ kind: ProvisioningProtocol, mtu: Int) throws {
    let radio = radio
    let code = try ProvisioningCode("83629174")
    self.code = code
    radio.air.addController("phone", ControllerConfiguration(features: .all))
    radio.air.setPreferredMTU(mtu, of: "phone")
    var options = ProvisionableDeviceOptions(code: code)
    options.protocols = [kind]
    let device = ProvisionableDevice(
      name: "PROV_Lamp", options: options, joiner: NoJoiner(),
      managerOptions: [CBManagerOptionControllerKey: radio.specification(of: "lamp")], scheduler: radio.air.scheduler)
    running = Task(executorPreference: radio.taskExecutor) { try await device.run() }
    app = Provisioner(
      options: ProvisionerOptions(), managerOptions: [CBManagerOptionControllerKey: radio.specification(of: "phone")],
      scheduler: radio.air.scheduler)
  }

  deinit { running.cancel() }

  /// Opens a session and makes a request; with `resumes` for the second time.
  func open(resumes: Bool = false) throws -> Opening {
    try waitFor("lamp  advertises", times: 1)
    let found = Box<FoundDevice>()
    let app = app
    let search = Task(executorPreference: radio.taskExecutor) {
      found.set(try await app.find { $0.name == "PROV_Lamp" })
    }
    try waitFor("phone  scans", times: 1)
    guard wait(for: found), let device = found.value else {
      search.cancel()
      throw OpeningBench.Failure.notFound
    }
    for number in 1...(resumes ? 2 : 1) { try request(device, number) }
    return try Opening(radio.exchange)
  }

  /// Waits for what a manager does first. It is made on a queue that the radio does not know before, which takes the system's time;
  /// one whose thread was held up meanwhile starts by a timer, which takes the radio's.
  private func waitFor(_ step: String, times: Int) throws {
    for _ in 0..<5_000 {
      radio.settle()
      if radio.exchange.count(where: { $0.hasSuffix(step) }) >= times { return }
      usleep(1000)
      radio.advance(by: .milliseconds(1))
    }
    throw OpeningBench.Failure.notAnswered("\(step): \(radio.describeExchange())")
  }

  private func request(_ device: FoundDevice, _ number: Int) throws {
    let session = app.session(with: device, code: code)
    let answered = Box<String>()
    // The request waits in the session, and goes as soon as that is open.
    Task(executorPreference: radio.taskExecutor) {
      do {
        answered.set("\(try await session.status())")
      } catch {
        answered.set("failed: \(error)")
      }
    }
    try waitFor("phone  connects", times: number)
    guard wait(for: answered), let text = answered.value, !text.hasPrefix("failed") else {
      throw OpeningBench.Failure.notAnswered(answered.value ?? radio.describeExchange())
    }
    let closed = Box<Bool>()
    Task(executorPreference: radio.taskExecutor) {
      await session.close()
      closed.set(true)
    }
    _ = wait(for: closed)
  }

  private func wait<Value: Sendable>(for box: Box<Value>) -> Bool {
    radio.advance(upTo: Self.patience) { box.value != nil }
  }
}

/// Joins nothing: the request that is measured asks how the network is.
private struct NoJoiner: NetworkJoiner {
  func scan() async throws(JoinFailure) -> [ScannedNetwork] { [] }
  func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork { throw .networkNotFound }
  func forget() async throws(JoinFailure) {}
}

private final class Box<Value: Sendable>: Sendable {
  private let content = Mutex<Value?>(nil)
  var value: Value? { content.withLock { $0 } }
  func set(_ value: Value) { content.withLock { $0 = value } }
}
