import CoreBluetooth
import Foundation
import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyProvisioning

/// One device that speaks everything, and everybody at once: an honest app of each protocol, centrals that write what comes to mind, links
/// that drop, a radio that resets, attempts to join that fail or hang, and an owner who presses the button. Nobody is locked out for good.
///
/// For soaks alone: an hour of the device's time, in `SOAK_SECONDS` of the system's (600 unless it is set).
@Suite(.timeLimit(.minutes(90))) struct EverybodyAtOnceTests {
  private static let soakSeconds = Int(ProcessInfo.processInfo.environment["SOAK_SECONDS"] ?? "") ?? 600
  private static let deviceTime = Duration.seconds(3600)

  @Test(
    "With hostile neighbors, lost links and joins that fail, every app is served, and again when all is calm",
    .enabled(if: isSoak))
  func everybody() async throws {
    // A deadline that a busy machine misses is one more failure to recover from.
    let speed = max(1, 3600 / max(1, Self.soakSeconds))
    let air = TestAir()
    let time = ScaledScheduler(speed: speed)
    let joiner = FickleJoiner(seed: 4)
    var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
    options.protocols = Set(ProvisioningProtocol.allCases)
    options.store = MemoryDeviceStore()
    options.joinLimit = .seconds(10)
    let device = RunningProvisionableDevice(
      ProvisionableDevice(
        name: "PROV_Lamp", options: options, joiner: joiner, managerOptions: air.options, scheduler: time))
    await device.isAdvertising()
    let apps = ProvisioningProtocol.allCases.map { kind in
      HonestApp(kind, air.options(on: "app-\(kind.rawValue)"), time, seed: 7)
    }
    let course = Course()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<2 {
        let central = ProbingCentral("PROV_Lamp", air.options(on: "neighbor-\(number)"))
        group.addTask {
          var neighbor = HostileNeighbor(central, seed: UInt64(number))
          while !course.isOver {
            await neighbor.annoy()
            await time.wait(.milliseconds(100 * number + 100))
          }
          await central.disconnect()
        }
      }
      group.addTask {
        var random = SeededNumbers(5)
        while !course.isOver {
          await time.wait(.milliseconds(Int64.random(in: 500...4000, using: &random) * Int64(speed)))
          switch UInt8.random(in: 0..<12, using: &random) {
          case 0: air.radio.raiseHardwareError(on: "peripheral")
          case 1...6:
            air.radio.dropLinks(of: "app-\(ProvisioningProtocol.allCases.randomElement(using: &random) ?? .secure)")
          case 7: air.radio.dropLinks(of: "neighbor-0")
          default: break
          }
        }
      }
      let begin = time.now
      await withTaskGroup(of: Void.self) { honest in
        for app in apps {
          honest.addTask {
            while time.now - begin < Self.deviceTime {
              await app.visit(button: device.device)
              if time.now - begin > Self.deviceTime / 6 { course.measure() }
            }
          }
        }
      }
      course.end()
    }
    for app in apps { #expect(app.served >= 1, "\(app.kind) was served \(app.served) times: \(app.lastFailure)") }
    print("served:", apps.map { "\($0.kind.rawValue) \($0.served) of \($0.visits)" }.joined(separator: ", "))
    let (first, greatest) = course.memory
    print("memory: \(first / 1024) MiB after ten minutes, \(greatest / 1024) MiB at most")
    #expect(greatest < first * 3 / 2 || greatest < first + 32 * 1024)
    // All is calm: each is served within a few visits, by the same device. The one of the secure protocol has it leave the network, so that
    // the next one finds it as new.
    joiner.calm()
    let before = apps.map(\.served)
    for _ in 0..<10 where zip(apps, before).contains(where: { $0.served == $1 }) {
      for (app, served) in zip(apps, before) where app.kind == .secure || app.served == served {
        await app.visit(button: device.device)
      }
    }
    for (app, served) in zip(apps, before) { #expect(app.served > served, "\(app.kind): \(app.lastFailure)") }
    #expect(await device.stop() == nil)
  }
}

/// What the parties share.
private final class Course: Sendable {
  private let state = Mutex<(isOver: Bool, first: Int, greatest: Int)>((false, 0, 0))

  var isOver: Bool { state.withLock { $0.isOver } }
  /// KiB, when it was measured first and at most.
  var memory: (first: Int, greatest: Int) { state.withLock { ($0.first, $0.greatest) } }

  func end() { state.withLock { $0.isOver = true } }

  func measure() {
    let size = residentKiB()
    state.withLock { state in
      if state.first == 0 { state.first = size }
      state.greatest = max(state.greatest, size)
    }
  }
}

/// KiB of memory that this process holds.
private func residentKiB() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
  return Int(line.split(separator: " ").dropLast().last ?? "") ?? 0
}

/// An app that wants to bring the device into its network, and tries again.
private final class HonestApp: Sendable {
  let kind: ProvisioningProtocol
  private let provisioner: Provisioner
  private let time: ScaledScheduler
  private let state: Mutex<(random: SeededNumbers, served: Int, visits: Int, failure: String, found: FoundDevice?)>

  init(_ kind: ProvisioningProtocol, _ managerOptions: [String: any Sendable], _ time: ScaledScheduler, seed: UInt64) {
    self.kind = kind
    self.time = time
    var options = ProvisionerOptions()
    options.accepts = [kind]
    options.searchTimeout = .seconds(20)
    options.openTimeout = .seconds(20)
    options.requestTimeout = .seconds(60)
    provisioner = Provisioner(options: options, managerOptions: managerOptions, scheduler: time)
    state = Mutex((SeededNumbers(seed), 0, 0, "none", nil))
  }

  var served: Int { state.withLock { $0.served } }
  var visits: Int { state.withLock { $0.visits } }
  var lastFailure: String { state.withLock { $0.failure } }

  private func isChosen(oneIn count: UInt8) -> Bool {
    state.withLock { UInt8.random(in: 0..<count, using: &$0.random) == 0 }
  }

  /// One try, from the connection to the network. Who is refused presses the button, and comes back after a while.
  func visit(button: ProvisionableDevice) async {
    state.withLock { $0.visits += 1 }
    do throws(ProvisioningFailure) {
      let session = provisioner.session(with: try await find(), code: try code())
      do throws(ProvisioningFailure) {
        try await provision(session)
        state.withLock { $0.served += 1 }
      } catch {
        state.withLock { $0.failure = "\(error)" }
        switch error {
        case .notAuthorized, .locked, .refused: button.press()
        default: break
        }
      }
      await session.close()
      await time.wait(.milliseconds(state.withLock { Int64.random(in: 100...2000, using: &$0.random) }))
    } catch {
      state.withLock { $0.failure = "\(error)" }
    }
  }

  private func find() async throws(ProvisioningFailure) -> FoundDevice {
    if let found = state.withLock({ $0.found }) { return found }
    var found = try await provisioner.find { $0.name == "PROV_Lamp" }
    // What the device offers takes turns on the air: the app has seen it before.
    found.espressifServices = ProvisioningServices.espressif
    state.withLock { [found] in $0.found = found }
    return found
  }

  /// The code; an app of the secure protocol comes without it at times, by what it kept.
  private func code() throws(ProvisioningFailure) -> ProvisioningCode? {
    if kind == .secure, served > 0, isChosen(oneIn: 2) { return nil }
    return try? ProvisioningCode("83629174")
  }

  private func provision(_ session: ProvisioningSession) async throws(ProvisioningFailure) {
    try await session.opened()
    if kind != .legacy, isChosen(oneIn: 2) { _ = try await session.networks() }
    // Somebody mistypes, and the device may fail by itself: up to three attempts in the session.
    for attempt in 0..<3 {
      let isRight = attempt > 0 || !isChosen(oneIn: 3)
      let passphrase = isRight ? ScriptedJoiner.passphrase : [1]
      guard let credentials = try? NetworkCredentials(ssid: ScriptedJoiner.home, passphrase: passphrase) else { return }
      do throws(ProvisioningFailure) {
        try await session.provision(credentials)
        break
      } catch {
        guard case .joinFailed = error, attempt < 2 else { throw error }
      }
    }
    // The others are for devices without a network.
    if kind == .secure { try await session.forget() }
  }
}

/// A central that connects to say what nobody should.
private struct HostileNeighbor {
  private let central: ProbingCentral
  private var random: SeededNumbers

  init(_ central: ProbingCentral, seed: UInt64) {
    self.central = central
    random = SeededNumbers(seed)
  }

  mutating func annoy() async {
    guard case .done = await central.connect() else { return await central.disconnect() }
    let known = central.known
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      guard let uuid = known.randomElement(using: &random) else { break }
      switch UInt8.random(in: 0..<8, using: &random) {
      case 0: _ = await central.subscribe(uuid)
      case 1: _ = await central.read(uuid)
      case 2: central.throwAway(bytes(), to: uuid)
      case 3 where UInt8.random(in: 0..<10, using: &random) == 0:
        // It holds the place of a handshake, for as long as it stays.
        _ = await central.subscribe(SecureService.receive)
        _ = await central.write(hello, to: SecureService.transmit)
      case 4: _ = await central.write(ImprovFrame(.join, data: [1, 65, 0]).encoded, to: ImprovService.command)
      default: _ = await central.write(bytes(), to: uuid)
      }
    }
    if Bool.random(using: &random) { await central.disconnect() }
  }

  /// Bytes that begin as messages do, at times.
  private mutating func bytes() -> [UInt8] {
    let start: [UInt8] =
      [[], [0xC0, 0], [0x10, 0, 0x30], [0x52], [0x10, 2, 0x62], [1, 30]].randomElement(using: &random) ?? []
    let count = Int.random(in: 0...(Bool.random(using: &random) ? 500 : 20), using: &random)
    return start + (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  private var hello: [UInt8] {
    [0xC0, 0, 52, 0x30, 0, 49, 2] + [UInt8](repeating: 3, count: 16) + [9] + [UInt8](repeating: 0, count: 31)
  }
}

/// A joiner whose network is not always there.
private final class FickleJoiner: NetworkJoiner {
  private let state: Mutex<(random: SeededNumbers, isCalm: Bool)>
  private let steady = ScriptedJoiner()
  private let hanging = ScriptedJoiner(hangs: true)

  init(seed: UInt64) { state = Mutex((SeededNumbers(seed), false)) }

  /// From now on nothing fails by itself.
  func calm() { state.withLock { $0.isCalm = true } }

  func scan() async throws(JoinFailure) -> [ScannedNetwork] {
    if roll() == 0 { throw .radioUnavailable }
    return try await steady.scan()
  }

  func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork {
    switch roll() {
    case 0: throw .noAddress
    case 1: throw .networkNotFound
    case 2: return try await hanging.join(credentials)
    default: return try await steady.join(credentials)
    }
  }

  func forget() async throws(JoinFailure) {
    if roll() == 0 { throw .notPermitted }
    try await steady.forget()
  }

  private func roll() -> UInt8 {
    state.withLock { $0.isCalm ? 9 : UInt8.random(in: 0..<10, using: &$0.random) }
  }
}
