import CoreBluetooth
import Foundation
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyProvisioning

/// The app's machine as transcripts: events and the expected actions.
@Suite struct LegacyProvisioningMachineTests {
  private static let lamp = UUID()
  private static let characteristics: [LegacyCharacteristic: CBCharacteristicProperties] = [
    .encryptedRequest: [.write], .encryptedAnswer: [.read, .notify], .plainRequest: [.write], .plainAnswer: [.notify],
  ]

  private func machine(_ change: (inout LegacyProvisioningOptions) -> Void = { _ in }) throws
    -> LegacyProvisioningMachine
  {
    var options = LegacyProvisioningOptions()
    change(&options)
    var random = SystemRandomNumberGenerator()
    return LegacyProvisioningMachine(
      target: .name("Lamp"), payload: "payload", options: options, privateKey: try Secp192k1.PrivateKey(using: &random),
      now: .zero)
  }

  private func device() throws -> LegacySession {
    var random = SystemRandomNumberGenerator()
    return LegacySession(role: .device, privateKey: try Secp192k1.PrivateKey(using: &random))
  }

  /// The inputs up to the subscription, which have this order in every exchange.
  private static let opening: [LegacyProvisioningMachine.Input] = [
    .state(.poweredOn), .found(lamp, name: "Lamp"), .connected, .services([.encrypted]),
    .characteristics(characteristics),
    .subscribed,
  ]

  /// Feeds the first inputs of the opening.
  private func open(_ machine: inout LegacyProvisioningMachine, inputs count: Int, now: Duration = .zero) {
    for input in Self.opening.prefix(count) { _ = machine.handle(input, now: now) }
  }

  private func sent(_ actions: [LegacyProvisioningMachine.Action]) -> [UInt8]? {
    for case .send(let bytes, _) in actions { return bytes }
    return nil
  }

  /// Agrees on a key and has the payload sent.
  private func exchange(
    _ machine: inout LegacyProvisioningMachine, _ device: inout LegacySession, now: Duration = .zero
  ) throws {
    open(&machine, inputs: 5, now: now)
    let key = try #require(sent(machine.handle(.subscribed, now: now)))
    var answers: [[UInt8]] = []
    for case .send(let frame) in device.receive(key, now: now) { answers.append(frame.encoded) }
    #expect(
      sent(machine.handle(.value(answers.flatMap(\.self), limit: 20), now: now)) == nil, "the key is on its way yet")
    let payload = try #require(sent(machine.handle(.sent(values: 1), now: now)))
    let outputs = device.receive(payload, now: now)
    guard case .received(let message)? = outputs.last else {
      Issue.record("the device got \(outputs)")
      return
    }
    #expect(message.text == "payload")
  }

  @Test("Each event of the opening has its actions") func openingHasItsActions() throws {
    var machine = try machine()
    #expect(machine.handle(.state(.unknown), now: .zero) == [])
    #expect(machine.handle(.state(.poweredOn), now: .zero) == [.report(.searching), .scan])
    #expect(machine.handle(.found(UUID(), name: "Kettle"), now: .zero) == [])
    #expect(machine.handle(.found(UUID(), name: nil), now: .zero) == [])
    #expect(
      machine.handle(.found(Self.lamp, name: "Lamp"), now: .zero) == [
        .stopScan, .report(.found(name: "Lamp", Self.lamp)), .connect(Self.lamp),
      ])
    #expect(machine.handle(.found(UUID(), name: "Lamp"), now: .zero) == [], "the first one counts")
    #expect(machine.handle(.connected, now: .zero) == [.report(.connected), .discoverServices([.encrypted])])
    #expect(machine.handle(.services([.encrypted, .plain]), now: .zero) == [.discoverCharacteristics(.encrypted)])
    #expect(
      machine.handle(.characteristics(Self.characteristics), now: .zero) == [
        .report(.discovered(.encrypted)), .subscribe,
      ])
  }

  @Test("F100 is used only if the options allow it and F200 is missing") func plainIsUsedOnlyWithConsentAndWithoutF200()
    throws
  {
    var refusing = try machine()
    open(&refusing, inputs: 3)
    #expect(
      refusing.handle(.services([.plain]), now: .zero) == [.report(.disconnecting), .cancelConnection(Self.lamp)])
    #expect(refusing.handle(.disconnected, now: .zero) == [.finish(.failure(.serviceMissing(.encrypted)))])

    var consenting = try machine { $0.allowsPlainService = true }
    open(&consenting, inputs: 2)
    #expect(
      consenting.handle(.connected, now: .zero) == [.report(.connected), .discoverServices([.encrypted, .plain])])
    #expect(consenting.handle(.services([.plain]), now: .zero) == [.discoverCharacteristics(.plain)])
    _ = consenting.handle(.characteristics(Self.characteristics), now: .zero)
    #expect(
      consenting.handle(.subscribed, now: .zero) == [
        .report(.subscribed), .send(Array("payload".utf8), uncut: true),
      ])

    var preferring = try machine { $0.allowsPlainService = true }
    open(&preferring, inputs: 3)
    #expect(preferring.handle(.services([.plain, .encrypted]), now: .zero) == [.discoverCharacteristics(.encrypted)])
  }

  @Test("Each phase has its deadline and its error") func eachPhaseHasItsDeadline() throws {
    let cases: [(inputs: Int, deadline: Duration, error: LegacyProvisioningError)] = [
      (0, .seconds(30), .timedOut(during: .startingRadio)), (1, .seconds(30), .notFound),
      (2, .seconds(15), .timedOut(during: .connecting)), (3, .seconds(60), .timedOut(during: .discovering)),
      (4, .seconds(60), .timedOut(during: .discovering)), (5, .seconds(60), .timedOut(during: .subscribing)),
      (6, .seconds(60), .timedOut(during: .agreeingOnKey)),
    ]
    for (inputs, deadline, error) in cases {
      var machine = try machine()
      open(&machine, inputs: inputs)
      #expect(machine.nextDeadline == deadline)
      #expect(machine.handleTimeout(now: deadline - .nanoseconds(1)) == [])
      var actions = machine.handleTimeout(now: deadline)
      if inputs >= 2 { actions += machine.handle(.disconnected, now: deadline) }
      #expect(actions.last == .finish(.failure(error)))
      #expect(machine.nextDeadline == nil)
      #expect(machine.handle(.state(.poweredOff), now: deadline) == [], "no actions follow the end")
    }
  }

  @Test("The result does not wait for a link that does not end") func aLinkThatDoesNotGoDownDoesNotHoldTheResultBack()
    throws
  {
    var machine = try machine()
    open(&machine, inputs: 6)
    #expect(
      machine.handle(.cancelled, now: .seconds(1)) == [.report(.disconnecting), .cancelConnection(Self.lamp)])
    #expect(machine.nextDeadline == .seconds(3))
    #expect(machine.handle(.cancelled, now: .seconds(2)) == [])
    #expect(machine.handleTimeout(now: .seconds(3)) == [.finish(.failure(.cancelled))])
  }

  @Test("A lost link is reported with the step in progress") func lostLinkIsReportedWithItsStep() throws {
    let steps: [(inputs: Int, step: LegacyProvisioningError.Step)] = [
      (2, .connecting), (3, .discovering), (4, .discovering), (5, .subscribing), (6, .agreeingOnKey),
    ]
    for (inputs, step) in steps {
      var machine = try machine()
      open(&machine, inputs: inputs)
      #expect(machine.handle(.disconnected, now: .zero) == [.finish(.failure(.disconnected(during: step)))])
    }
    var machine = try machine()
    var device = try device()
    try exchange(&machine, &device)
    #expect(
      machine.handle(.disconnected, now: .zero) == [.finish(.failure(.disconnected(during: .sendingPayload)))])
  }

  @Test("A lost radio ends the attempt in every phase, with its cause") func lostRadioEndsEveryPhase() throws {
    for inputs in 0...6 {
      var machine = try machine()
      open(&machine, inputs: inputs)
      #expect(
        machine.handle(.state(.poweredOff, cause: "unplugged"), now: .zero)
          == [.finish(.failure(.radioUnavailable("powered off", cause: "unplugged")))])
    }
  }

  @Test("After an accepted code the app waits for a status, for a limited time") func statusMayFollowTheCode() throws {
    for end in ["timeout", "link lost", "status"] {
      var machine = try machine()
      var device = try device()
      try exchange(&machine, &device)
      _ = machine.handle(.sent(values: 1), now: .seconds(1))
      let code = try device.frame("{\"code\":0}").encoded
      #expect(
        machine.handle(.value(code, limit: 20), now: .seconds(1)).last == .report(.answered(.code(.accepted))))
      #expect(machine.nextDeadline == .seconds(4))
      var actions: [LegacyProvisioningMachine.Action]
      switch end {
      case "timeout": actions = machine.handleTimeout(now: .seconds(4))
      case "link lost": actions = []
      default:
        actions = machine.handle(
          .value(try device.frame("{\"status\":\"failed\"}").encoded, limit: 20), now: .seconds(2))
      }
      actions += machine.handle(.disconnected, now: .seconds(4))
      guard case .finish(.success(let result))? = actions.last else {
        Issue.record("ended with \(actions)")
        continue
      }
      #expect(result.unauthenticatedOutcome == (end == "status" ? .couldNotJoin : .accepted))
    }
  }

  @Test("An answer that precedes the response to the write ends the exchange after it")
  func anAnswerBeforeTheWriteIsAnsweredWaitsForIt() throws {
    var machine = try machine()
    var device = try device()
    try exchange(&machine, &device)
    let early = machine.handle(.value(try device.frame("{\"code\":1}").encoded, limit: 20), now: .zero)
    #expect(early.last == .report(.answered(.code(.refused))))
    let actions = machine.handle(.sent(values: 3), now: .zero)
    #expect(actions.suffix(2) == [.report(.disconnecting), .cancelConnection(Self.lamp)])
  }

  @Test("Answers are read again until a new one arrives") func answersAreReadUntilSomethingNewCame() throws {
    var machine = try machine()
    open(&machine, inputs: 4)
    var readable = Self.characteristics
    readable[.encryptedAnswer] = [.read]
    let key = try #require(sent(machine.handle(.characteristics(readable), now: .zero)))
    #expect(machine.handle(.sent(values: 1), now: .zero).last == .read)
    #expect(machine.handle(.value([], limit: 20), now: .zero) == [])
    #expect(machine.nextDeadline == .milliseconds(100))
    #expect(machine.handleTimeout(now: .milliseconds(100)) == [.read])
    var device = try device()
    var frames: [[UInt8]] = []
    for case .send(let frame) in device.receive(key, now: .zero) { frames.append(frame.encoded) }
    let frame = try #require(frames.first)
    #expect(sent(machine.handle(.value(frame, limit: 20), now: .milliseconds(100))) != nil)
    // The same value again is the same frame, not a second one.
    #expect(machine.handle(.value(frame, limit: 20), now: .milliseconds(200)) == [])
  }

  @Test("A device may send its key before the subscription is confirmed")
  func deviceMaySendBeforeTheSubscriptionIsConfirmed() throws {
    var machine = try machine()
    var device = try device()
    open(&machine, inputs: 5)
    let early = machine.handle(.value(device.offerKey().encoded, limit: 100), now: .zero)
    #expect(early.last == .report(.unauthenticatedKeyAgreed))
    #expect(sent(early) == nil, "nothing is sent before the answers can be heard")
    let key = try #require(sent(machine.handle(.subscribed, now: .zero)))
    #expect(device.receive(key, now: .zero).last == .unauthenticatedKeyAgreed)
    #expect(sent(machine.handle(.sent(values: 1), now: .zero)) != nil)
  }
}
