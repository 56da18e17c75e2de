import CBenchCrypto
import LatchkeyProvisioningProtocol

/// `secure-handshake-bench [--seconds S] [--rounds N]`: whole handshakes with the first request and its response, in one process, of
/// the secure protocol by both suites and of Espressif's Security 2 in turn; the CPU time of the device's machine and of the app's
/// are measured apart.
///
/// A device's side is all that its machine does from the connection's first message to the response: the arithmetic, hashes and
/// ciphers, the codecs, the count of tries. What is made once for a code, a verifier or a password of CPace, is not measured; radio
/// and disk are not there. The values are 244 bytes long, as with an ATT_MTU of 247; the device resumes nobody, so that its tickets
/// cost nothing.
@main struct SecureHandshakeBench {
  private enum Kind: CaseIterable {
    case hybrid, classical, espressif

    var name: String {
      switch self {
      case .hybrid: "suite 01"
      case .classical: "suite 02"
      case .espressif: "Espressif Security 2"
      }
    }
  }

  static func main() throws {
    var (rounds, seconds) = (5, 5.0)
    var arguments = CommandLine.arguments.dropFirst()
    while let name = arguments.popFirst() {
      guard let value = arguments.popFirst().flatMap(Double.init), value > 0 else { throw Failure.usage }
      switch name {
      case "--seconds": seconds = value
      case "--rounds": rounds = max(1, Int(value))
      default: throw Failure.usage
      }
    }
    let espressif = try Measurement.espressifConfiguration()
    var devices: [Kind: [Double]] = [:]
    for round in 1...rounds {
      for kind in Kind.allCases {
        var measurement = Measurement()
        let end = bench_cpu_nanoseconds() + UInt64(seconds * 1e9)
        repeat {
          switch kind {
          case .hybrid: try measurement.handshake(.hybrid)
          case .classical: try measurement.handshake(.classical)
          case .espressif: try measurement.handshake(espressif)
          }
        } while bench_cpu_nanoseconds() < end
        let device = measurement.microseconds(measurement.device)
        devices[kind, default: []].append(device)
        print(
          "  round \(round), \(kind.name): device \(text(device)) us, app",
          "\(text(measurement.microseconds(measurement.app))) us, \(measurement.count) handshakes")
      }
    }
    let medians = devices.mapValues(median)
    for kind in Kind.allCases {
      let microseconds = medians[kind] ?? 0
      print(
        "  \(kind.name): median of the device \(text(microseconds)) us, \(Int(1e6 / microseconds)) handshakes a second on a core"
      )
    }
    for kind in [Kind.hybrid, .classical] {
      let ratios = zip(devices[kind] ?? [], devices[.espressif] ?? []).map { $0 / $1 }
      print(
        "  \(kind.name) against Espressif Security 2: median of ratios \((median(ratios) * 1000).rounded() / 1000) x (goal: <= 0.2 x)"
      )
    }
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

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

  static let link = ProvisioningLink(id: 1)
  static let randomness = SecureRandomness(bytes: { count in
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
          let value = timed(\.device) { try? machine.read(uuid, from: Self.link, context: &context) }
          guard let value else { throw Failure.noSession }
          timed(\.app) { peer.handle(.read(uuid, value), context: appContext) }
        case .subscribe(let uuid):
          timed(\.device) { machine.subscribed(true, to: uuid, from: Self.link, context: &context) }
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

  mutating func timed<Answer>(_ side: WritableKeyPath<Measurement, UInt64>, _ body: () -> Answer) -> Answer {
    let start = bench_cpu_nanoseconds()
    defer { self[keyPath: side] += bench_cpu_nanoseconds() - start }
    return body()
  }
}
