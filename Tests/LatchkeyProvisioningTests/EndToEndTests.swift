import CoreBluetooth
import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyProvisioning

/// Both sides, each with a host and a controller of its own, over a virtual radio.
@Suite(.timeLimit(.minutes(5))) struct EndToEndTests {
  private static let joined: LegacyUnauthenticatedDevice.Handler = { request in
    guard (try? request.credentials()) != nil else { return [.code(.refused)] }
    return [.code(.accepted), .status(.connected)]
  }

  private func lamp(
    _ air: TestAir, plain: Bool = false, handler: @escaping LegacyUnauthenticatedDevice.Handler = joined
  ) -> RunningDevice {
    var options = LegacyDeviceOptions()
    options.allowsPlainService = plain
    return RunningDevice(
      LegacyUnauthenticatedDevice(name: "Lamp", options: options, managerOptions: air.options, handler: handler))
  }

  private func app(
    _ air: TestAir, plain: Bool = false, statusTimeout: Duration = .seconds(30)
  ) -> LegacyUnauthenticatedProvisioner {
    var options = LegacyProvisioningOptions()
    options.allowsPlainService = plain
    options.statusTimeout = statusTimeout
    return LegacyUnauthenticatedProvisioner(options: options, managerOptions: air.options)
  }

  private func words(_ step: LegacyUnauthenticatedProgress) -> String {
    switch step {
    case .searching: "searching"
    case .found(let name, _): "found \(name ?? "")"
    case .connected: "connected"
    case .discovered(let service): "discovered \(service.rawValue)"
    case .subscribed: "subscribed"
    case .sentFrame(let frame, let values): "sent \(String(frame.type.rawValue, radix: 16)) in \(values)"
    case .receivedFrame(let frame): "received \(String(frame.type.rawValue, radix: 16))"
    case .unauthenticatedKeyAgreed: "key"
    case .sentPlainValue(let length): "sent \(length) in the clear"
    case .sentPayload: "sent payload"
    case .answered(let answer): "answered \(answer.text)"
    case .disconnecting: "disconnecting"
    }
  }

  private func transcript(_ attempt: LegacyUnauthenticatedAttempt) async -> [String] {
    var lines: [String] = []
    for await step in attempt.progress { lines.append(words(step)) }
    return lines
  }

  @Test("Credentials arrive at the device, and the app gets its answers") func credentialsArriveAndAreAnswered()
    async throws
  {
    let air = TestAir()
    let lamp = lamp(air)
    _ = await lamp.start()
    let attempt = app(air).attempt(.name("Lamp"), with: try LegacyWiFiCredentials(ssid: "客厅", password: "口令 \"x\""))
    #expect(
      await transcript(attempt) == [
        "searching", "found Lamp", "connected", "discovered F200", "subscribed", "sent 10 in 1", "received 11", "key",
        "sent 20 in 1", "sent payload", "received 21", "answered {\"code\":0}", "received 21",
        "answered {\"status\":\"connected\"}", "disconnecting",
      ])
    let result = try await attempt.result()
    #expect(result.unauthenticatedOutcome == .connected)
    #expect(result.service == .encrypted)
    #expect(result.unauthenticatedAnswers == [.code(.accepted), .status(.connected)])
    #expect(await lamp.stop() == nil)
  }

  @Test("The smallest buffers and ATT_MTU cut frames into values") func smallestBuffersAndMTUCutFramesIntoValues()
    async throws
  {
    let air = TestAir(mtu: 23, buffers: .smallest)
    let lamp = lamp(air)
    _ = await lamp.start()
    let text = String(repeating: "长", count: 60)
    let attempt = app(air).attempt(.name("Lamp"), text: text)
    #expect(
      await transcript(attempt) == [
        "searching", "found Lamp", "connected", "discovered F200", "subscribed", "sent 10 in 3", "received 11", "key",
        "sent 20 in 10", "sent payload", "received 21", "answered {\"code\":1}", "disconnecting",
      ])
    #expect(try await attempt.result().unauthenticatedOutcome == .refused)
  }

  @Test("An answer that the handler sends at once precedes those that it returns")
  func immediateAnswersPrecedeReturnedOnes() async throws {
    let air = TestAir()
    let lamp = lamp(air) { request in
      request.answer(.code(.accepted))
      return [.status(.failed)]
    }
    _ = await lamp.start()
    let result = try await app(air).provision(.name("Lamp"), text: "x")
    #expect(result.unauthenticatedAnswers == [.code(.accepted), .status(.failed)])
    #expect(result.unauthenticatedOutcome == .couldNotJoin)
  }

  @Test("The result is accepted if the device does not report on the network") func noReportOnTheNetworkMeansAccepted()
    async throws
  {
    let air = TestAir()
    let lamp = lamp(air) { _ in [.code(.accepted)] }
    _ = await lamp.start()
    let result = try await app(air, statusTimeout: .zero).provision(.name("Lamp"), text: "x")
    #expect(result.unauthenticatedOutcome == .accepted)
  }

  @Test("A device is found by its identifier") func theDeviceIsFoundByItsIdentifier() async throws {
    let air = TestAir()
    let lamp = lamp(air)
    _ = await lamp.start()
    let identifier = try await app(air).provision(.name("Lamp"), text: "x").peripheral
    #expect(try await app(air).provision(.identifier(identifier), text: "y").peripheral == identifier)
  }

  @Test("F100 is used only if both sides allow it and F200 is missing")
  func plainNeedsTheConsentOfBothAndTheLackOfF200() async throws {
    let air = TestAir(mtu: 23)
    let peripheral = RawPeripheral(
      .init(service: "F100", request: ("F101", [.write]), answer: ("F102", [.read, .notify]))
    ) { value in
      .init(notified: [Array("{\"status\":\"connected\"}".utf8)], readable: Array("{\"status\":\"connected\"}".utf8))
    }
    await peripheral.start(air.options)
    await #expect(throws: LegacyProvisioningError.serviceMissing(.encrypted)) {
      try await app(air).provision(.name("Lamp"), text: "secret")
    }
    #expect(peripheral.written.isEmpty)
    // 22 bytes do not fit a notification at ATT_MTU 23: the app reads the rest.
    let result = try await app(air, plain: true).provision(.name("Lamp"), text: "a secret longer than 20 bytes")
    #expect(result.service == .plain)
    #expect(result.unauthenticatedAnswers == [.status(.connected)])
    #expect(peripheral.written == [Array("a secret longer than 20 bytes".utf8)])
    peripheral.stop()

    let lamp = lamp(air, plain: true)
    _ = await lamp.start()
    #expect(try await app(air, plain: true).provision(.name("Lamp"), text: "x").service == .encrypted)
  }

  @Test("A plain value reaches the handler, and its answer the central") func plainValuesReachTheHandler() async throws
  {
    let air = TestAir()
    let lamp = lamp(air, plain: true) { request in
      [.text("\(request.service.rawValue) \(request.text ?? "")")]
    }
    _ = await lamp.start()
    let central = RawCentral(service: "F100")
    await central.connect(air.options)
    #expect(await central.write(Array("raw".utf8)) == .success)
    var values = central.values.makeAsyncIterator()
    #expect(await values.next() == Array("F100 raw".utf8))
    #expect(await central.read().1 == Array("F100 raw".utf8))
    await central.disconnect()
  }

  @Test("A link that is lost at any packet ends the attempt, and the next attempt succeeds", arguments: 1...40)
  func aLinkLostAtAnyPacketEndsTheAttemptAndTheNextOneWorks(packets: Int) async throws {
    let air = TestAir(mtu: 23)
    let lamp = lamp(air)
    _ = await lamp.start()
    air.loseLink(afterPackets: packets)
    let credentials = try LegacyWiFiCredentials(ssid: "Home", password: "secret")
    do throws(LegacyProvisioningError) {
      let result = try await app(air).provision(.name("Lamp"), with: credentials)
      // The device had accepted the payload before the link was lost.
      #expect(packets > 20)
      #expect([.accepted, .connected].contains(result.unauthenticatedOutcome))
    } catch {
      guard case .disconnected = error else {
        Issue.record("ended with \(error)")
        return
      }
    }
    air.heal()
    let result = try await app(air).provision(.name("Lamp"), with: credentials)
    #expect(result.unauthenticatedOutcome == .connected)
  }

  @Test("A canceled attempt ends with canceled, and the device loses its subscriber") func cancellingEndsTheAttempt()
    async throws
  {
    let air = TestAir()
    let lamp = lamp(air) { _ in
      // Never answers by itself.
      await withTaskCancellationHandler {
        for await _ in AsyncStream<Void>(unfolding: { Task.isCancelled ? nil : await Task.yield() }) {}
      } onCancel: {
      }
      return []
    }
    var events = await lamp.start()
    let attempt = app(air).attempt(.name("Lamp"), text: "x")
    for await step in attempt.progress {
      if step == .sentPayload { attempt.cancel() }
    }
    await #expect(throws: LegacyProvisioningError.cancelled) { try await attempt.result() }
    var last: LegacyUnauthenticatedDeviceEvent?
    while let event = await events.next() {
      last = event
      if case .unsubscribed = event { break }
    }
    guard case .unsubscribed = last else {
      Issue.record("the device was not told: \(String(describing: last))")
      return
    }
  }

  @Test("A canceled task ends its search") func cancellingTheTaskEndsTheSearch() async throws {
    let air = TestAir()
    let provisioner = app(air)
    let task = Task { () -> LegacyProvisioningError? in
      do throws(LegacyProvisioningError) {
        _ = try await provisioner.provision(.name("absent"), text: "x")
        return nil
      } catch {
        return error
      }
    }
    task.cancel()
    #expect(await task.value == .cancelled)
  }

  @Test("A device that is absent is not found") func absentDeviceIsNotFound() async throws {
    let air = TestAir()
    let time = ManualScheduler()
    let provisioner = LegacyUnauthenticatedProvisioner(
      options: LegacyProvisioningOptions(), managerOptions: air.options, scheduler: time
    ) { SystemRandomNumberGenerator() }
    let attempt = provisioner.attempt(.name("absent"), text: "x")
    for await step in attempt.progress where step == .searching { time.advance(to: .seconds(30)) }
    await #expect(throws: LegacyProvisioningError.notFound) { try await attempt.result() }
  }

  @Test("A radio that is switched off ends an attempt") func aRadioThatIsSwitchedOffEndsAnAttempt() async throws {
    let air = TestAir()
    let attempt = app(air).attempt(.name("absent"), text: "x")
    for await step in attempt.progress where step == .searching { air.radio.setPowered(false, "central") }
    await #expect(throws: LegacyProvisioningError.radioUnavailable("powered off", cause: nil)) {
      try await attempt.result()
    }
  }

  @Test("A device without a radio at the start ends") func aDeviceWithoutARadioAtTheStartEnds() async throws {
    let air = TestAir()
    air.radio.setPowered(false, "peripheral")
    let device = LegacyUnauthenticatedDevice(name: "Lamp", managerOptions: air.options) { _ in [] }
    await #expect(throws: LegacyDeviceError.radioUnavailable("powered off", cause: nil)) { try await device.run() }
  }

  @Test(
    "The error of an absent radio carries its cause, on both sides",
    arguments: [
      ("unix-client:/nonexistent/radio", "cannot connect to "), ("no controller", ""),
    ])
  func causeOfAbsentRadio(controller: String, beginning: String) async throws {
    let options: [String: any Sendable] = [CBManagerOptionControllerKey: controller]
    var found: [(state: String, cause: String?)] = []
    do throws(LegacyProvisioningError) {
      _ = try await LegacyUnauthenticatedProvisioner(managerOptions: options).provision(.name("Lamp"), text: "x")
    } catch {
      if case .radioUnavailable(let state, let cause) = error { found.append((state, cause)) }
    }
    do throws(LegacyDeviceError) {
      try await LegacyUnauthenticatedDevice(name: "Lamp", managerOptions: options) { _ in [] }.run()
    } catch {
      if case .radioUnavailable(let state, let cause) = error { found.append((state, cause)) }
    }
    #expect(found.map(\.state) == ["powered off", "powered off"])
    #expect(found.allSatisfy { $0.cause?.isEmpty == false && $0.cause?.hasPrefix(beginning) == true }, "\(found)")
  }

  /// A failure of a device's radio.
  enum RadioFailure: CaseIterable {
    case hardwareError, twoHardwareErrors, switchedOff, switchedOffAndHardwareError

    func happen(to radio: VirtualRadio) {
      if self == .switchedOff || self == .switchedOffAndHardwareError {
        radio.setPowered(false, "peripheral")
        radio.setPowered(true, "peripheral")
      }
      if self != .switchedOff { radio.raiseHardwareError(on: "peripheral") }
      if self == .twoHardwareErrors { radio.raiseHardwareError(on: "peripheral") }
    }
  }

  @Test("A device advertises again when its radio is back", arguments: RadioFailure.allCases)
  func aDeviceAdvertisesAgainWhenItsRadioIsBack(_ failure: RadioFailure) async throws {
    let air = TestAir()
    let lamp = lamp(air)
    var events = await lamp.start()
    for _ in 0..<2 {
      failure.happen(to: air.radio)
      var isLost = false
      while let event = await events.next(isolation: nil) {
        if event == .radioLost { isLost = true }
        if event == .advertising, isLost { break }
      }
      let credentials = try LegacyWiFiCredentials(ssid: "Home", password: "secret")
      let result = try await app(air).provision(.name("Lamp"), with: credentials)
      #expect(result.unauthenticatedOutcome == .connected)
    }
    #expect(await lamp.stop() == nil)
  }

  @Test("A payload that is too long for a frame is refused") func payloadsThatNoFrameHoldsAreRefused() async throws {
    let air = TestAir()
    let length = LegacyUnauthenticatedProvisioner.maximumPayloadLength + 1
    await #expect(throws: LegacyProvisioningError.payloadTooLong(length, maximum: length - 1)) {
      try await app(air).provision(.name("Lamp"), text: String(repeating: "x", count: length))
    }
  }
}
