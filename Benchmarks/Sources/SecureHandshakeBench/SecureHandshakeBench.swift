import CBenchCrypto
import LatchkeyProvisioningProtocol

/// `secure-handshake-bench [--seconds S] [--rounds N]`: whole handshakes of the secure protocol, with the first request and its response, in
/// one process; the CPU time of the device's machine and of the app's are measured apart, and printed for each suite.
///
/// The values are 244 bytes long, as with an ATT_MTU of 247. The device resumes nobody, so that its tickets cost nothing.
@main struct SecureHandshakeBench {
  static func main() throws {
    var (rounds, seconds) = (5, 5.0)
    var arguments = CommandLine.arguments.dropFirst()
    while let name = arguments.popFirst() {
      guard let value = arguments.popFirst().flatMap(Double.init), value > 0 else { throw Failure.usage }
      switch name {
      case "--seconds": seconds = value
      case "--rounds": rounds = Int(value)
      default: throw Failure.usage
      }
    }
    for suite in SecureSuite.allCases {
      var medians: [Double] = []
      for round in 1...rounds {
        var measurement = Measurement()
        let end = bench_cpu_nanoseconds() + UInt64(seconds * 1e9)
        repeat { try measurement.handshake(suite) } while bench_cpu_nanoseconds() < end
        let device = measurement.microseconds(measurement.device)
        medians.append(device)
        print(
          "  suite 0\(suite.rawValue) round \(round): device \(text(device)) us, app",
          "\(text(measurement.microseconds(measurement.app))) us, \(measurement.count) handshakes")
      }
      print("  suite 0\(suite.rawValue): median of the device \(text(medians.sorted()[rounds / 2])) us")
    }
  }

  private static func text(_ microseconds: Double) -> String { "\((microseconds * 10).rounded() / 10)" }
}

enum Failure: Error {
  case usage
  case noSession
}

/// The CPU time of both sides.
struct Measurement {
  var device: UInt64 = 0
  var app: UInt64 = 0
  var count = 0

  func microseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1000 / Double(count) }

  private static let link = ProvisioningLink(id: 1)
  private static let randomness = SecureRandomness(bytes: { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  })

  /// One connection: handshake, first request, response.
  mutating func handshake(_ suite: SecureSuite) throws {
    let code = try SecureCode(pin: "31415926")
    var configuration = SecureDeviceConfiguration(
      code: code, capabilities: [], information: DeviceInformation(firmware: "", version: "", hardware: "", name: ""),
      hostname: "bench")
    configuration.suites = [suite]
    configuration.resumes = false
    var machine = try SecureDeviceMachine(configuration, storedState: nil, randomness: Self.randomness)
    var context = DeviceContext(now: .zero, notificationLimits: [Self.link: 244])
    var peer = SecureAppMachine(.init(code: code), randomness: Self.randomness)
    let appContext = AppContext(now: .zero, writeLimit: 244)
    peer.begin(SecureService.definition, context: appContext)
    var isAnswered = false
    while !isAnswered {
      var hasActed = false
      for action in timed(\.app, { peer.dequeueActions() }) {
        hasActed = true
        switch action {
        case .read(let uuid):
          let value = try machine.read(uuid, from: Self.link, context: &context)
          timed(\.app) { peer.handle(.read(uuid, value), context: appContext) }
        case .subscribe(let uuid):
          machine.subscribed(true, to: uuid, from: Self.link, context: &context)
          timed(\.app) { peer.handle(.subscribed(uuid), context: appContext) }
        case .write(let uuid, let value, _):
          timed(\.device) { machine.write(value, to: uuid, from: Self.link, context: &context) }
        case .report(.opened): timed(\.app) { peer.perform(.status, context: appContext) }
        case .report(.network): isAnswered = true
        case .report: throw Failure.noSession
        }
      }
      for action in timed(\.device, { machine.dequeueActions() }) {
        hasActed = true
        guard case .notify(_, let uuid, let value) = action else { continue }
        timed(\.app) { peer.handle(.notified(uuid, value), context: appContext) }
      }
      guard hasActed else { throw Failure.noSession }
    }
    count += 1
  }

  private mutating func timed<Answer>(_ side: WritableKeyPath<Measurement, UInt64>, _ body: () -> Answer) -> Answer {
    let start = bench_cpu_nanoseconds()
    defer { self[keyPath: side] += bench_cpu_nanoseconds() - start }
    return body()
  }
}
