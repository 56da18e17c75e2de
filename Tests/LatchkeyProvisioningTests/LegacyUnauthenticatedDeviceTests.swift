import CoreBluetooth
import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyProvisioning

/// A real device, and centrals that violate the protocol.
@Suite(.timeLimit(.minutes(5))) struct LegacyUnauthenticatedDeviceTests {
  private let air = TestAir(mtu: 247)
  private let time = ManualScheduler()
  private let lamp: RunningDevice

  init() {
    lamp = RunningDevice(
      LegacyUnauthenticatedDevice(
        name: "Lamp", options: LegacyDeviceOptions(), managerOptions: air.options, scheduler: time,
        generator: { SystemRandomNumberGenerator() }
      ) { _ in [.code(.accepted), .status(.connected)] })
  }

  /// An app's session, whose frames a raw central writes.
  private func session() throws -> LegacySession {
    var random = SystemRandomNumberGenerator()
    return LegacySession(role: .app, privateKey: try Secp192k1.PrivateKey(using: &random))
  }

  private func provision() async throws -> LegacyUnauthenticatedResult {
    try await LegacyUnauthenticatedProvisioner(managerOptions: air.options)
      .provision(.name("Lamp"), with: try LegacyWiFiCredentials(ssid: "Home", password: "secret"))
  }

  /// Agrees on a key, as an app does.
  private func agree(_ central: RawCentral, _ session: inout LegacySession) async {
    #expect(await central.write(session.keyFrame.encoded) == .success)
    for await value in central.values where !session.receive(value, now: .zero).isEmpty { break }
    let isEstablished = session.isEstablished
    #expect(isEstablished)
  }

  struct Violation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: Int
    let afterKey: Bool
    let bytes: [UInt8]

    init(_ name: String, _ code: Int, afterKey: Bool = false, _ bytes: [UInt8]) {
      testDescription = name
      self.code = code
      self.afterKey = afterKey
      self.bytes = bytes
    }
  }

  static let violations = [
    Violation("an unknown type", 0x80, [0x7E, 0, 16] + Array(repeating: 0, count: 16)),
    Violation("a key with its 04", 0x80, [0x10, 0, 49, 4] + Array(repeating: 1, count: 48)),
    Violation("an x coordinate alone", 0x80, [0x10, 0, 24] + Array(repeating: 1, count: 24)),
    Violation("a key frame of no bytes", 0x80, [0x10, 0, 0]),
    Violation("a frame longer than is accepted", 0x80, [0x20, 0xFF, 0xF0]),
    Violation("a key in hexadecimal digits", 0x80, Array("100030".utf8) + Array(repeating: 0x61, count: 96)),
    Violation("data before the keys", 0x81, [0x20, 0, 16] + Array(repeating: 0, count: 16)),
    Violation("the device's own type of key", 0x81, [0x11, 0, 48] + Array(repeating: 1, count: 48)),
    Violation("a key of no curve", 0x82, [0x10, 0, 48] + Array(repeating: 1, count: 48)),
    Violation("the key (0, 1)", 0x82, [0x10, 0, 48] + Array(repeating: 0, count: 47) + [1]),
    Violation("a key at infinity", 0x82, [0x10, 0, 48] + Array(repeating: 0, count: 48)),
    Violation("coordinates above the prime", 0x82, [0x10, 0, 48] + Array(repeating: 0xFF, count: 48)),
    Violation("an empty ciphertext", 0x80, afterKey: true, [0x20, 0, 0]),
    Violation("a ragged ciphertext", 0x80, afterKey: true, [0x20, 0, 17] + Array(repeating: 0, count: 17)),
    Violation("the device's own type of data", 0x81, afterKey: true, [0x21, 0, 16] + Array(repeating: 0, count: 16)),
    Violation("noise for a ciphertext", 0x83, afterKey: true, [0x20, 1, 0] + Array(repeating: 0xA5, count: 240)),
  ]

  @Test("A violation is answered with its code, and the next session succeeds", arguments: violations)
  func violationsAreAnsweredWithTheirCode(_ violation: Violation) async throws {
    _ = await lamp.start()
    let central = RawCentral()
    await central.connect(air.options)
    var session = try session()
    if violation.afterKey { await agree(central, &session) }
    var code = await central.write(violation.bytes)
    // A ciphertext of 256 bytes needs a second value.
    if code == .success { code = await central.write(Array(repeating: 0xA5, count: 16)) }
    #expect(code.rawValue == violation.code)
    // The keys are gone: messages that they encrypted are out of place now.
    if violation.afterKey {
      #expect(await central.write(try session.frame("x").encoded).rawValue == 0x81)
    }
    #expect(await central.read().1.isEmpty)
    // The same connection can begin anew, and so can the next one.
    var second = try self.session()
    await agree(central, &second)
    await central.disconnect()
    #expect(try await provision().unauthenticatedOutcome == .connected)
  }

  @Test("A second key ends the session") func aSecondKeyEndsTheSession() async throws {
    _ = await lamp.start()
    let central = RawCentral()
    await central.connect(air.options)
    var session = try session()
    await agree(central, &session)
    #expect(await central.write(try self.session().keyFrame.encoded).rawValue == 0x81)
    #expect(await central.write(try session.frame("x").encoded).rawValue == 0x81)
    await central.disconnect()
    #expect(try await provision().unauthenticatedOutcome == .connected)
  }

  /// Sends a payload, and reads the two answers to it.
  private func ask(_ central: RawCentral, _ session: inout LegacySession) async throws {
    let frame = try session.frame("on").encoded
    #expect(await central.write(frame) == .success)
    var answers = 0
    for await value in central.values {
      for case .received in session.receive(value, now: .zero) { answers += 1 }
      if answers == 2 { break }
    }
  }

  @Test("A central whose link was lost may start again at once", arguments: [true, false])
  func disconnectedCentralMayStartAgainAtOnce(waitsForTheEnd: Bool) async throws {
    var events = await lamp.start()
    let first = RawCentral()
    await first.connect(air.otherCentral("first"))
    var session = try session()
    await agree(first, &session)
    // The central is silent: the device's controller holds the link for two seconds more.
    air.radio.setPowered(false, "first")
    let second = RawCentral()
    await second.connect(air.otherCentral("second"))
    var subscriptions: [Bool] = []
    // The end of the old connection as soon as it is reported, or the new key first.
    if waitsForTheEnd {
      while !subscriptions.contains(false), let event = await events.next() { note(event, &subscriptions) }
    }
    var next = try self.session()
    await agree(second, &next)
    try await ask(second, &next)
    while subscriptions.count < 3, let event = await events.next() { note(event, &subscriptions) }
    #expect(subscriptions == [true, false, true])
    await second.disconnect()
  }

  private func note(_ event: LegacyUnauthenticatedDeviceEvent, _ subscriptions: inout [Bool]) {
    switch event {
    case .subscribed: subscriptions.append(true)
    case .unsubscribed: subscriptions.append(false)
    default: break
    }
  }

  @Test("A central that reads starts a new session with each connection")
  func aCentralThatReadsBeginsAnewWithEachConnection() async throws {
    _ = await lamp.start()
    for _ in 0..<3 {
      let central = RawCentral(subscribes: false)
      await central.connect(air.options)
      #expect(await central.read().1.isEmpty, "what was sent on another connection")
      var session = try session()
      #expect(await central.write(session.keyFrame.encoded) == .success)
      let outputs = session.receive(await central.read().1, now: .zero)
      #expect(outputs.last == .unauthenticatedKeyAgreed)
      await central.disconnect()
    }
  }

  @Test("A frame is accepted in pieces of any length", arguments: [1, 2, 3, 7, 20, 50])
  func framesAreAcceptedInPiecesOfAnyLength(length: Int) async throws {
    _ = await lamp.start()
    let central = RawCentral()
    await central.connect(air.options)
    var session = try session()
    for value in LegacyFrame.values(of: session.keyFrame.encoded, maximumLength: length) {
      #expect(await central.write(value) == .success)
    }
    for await value in central.values where !session.receive(value, now: .zero).isEmpty { break }
    for value in LegacyFrame.values(of: try session.frame("hello").encoded, maximumLength: length) {
      #expect(await central.write(value) == .success)
    }
    var answers: [String?] = []
    for await value in central.values {
      for case .received(let message) in session.receive(value, now: .zero) { answers.append(message.text) }
      if answers.count == 2 { break }
    }
    #expect(answers == ["{\"code\":0}", "{\"status\":\"connected\"}"])
    await central.disconnect()
  }

  @Test("Long writes and writes without response are accepted") func longWritesAndWritesWithoutResponseAreAccepted()
    async throws
  {
    _ = await lamp.start()
    let central = RawCentral()
    await central.connect(air.options)
    var session = try session()
    await central.command([session.keyFrame.encoded])
    let (code, frame) = await central.read()
    #expect(code == .success)
    #expect(session.receive(frame, now: .zero).last == .unauthenticatedKeyAgreed)
    // Longer than the MTU: Core Bluetooth makes a long write of it.
    let text = String(repeating: "x", count: 300)
    #expect(await central.write(try session.frame(text).encoded) == .success)
    await central.disconnect()
  }

  @Test("Silence within a frame erases the keys") func halfAFrameAndSilenceEraseTheKeys() async throws {
    var events = await lamp.start()
    let central = RawCentral()
    await central.connect(air.options)
    var session = try session()
    await agree(central, &session)
    #expect(await central.write(Array(try session.frame("x").encoded.prefix(10))) == .success)
    await time.isAwaited(at: .seconds(5))
    time.advance(to: .seconds(5))
    while let event = await events.next() {
      if case .timedOut = event { break }
    }
    #expect(await central.write(try session.frame("x").encoded).rawValue == 0x81)
    await central.disconnect()
    #expect(try await provision().unauthenticatedOutcome == .connected)
  }

  @Test("Noise is refused, and the next attempt succeeds") func noiseIsRefusedAndLeavesNothingBehind() async throws {
    _ = await lamp.start()
    let central = RawCentral()
    await central.connect(air.options)
    var random = SystemRandomNumberGenerator()
    let noise = (0..<65_536).map { _ in UInt8.random(in: 0...255, using: &random) }
    await central.command(LegacyFrame.values(of: noise, maximumLength: 244))
    await central.disconnect()
    #expect(try await provision().unauthenticatedOutcome == .connected)
  }

  @Test("A central without a subscription reads the latest frame") func aCentralThatOnlyReadsGetsTheLatestFrame()
    async throws
  {
    _ = await lamp.start()
    let central = RawCentral(subscribes: false)
    await central.connect(air.options)
    #expect(await central.read() == (.success, []))
    var session = try session()
    #expect(await central.write(session.keyFrame.encoded) == .success)
    let (_, key) = await central.read()
    #expect(session.receive(key, now: .zero).last == .unauthenticatedKeyAgreed)
    await central.disconnect()
  }

  @Test("Answers are sent only to the central that asked") func answersGoToTheCentralThatAsked() async throws {
    _ = await lamp.start()
    let asking = RawCentral()
    await asking.connect(air.options)
    let listening = RawCentral()
    await listening.connect(air.otherCentral())
    var one = try session()
    var two = try session()
    await agree(asking, &one)
    await agree(listening, &two)
    #expect(await asking.write(try one.frame("x").encoded) == .success)
    var answers = 0
    for await value in asking.values {
      for case .received in one.receive(value, now: .zero) { answers += 1 }
      if answers == 2 { break }
    }
    // A request behind whatever may be on its way.
    _ = await listening.read()
    #expect(listening.allValues.count == 1, "its own key, and nothing else")
    #expect(asking.allValues.count == 3)
    await asking.disconnect()
    await listening.disconnect()
  }
}
