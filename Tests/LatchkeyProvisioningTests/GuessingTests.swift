import CoreBluetooth
import Foundation
import LatchkeyProvisioningProtocol
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProvisioning

/// Guessers on links of their own, all at once, over a virtual radio with our host at both ends. They try every protocol that the device
/// speaks, hang up in the middle, and the device restarts from its stored state. What they may get is what the budget says: ten answers
/// that a code could be tested against, between two acts at the device.
@Suite(.timeLimit(.minutes(60))) struct GuessingTests {
  /// A sample, or all of it in a soak.
  private static let guesses = isSoak ? 10_000 : 160
  private static let guessers = 4
  /// After so many guesses the device restarts.
  private static let restartInterval = 40

  @Test("Guesses at the secure protocol and at Security 2 beside it never get more answers than the budget")
  func besideSecure() async throws {
    var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
    options.protocols = Set(ProvisioningProtocol.allCases)
    try await guess(options, [.secure, .security2, .improv, .legacy])
  }

  @Test("Guesses at Security 1 and 2 of one device never get more answers than the budget")
  func withoutSecure() async throws {
    var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
    options.protocols = [.espressif, .improv, .legacy]
    options.allowsEspressifSecurity1 = true
    options.needsPress = true
    // Nothing is open without it: long enough for all that the budget allows.
    options.pressWindow = .seconds(3600)
    try await guess(options, [.security1, .security2, .improv, .legacy])
  }

  private func guess(_ base: ProvisionableDeviceOptions, _ kinds: [Guesser.Kind]) async throws {
    let air = TestAir()
    let store = MemoryDeviceStore()
    let joiner = ScriptedJoiner()
    let time = ManualScheduler()
    var options = base
    options.store = store
    options.pairingWindow = nil
    var random = SeededNumbers(17)
    let guessers = (0..<Self.guessers).map { Guesser(ProbingCentral("PROV_Lamp", air.options(on: "guesser-\($0)"))) }
    // Somebody acts at the device some times: then, and only then, the budget begins anew, and what asks for no code is open.
    let acts = (2...7).map { Self.guesses * $0 / 8 }
    var presses = acts[...]
    var pressedAt: Duration?
    var (done, answers, sinceAct) = (0, 0, 0)
    // What was open without an act at the device.
    var letIn: [String] = []
    while done < Self.guesses {
      let device = RunningProvisionableDevice(
        ProvisionableDevice(
          name: "PROV_Lamp", options: options, joiner: joiner, managerOptions: air.options, scheduler: time))
      await device.isAdvertising()
      pressedAt = nil
      let end = min(done + Self.restartInterval, Self.guesses)
      while done < end {
        if let next = presses.first, done >= next {
          presses.removeFirst()
          device.device.press()
          await device.event { if case .pressed = $0 { true } else { false } }
          (pressedAt, sinceAct) = (time.now, 0)
        }
        let isPressed = pressedAt.map { time.now < $0 + base.pressWindow } ?? false
        let joins = joiner.requests.count
        let results = await withTaskGroup(of: (Guesser.Kind, Guesser.Result).self) { group in
          for guesser in guessers {
            let kind = kinds[Int.random(in: kinds.indices, using: &random)]
            let manner = Guesser.Manner.allCases.randomElement(using: &random) ?? .reads
            group.addTask { (kind, await guesser.guess(kind, manner)) }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        if !isPressed, results.contains(where: { $0.1 == .letIn }) || joiner.requests.count != joins {
          letIn.append("\(done): \(results) \(joiner.requests.count - joins)")
        }
        let new = results.count { $0.1 == .answered }
        (answers, sinceAct, done) = (answers + new, sinceAct + new, done + guessers.count)
        #expect(sinceAct <= AttemptBudget.limit)
        #expect(sinceAct <= store.stored?.failedAttempts ?? 0, "an answer was sent before its try was stored")
        time.advance(to: time.now + .milliseconds(Int64.random(in: 0...70_000, using: &random)))
      }
      for guesser in guessers { await guesser.central.disconnect() }
      #expect(await device.stop() == nil)
    }
    #expect(letIn == [])
    #expect(presses.isEmpty)
    #expect(answers <= AttemptBudget.limit * (acts.count + 1))
    #expect(answers >= AttemptBudget.limit, "the guessers have got what they may have")
  }
}

/// One who tries codes that are wrong.
private struct Guesser {
  enum Kind { case secure, security1, security2, improv, legacy }

  /// What the guesser does with an answer.
  enum Manner: CaseIterable {
    /// It hangs up before it can come.
    case hangsUp
    /// It reads it, and hangs up.
    case reads
    /// It reads it and gives a proof that is wrong.
    case proves
    /// It reads it and stays.
    case stays
  }

  enum Result: Hashable {
    /// The device has sent something to test a guess against.
    case answered
    /// The device has let it in without a code.
    case letIn
    case refused
  }

  let central: ProbingCentral

  init(_ central: ProbingCentral) { self.central = central }

  func guess(_ kind: Kind, _ manner: Manner) async -> Result {
    guard case .done = await central.connect() else {
      await central.disconnect()
      return .refused
    }
    let result =
      switch kind {
      case .secure: await secure(manner)
      case .security1: await espressif(.x25519Command0(clientKey: [9] + [UInt8](repeating: 0, count: 31)), manner)
      case .security2:
        await espressif(
          .srpCommand0(username: Array("wifiprov".utf8), clientKey: [UInt8](repeating: 2, count: 384)), manner)
      case .improv: await improv()
      case .legacy: await legacy()
      }
    if manner != .stays || kind == .legacy { await central.disconnect() }
    return result
  }

  private func secure(_ manner: Manner) async -> Result {
    central.forgetNotifications()
    guard case .done = await central.subscribe(SecureService.receive) else { return .refused }
    // Suite 02: the point is of no code, as a guesser's that wants the tag.
    let hello = [0x30, 0, 49, 2] + [UInt8](repeating: 3, count: 16) + [9] + [UInt8](repeating: 0, count: 31)
    guard case .done = await send(hello), manner != .hangsUp else { return .refused }
    guard case .done(let value) = await central.notification(of: SecureService.receive), value.count > 3,
      value[3] == 0x31
    else { return .refused }
    if manner == .proves {
      _ = await send([0x32, 0, 48] + [UInt8](repeating: 7, count: 48))
      _ = await central.notification(of: SecureService.receive)
    }
    return .answered
  }

  /// A message of the secure protocol as one fragment.
  private func send(_ message: [UInt8]) async -> ProbingCentral.Outcome {
    await central.write([0xC0, 0, UInt8(message.count)] + message, to: SecureService.transmit)
  }

  private func espressif(_ command: SessionMessage, _ manner: Manner) async -> Result {
    guard let uuid = central.known.first(where: { $0.dropFirst(4).hasPrefix("FF51") && $0.count == 36 }) else {
      return .refused
    }
    guard case .done = await central.write(command.encoded, to: uuid), manner != .hangsUp else { return .refused }
    guard case .done(let value) = await central.read(uuid), !value.isEmpty else { return .refused }
    if manner == .proves {
      let proof: SessionMessage =
        if case .srpCommand0 = command {
          .srpCommand1(proof: [UInt8](repeating: 5, count: 64))
        } else {
          .x25519Command1(verify: [UInt8](repeating: 5, count: 32))
        }
      if case .done = await central.write(proof.encoded, to: uuid) { return .letIn }
    }
    return .answered
  }

  private func improv() async -> Result {
    let network = Array("Nowhere".utf8)
    let frame = ImprovFrame(.join, data: [UInt8(network.count)] + network + [0])
    guard case .done = await central.write(frame.encoded, to: ImprovService.command) else { return .refused }
    var result = Result.refused
    // An attempt to join has ended before the next round begins.
    while case .done(let state) = await central.read(ImprovService.state), state != [1] {
      result = .letIn
      if state != [ImprovState.provisioning.rawValue] { break }
    }
    return result
  }

  private func legacy() async -> Result {
    var numbers = SystemRandomNumberGenerator()
    guard let key = try? Secp192k1.PrivateKey(using: &numbers) else { return .refused }
    let frame = LegacySession(role: .app, privateKey: key).keyFrame.encoded
    guard case .done = await central.write(frame, to: LegacyCharacteristic.encryptedRequest.rawValue) else {
      return .refused
    }
    return .letIn
  }
}
