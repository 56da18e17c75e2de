import CoreBluetooth
import Foundation
import LatchkeyBluetoothTransports
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Synchronization
import Testing

@testable import LatchkeyProvisioning

/// The golden sessions, over a radio: each end in turn is the product's, with the vector's key, against the vector's bytes.
@Suite(.timeLimit(.minutes(5))) struct SessionVectorTests {
  struct Session: Decodable, Sendable, CustomTestStringConvertible {
    struct Step: Decodable, Sendable {
      let direction: String
      let plaintext: String?
      let frame: String
      var isFromApp: Bool { direction == "app->device" }
    }

    let id: String
    let appPrivate: String
    let devicePrivate: String
    let attPayload: Int?
    let transcript: [Step]

    var testDescription: String { id }
    /// ATT_MTU that leaves so much for a value.
    var mtu: Int { attPayload.map { $0 + 3 } ?? 517 }

    func frames(fromApp: Bool) throws -> [[UInt8]] {
      try transcript.filter { $0.isFromApp == fromApp }.map { try Hexadecimal.decode($0.frame) }
    }
  }

  private struct Fixture: Decodable { let sessions: [Session] }

  static let sessions: [Session] = {
    do {
      let url = Bundle.module.bundleURL.appendingPathComponent("Fixtures/legacy_provisioning.json")
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      return try decoder.decode(Fixture.self, from: Data(contentsOf: url)).sessions
    } catch {
      fatalError("the vectors cannot be read: \(error)")
    }
  }()

  @Test("The fixture has seven sessions") func allSessionsAreThere() { #expect(Self.sessions.count == 7) }

  @Test("The device sends the frames of the vector", arguments: sessions) func theDeviceSendsTheVectorsFrames(
    _ session: Session
  ) async throws {
    let air = TestAir(mtu: session.mtu)
    let numbers = try FixedNumbers(privateKey: session.devicePrivate)
    // The device's answers to each of the app's messages: the texts up to the app's next one.
    var texts: [[String]] = []
    for step in session.transcript {
      guard let text = step.plaintext else { continue }
      if step.isFromApp { texts.append([]) } else { texts[texts.count - 1].append(text) }
    }
    let script = Mutex(texts[...])
    let lamp = RunningDevice(
      LegacyUnauthenticatedDevice(
        name: "Lamp", options: LegacyDeviceOptions(), managerOptions: air.options, scheduler: DispatchScheduler(),
        generator: { numbers }
      ) { _ in script.withLock { $0.popFirst() ?? [] }.map { .text($0) } })
    _ = await lamp.start()
    let central = RawCentral()
    await central.connect(air.options)
    if let payload = session.attPayload { #expect(central.limit == payload) }

    var expected = try session.frames(fromApp: false)
    var parser = LegacyFrameParser(maximumFrameLength: LegacyFrame.greatestLength)
    var values = central.values.makeAsyncIterator()
    for step in session.transcript {
      guard step.isFromApp else {
        var frames: [LegacyFrame] = []
        while frames.isEmpty, let value = await values.next() {
          if let payload = session.attPayload { #expect(value.count <= payload) }
          frames = parser.frames(in: value)
        }
        #expect(frames.map(\.encoded) == [expected.removeFirst()])
        continue
      }
      for value in LegacyFrame.values(of: try Hexadecimal.decode(step.frame), maximumLength: central.limit) {
        #expect(await central.write(value) == .success)
      }
    }
    await central.disconnect()
  }

  /// One payload is what the app's API sends, so the sessions with two belong to the device's test and the machines'.
  @Test(
    "The app sends the frames of the vector",
    arguments: sessions.filter { session in session.transcript.filter(\.isFromApp).count == 2 })
  func theAppSendsTheVectorsFrames(_ session: Session) async throws {
    let air = TestAir(mtu: session.mtu)
    let numbers = try FixedNumbers(privateKey: session.appPrivate)
    let key = try #require(try session.frames(fromApp: false).first)
    let answers = try session.frames(fromApp: false).dropFirst()
    let limit = session.attPayload ?? 514
    let parser = Mutex(LegacyFrameParser(maximumFrameLength: LegacyFrame.greatestLength))
    let peripheral = RawPeripheral { value in
      let frames = parser.withLock { $0.frames(in: value) }
      let answered = frames.flatMap { $0.type == .appKey ? [key] : Array(answers) }
      return .init(notified: answered.flatMap { LegacyFrame.values(of: $0, maximumLength: limit) })
    }
    await peripheral.start(air.options)
    let provisioner = LegacyUnauthenticatedProvisioner(
      options: LegacyProvisioningOptions(), managerOptions: air.options, scheduler: ManualScheduler()
    ) { numbers }
    let payload = try #require(session.transcript.first { $0.isFromApp && $0.plaintext != nil }?.plaintext)
    let attempt = provisioner.attempt(.name("Lamp"), text: payload)
    var sent: [[UInt8]] = []
    for await step in attempt.progress {
      if case .sentFrame(let frame, _) = step { sent.append(frame.encoded) }
      // A code 0 without a status after it would be waited for.
      if case .answered = step, session.id == "T3-mtu23" { break }
    }
    #expect(sent == (try session.frames(fromApp: true)))
    #expect(peripheral.written.flatMap(\.self) == (try session.frames(fromApp: true)).flatMap(\.self))
    if let payload = session.attPayload { #expect(peripheral.written.map(\.count).max() == payload) }
    guard session.id != "T3-mtu23" else { return }
    let texts = session.transcript.filter { !$0.isFromApp }.compactMap(\.plaintext)
    #expect(try await attempt.result().unauthenticatedAnswers.map(\.text) == texts)
    peripheral.stop()
  }
}
