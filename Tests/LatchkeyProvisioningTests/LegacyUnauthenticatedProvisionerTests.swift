import CoreBluetooth
import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyProvisioning

/// A real app, and devices that lack services or violate the protocol.
@Suite(.timeLimit(.minutes(5))) struct LegacyUnauthenticatedProvisionerTests {
  private let air = TestAir(mtu: 100)
  private let time = ManualScheduler()

  private var app: LegacyUnauthenticatedProvisioner {
    LegacyUnauthenticatedProvisioner(
      options: LegacyProvisioningOptions(), managerOptions: air.options, scheduler: time
    ) { SystemRandomNumberGenerator() }
  }

  private func failure(_ peripheral: RawPeripheral) async -> LegacyProvisioningError? {
    await peripheral.start(air.options)
    defer { peripheral.stop() }
    do throws(LegacyProvisioningError) {
      _ = try await app.provision(.name("Lamp"), text: "payload")
      return nil
    } catch {
      return error
    }
  }

  /// Whether an attempt works right after another one failed.
  private func works() async throws -> Bool {
    let script = try LegacyDeviceScript()
    let peripheral = RawPeripheral { value in .init(notified: script.values(after: value)) }
    return await failure(peripheral) == nil
  }

  @Test("The error names a missing service, characteristic or property") func missingPartsAreNamed() async throws {
    #expect(await failure(RawPeripheral(.init(service: "F300"))) == .serviceMissing(.encrypted))
    #expect(await failure(RawPeripheral(.init(request: nil))) == .characteristicMissing(.encryptedRequest))
    #expect(await failure(RawPeripheral(.init(answer: nil))) == .characteristicMissing(.encryptedAnswer))
    #expect(
      await failure(RawPeripheral(.init(request: ("F201", [.read]))))
        == .propertyMissing(.encryptedRequest, anyOf: ["write", "writeWithoutResponse"]))
    #expect(
      await failure(RawPeripheral(.init(answer: ("F202", [.write]))))
        == .propertyMissing(.encryptedAnswer, anyOf: ["notify", "indicate", "read"]))
    #expect(try await works())
  }

  @Test("A refusal of the device is reported by its name", arguments: LegacyRefusal.allCases) func aRefusalIsNamed(
    _ refusal: LegacyRefusal
  ) async throws {
    let code = try #require(CBATTError.Code(rawValue: Int(refusal.rawValue)))
    #expect(await failure(RawPeripheral { _ in .init(code: code) }) == .refused(refusal))
    #expect(try await works())
  }

  @Test("Other errors of the Attribute Protocol are reported unchanged") func otherATTErrorsAreReportedUnchanged()
    async throws
  {
    #expect(
      await failure(RawPeripheral { _ in .init(code: .insufficientAuthorization) })
        == .attributeError(0x08, .encryptedRequest))
    #expect(await failure(RawPeripheral { _ in .init(code: ._0x85) }) == .attributeError(0x85, .encryptedRequest))
  }

  struct Violation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: LegacySessionError
    let bytes: [UInt8]

    init(_ name: String, _ error: LegacySessionError, _ bytes: [UInt8]) {
      testDescription = name
      self.error = error
      self.bytes = bytes
    }
  }

  static let violations = [
    Violation("an unknown type", .malformedFrame(.unknownType(0x7E)), [0x7E]),
    Violation("a key with its 04", .malformedFrame(.keyLength(49)), [0x11, 0, 49, 4]),
    Violation("a frame without end", .malformedFrame(.tooLong(length: 0xFFF3, maximum: 4099)), [0x21, 0xFF, 0xF0]),
    Violation(
      "the app's own key, reflected", .frameOutOfPlace(.appKey), [0x10, 0, 48] + Array(repeating: 1, count: 48)),
    Violation("data before the key", .frameOutOfPlace(.deviceData), [0x21, 0, 16] + Array(repeating: 0, count: 16)),
    Violation("a key of no curve", .invalidKey, [0x11, 0, 48] + Array(repeating: 1, count: 48)),
    Violation("the key (0, 1)", .invalidKey, [0x11, 0, 48] + Array(repeating: 0, count: 47) + [1]),
  ]

  @Test("A violation of the device is reported by its name, and the next attempt succeeds", arguments: violations)
  func violationsAreNamed(_ violation: Violation) async throws {
    let pieces = LegacyFrame.values(of: violation.bytes, maximumLength: 20)
    #expect(await failure(RawPeripheral { _ in .init(notified: pieces) }) == .deviceMisbehaved(violation.error))
    #expect(try await works())
  }

  @Test("Noise after the key is undecryptable") func noiseAfterTheKeyIsUndecryptable() async throws {
    let script = try LegacyDeviceScript(answers: [])
    let noise: [UInt8] = [0x21, 0, 32] + Array(repeating: 0xA5, count: 32)
    let peripheral = RawPeripheral { value in
      .init(notified: script.values(after: value) + (value.first == 0x20 ? [noise] : []))
    }
    #expect(await failure(peripheral) == .deviceMisbehaved(.undecryptable))
  }

  @Test("Silence within a frame times out, and the next attempt succeeds") func halfAFrameAndSilenceTimeOut()
    async throws
  {
    let peripheral = RawPeripheral { _ in .init(notified: [[0x11, 0]]) }
    await peripheral.start(air.options)
    let attempt = app.attempt(.name("Lamp"), text: "payload")
    await time.isAwaited(at: .seconds(5))
    time.advance(to: .seconds(5))
    await #expect(throws: LegacyProvisioningError.timedOut(during: .agreeingOnKey)) { try await attempt.result() }
    peripheral.stop()
    #expect(try await works())
  }

  @Test("A device that sends nothing times out") func aDeviceThatSaysNothingTimesOut() async throws {
    let peripheral = RawPeripheral()
    await peripheral.start(air.options)
    let attempt = app.attempt(.name("Lamp"), text: "payload")
    for await step in attempt.progress {
      if case .sentFrame = step { time.advance(to: .seconds(60)) }
    }
    await #expect(throws: LegacyProvisioningError.timedOut(during: .agreeingOnKey)) { try await attempt.result() }
    peripheral.stop()
  }

  @Test("Too many answers end the attempt") func answersWithoutEndAreCutOff() async throws {
    let script = try LegacyDeviceScript(
      answers: Array(repeating: "{\"code\":0}", count: LegacyExchange.maximumAnswers + 1))
    #expect(await failure(RawPeripheral { .init(notified: script.values(after: $0)) }) == .tooManyAnswers)
  }

  @Test("Answers are read if the device cannot notify") func answersAreReadWhereNothingNotifies() async throws {
    let script = try LegacyDeviceScript(answers: ["{\"code\":2}"])
    let peripheral = RawPeripheral(.init(answer: ("F202", [.read]))) { value in
      .init(readable: script.frames(after: value).last)
    }
    await peripheral.start(air.options)
    let provisioner = LegacyUnauthenticatedProvisioner(managerOptions: air.options)
    let result = try await provisioner.provision(.name("Lamp"), text: "payload")
    #expect(result.unauthenticatedAnswers == [.code(.couldNotJoin)])
    #expect(peripheral.subscriptionCount == 0)
    peripheral.stop()
  }

  @Test("Writes without response are used if there are no others")
  func writesWithoutResponseAreUsedWhereThereAreNoOthers() async throws {
    let script = try LegacyDeviceScript()
    let peripheral = RawPeripheral(.init(request: ("F201", [.writeWithoutResponse]))) { value in
      .init(notified: script.values(after: value))
    }
    await peripheral.start(air.options)
    let text = String(repeating: "x", count: 2000)
    let result = try await app.provision(.name("Lamp"), text: text)
    #expect(result.unauthenticatedOutcome == .connected)
    // 97 bytes are what ATT_MTU 100 leaves for a value; none was written in parts.
    #expect(peripheral.written.map(\.count).max() == 97)
    peripheral.stop()
  }

  @Test("A device may send its key first") func deviceMaySendFirst() async throws {
    let script = try LegacyDeviceScript()
    let key = script.offer()
    let peripheral = RawPeripheral(greeting: [key]) { value in .init(notified: script.values(after: value)) }
    #expect(await failure(peripheral) == nil)
    #expect(peripheral.subscriptionCount == 1)
  }
}
