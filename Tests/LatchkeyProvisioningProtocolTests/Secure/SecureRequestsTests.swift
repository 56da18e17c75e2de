import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

@Suite struct SecureRequestsTests {
  private func opened(_ configuration: SecureDeviceConfiguration? = nil) throws -> SecureRig {
    var rig = try SecureRig(try configuration ?? SecureRig.configuration([.classical]))
    try rig.connect()
    _ = rig.request(.status)
    return rig
  }

  /// What a response to a raw request says.
  private func answer(_ rig: inout SecureRig, _ endpoint: String, _ body: [UInt8]) -> ProvisioningFailure? {
    for case .requestFailed(let failure) in rig.request(.custom(endpoint: endpoint, body: body)) { return failure }
    return nil
  }

  private static let invalid = ProvisioningFailure.refused("the device does not take this")

  private func isInvalid(_ failure: ProvisioningFailure?) -> Bool {
    guard case .refused(let words)? = failure else { return false }
    return words.hasPrefix("the device does not take this")
  }

  @Test("A scan comes in pages, however small they have to be") func scan() throws {
    var configuration = try SecureRig.configuration([.classical])
    configuration.maximumMessage = 256
    var rig = try opened(configuration)
    let networks = (0..<80).map { number in
      ScannedNetwork(
        ssid: [UInt8](repeating: UInt8(number), count: number % 33), rssi: -number, security: .wpa3,
        channel: number + 1, bssid: nil)
    }
    rig.perform = { _ in .networks(networks) }
    guard case .networks(let found)? = rig.request(.scan).last else { return #expect(Bool(false)) }
    #expect(found == Array(networks.prefix(64)))
    #expect(rig.work.count == 1)
    rig.perform = { _ in .networks([]) }
    guard case .networks(let none)? = rig.request(.scan).last else { return #expect(Bool(false)) }
    #expect(none.isEmpty)
    #expect(isInvalid(answer(&rig, "scan", [1])))
    #expect(isInvalid(answer(&rig, "scan", [])))
    #expect(isInvalid(answer(&rig, "scan", [0, 0])))
  }

  @Test("Joining begins with one request, and its end is pushed") func join() throws {
    var rig = try opened()
    let credentials = try NetworkCredentials(
      ssid: Array("Home".utf8), passphrase: Array("secret123".utf8), bssid: [1, 2, 3, 4, 5, 6], channel: 11,
      isHidden: true)
    rig.setNetwork(.failed(.other))
    #expect(rig.request(.join(credentials)).isEmpty)
    guard case .join(let asked)? = rig.work.last else { return #expect(Bool(false)) }
    #expect(asked.ssid == credentials.ssid && asked.bssid == credentials.bssid && asked.channel == 11 && asked.isHidden)
    #expect(asked.passphrase.array() == Array("secret123".utf8))
    rig.setNetwork(.connecting)
    rig.setNetwork(.failed(.wrongPassphrase))
    guard case .network(.failed(.wrongPassphrase))? = rig.events().last else { return #expect(Bool(false)) }
    // A second try in the same session.
    _ = rig.request(.join(credentials))
    rig.setNetwork(.connecting)
    let joined = JoinedNetwork(
      ssid: Array("Home".utf8), address: "192.168.1.7", security: .wpa2, bssid: [1, 2, 3, 4, 5, 6], channel: 11,
      reach: .internet, page: "http://192.168.1.7/")
    rig.setNetwork(.connected(joined))
    guard case .network(.connected(let network))? = rig.events().last else { return #expect(Bool(false)) }
    #expect(network == joined)
    guard case .network(.connected)? = rig.request(.status).last else { return #expect(Bool(false)) }
  }

  @Test("A join that the device cannot begin ends with its reason, and one that never ends is given up")
  func failedJoin() throws {
    var rig = try opened()
    let credentials = try NetworkCredentials(ssid: [1], passphrase: [])
    rig.perform = { _ in .failed(.unavailable) }
    guard case .requestFailed(.refused)? = rig.request(.join(credentials)).last else { return #expect(Bool(false)) }
    rig.perform = { _ in .failed(.busy) }
    guard case .requestFailed(.busy)? = rig.request(.join(credentials)).last else { return #expect(Bool(false)) }
    rig.perform = { _ in .done }
    #expect(rig.request(.join(credentials)).isEmpty)
    rig.advance(SecureAppMachine.joinTime)
    #expect(rig.failure() == .timedOut)
  }

  @Test("config keeps credentials for apply, once") func configAndApply() throws {
    var rig = try opened()
    #expect(answer(&rig, "apply", []) == .refused("the device cannot do this now"))
    let body = SecureNetworkConfiguration(
      try NetworkCredentials(ssid: [1, 2], passphrase: [3]), appliesAtOnce: false
    ).bytes
    #expect(answer(&rig, "config", body) == nil)
    #expect(rig.work.isEmpty)
    #expect(isInvalid(answer(&rig, "apply", [0])))
    #expect(answer(&rig, "apply", []) == nil)
    #expect(rig.work.count == 1)
    #expect(answer(&rig, "apply", []) == .refused("the device cannot do this now"))
  }

  @Test("Credentials with any length, kind or bit that is not allowed are refused") func badCredentials() throws {
    let good = SecureNetworkConfiguration(
      try NetworkCredentials(ssid: [1, 2], passphrase: [3, 4]), appliesAtOnce: true
    ).bytes
    #expect(good == [1, 2, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 2, 3, 4])
    for length in good.indices {
      #expect(throws: SecureNetworkConfiguration.Failure.invalid) {
        try SecureNetworkConfiguration(Array(good[..<length]))
      }
    }
    #expect(throws: SecureNetworkConfiguration.Failure.invalid) { try SecureNetworkConfiguration(good + [0]) }
    for (index, value) in [(0, 0), (0, 3), (1, 4), (1, 0x80), (9, 0), (9, 33), (12, 0), (12, 129)] as [(Int, UInt8)] {
      var bytes = good
      bytes[index] = value
      #expect(throws: SecureNetworkConfiguration.Failure.self) { try SecureNetworkConfiguration(bytes) }
    }
    let enterprise = [2] + good.dropFirst() + [2, 5, 6]
    #expect(throws: SecureNetworkConfiguration.Failure.enterprise) { try SecureNetworkConfiguration(enterprise) }
    #expect(throws: SecureNetworkConfiguration.Failure.invalid) { try SecureNetworkConfiguration(enterprise + [0]) }
    let longest = try NetworkCredentials(
      ssid: [UInt8](repeating: 1, count: 32), passphrase: [UInt8](repeating: 2, count: 128))
    let bytes = SecureNetworkConfiguration(longest, appliesAtOnce: false).bytes
    #expect(try SecureNetworkConfiguration(bytes).credentials.passphrase.count == 128)
  }

  @Test("The other endpoints do what they say") func endpoints() throws {
    var rig = try opened()
    guard case .information(let information)? = rig.request(.information).last else { return #expect(Bool(false)) }
    #expect(information == rig.device.configuration.information)
    guard case .done? = rig.request(.identify).last, case .identify? = rig.work.last else {
      return #expect(Bool(false))
    }
    guard case .done? = rig.request(.forget).last, case .forget? = rig.work.last else { return #expect(Bool(false)) }
    guard case .hostname("lamp")? = rig.request(.hostname(nil)).last else { return #expect(Bool(false)) }
    guard case .hostname("desk")? = rig.request(.hostname("desk")).last else { return #expect(Bool(false)) }
    guard case .hostname("desk")? = rig.request(.hostname(nil)).last else { return #expect(Bool(false)) }
    rig.perform = { _ in .failed(.invalid) }
    guard case .requestFailed? = rig.request(.hostname("-")).last else { return #expect(Bool(false)) }
    guard case .hostname("desk")? = rig.request(.hostname(nil)).last else { return #expect(Bool(false)) }
    #expect(isInvalid(answer(&rig, "hostname", [UInt8](repeating: 0x61, count: 254))))
    #expect(isInvalid(answer(&rig, "hostname", [0xFF])))
    for name in ["status", "identify", "info"] { #expect(isInvalid(answer(&rig, name, [0]))) }
    for body in [[], [0], [8], [1, 1]] as [[UInt8]] { #expect(isInvalid(answer(&rig, "forget", body))) }
  }

  @Test("What a device cannot is not asked, and is refused when it is") func missing() throws {
    var configuration = try SecureRig.configuration([.classical])
    configuration.capabilities = []
    configuration.takesEnrollment = false
    var rig = try opened(configuration)
    for request in [AppRequest.scan, .identify, .information, .hostname(nil), .forget, .name(nil)] {
      let before = rig.values.count
      guard case .requestFailed(.unsupported)? = rig.request(request).last else { return #expect(Bool(false)) }
      #expect(rig.values.count == before)
    }
    for name in ["scan", "identify", "info", "hostname", "enroll", "other"] {
      #expect(answer(&rig, name, [0]) == .unsupported("the device has no \(name)"))
    }
    guard case .requestFailed(.refused)? = rig.request(.custom(endpoint: "Upper", body: [])).last else {
      return #expect(Bool(false))
    }
    #expect(rig.work.isEmpty)
  }

  @Test("An enrollment reaches the device whole, and a wrong one does not") func enrollment() throws {
    var rig = try opened()
    let enrollment = SecureEnrollment(
      url: "https://ca.example/", token: SecretBytes([1, 2, 3]), anchor: [UInt8](repeating: 9, count: 32))
    rig.perform = { _ in .response(SecureEnrollmentAnswer.accepted("lamp-1").bytes) }
    guard case .response(let body)? = rig.request(.custom(endpoint: "enroll", body: enrollment.bytes)).last else {
      return #expect(Bool(false))
    }
    #expect(try SecureEnrollmentAnswer(body) == .accepted("lamp-1"))
    guard case .custom("enroll", let received)? = rig.work.last else { return #expect(Bool(false)) }
    #expect(received == enrollment.bytes)
    let good = enrollment.bytes
    for length in good.indices { #expect(isInvalid(answer(&rig, "enroll", Array(good[..<length])))) }
    #expect(isInvalid(answer(&rig, "enroll", good + [0])))
    for url in ["http://ca.example/", "https://", "https://a b/", "ftp://x", "https://\u{1B}[31m"] {
      let bad = SecureEnrollment(url: url, token: SecretBytes([]), anchor: nil).bytes
      #expect(throws: ByteCodingError.self) { try SecureEnrollment(bad) }
    }
    #expect(rig.work.count == 1)
  }

  @Test("The answer to an enrollment has one form for each state, and a reason that is not known is another one")
  func enrollmentAnswers() throws {
    let answers: [SecureEnrollmentAnswer] =
      [.accepted(""), .accepted("lamp-1"), .enrolled("lamp-1")] + EnrollmentFailure.allCases.map { .failed($0) }
    for answer in answers { #expect(try SecureEnrollmentAnswer(answer.bytes) == answer) }
    #expect(SecureEnrollmentAnswer.failed(.tokenRefused).bytes == [2, 1])
    #expect(try SecureEnrollmentAnswer([2, 0xEE]) == .failed(.other))
    for bad: [UInt8] in [
      [], [0], [1, 2, 0x61], [2], [2, 1, 0], [3], [3, 0], [1, 65] + [UInt8](repeating: 0x61, count: 65),
    ] {
      #expect(throws: ByteCodingError.self) { try SecureEnrollmentAnswer(bad) }
    }
  }

  @Test("An app waits for a device that enrolls as long as for one that joins") func slowEnrollment() throws {
    var rig = try opened()
    rig.perform = { _ in nil }
    let enrollment = SecureEnrollment(url: "https://ca.example", token: SecretBytes([1]), anchor: nil)
    #expect(rig.request(.custom(endpoint: "enroll", body: enrollment.bytes)).isEmpty)
    #expect(rig.app()?.nextDeadline == rig.context.now + SecureAppMachine.joinTime)
  }

  @Test("One request at a time: a second one is busy, on either side") func oneAtATime() throws {
    var rig = try opened()
    rig.perform = { _ in nil }
    #expect(rig.request(.scan).isEmpty)
    guard case .requestFailed(.busy)? = rig.request(.status).last else { return #expect(Bool(false)) }
    rig.complete(.networks([]))
    guard case .networks? = rig.events().last else { return #expect(Bool(false)) }
    #expect(rig.request(.status).count == 1)
  }

  @Test("A result whose link has ended is ignored") func lateResult() throws {
    var rig = try opened()
    rig.perform = { _ in nil }
    _ = rig.request(.scan)
    rig.disconnect()
    rig.complete(.networks(SecureRig.networks))
    #expect(rig.device.openSessions == 0)
  }

  @Test("An endpoint's answer that no record holds is no answer, and a request too long is not sent") func tooLong()
    throws
  {
    var rig = try opened()
    rig.perform = { _ in .response([UInt8](repeating: 1, count: 2048)) }
    guard case .requestFailed? = rig.request(.custom(endpoint: "x", body: [])).last else { return #expect(Bool(false)) }
    rig.perform = { _ in .response([UInt8](repeating: 1, count: 2048 - 19 - 2)) }
    guard case .response(let body)? = rig.request(.custom(endpoint: "x", body: [])).last else {
      return #expect(Bool(false))
    }
    #expect(body.count == 2027)
    let before = rig.values.count
    guard case .requestFailed? = rig.request(.custom(endpoint: "x", body: body)).last else {
      return #expect(Bool(false))
    }
    #expect(rig.values.count == before)
  }

  @Test("Two apps at once have sessions of their own; a fifth is told that the device is busy") func sessions() throws {
    var rig = try SecureRig([.classical])
    for id in UInt64(1)...4 {
      try rig.connect(id)
      _ = rig.request(.status, id)
    }
    guard case .response([2, 1])? = rig.request(.custom(endpoint: "x", body: [1, 2]), 2).last else {
      return #expect(Bool(false))
    }
    guard case .response([4, 3])? = rig.request(.custom(endpoint: "x", body: [3, 4]), 1).last else {
      return #expect(Bool(false))
    }
    try rig.connect(5)
    #expect(rig.failure(5) == .busy)
    rig.setNetwork(.connecting)
    for id in UInt64(1)...4 {
      guard case .network(.connecting)? = rig.events(id).last else { return #expect(Bool(false)) }
    }
    rig.disconnect(1)
    rig.disconnect(5)
    try rig.connect(6)
    #expect(rig.assurance(6) == .code)
  }

  @Test("A session that is idle too long is closed, and its link refuses more") func idle() throws {
    var rig = try opened()
    rig.advance(SecureDeviceMachine.idleTime - .seconds(1))
    _ = rig.request(.status)
    rig.advance(SecureDeviceMachine.idleTime - .seconds(1))
    #expect(rig.device.openSessions == 1)
    rig.advance(.seconds(1))
    #expect(rig.device.openSessions == 0)
    #expect(rig.failure() == .disconnected)
    #expect(rig.deviceEvents.last == .closed(ProvisioningLink(id: 1)))
    rig.device.write(
      [0xC0, 0, 4, 1, 0, 1, 1], to: SecureService.transmit, from: ProvisioningLink(id: 1), context: &rig.context)
    rig.run()
    #expect(rig.refusals == [0x80])
    #expect(rig.device.nextDeadline == nil)
  }

  @Test("A message that stays incomplete ends the link") func incomplete() throws {
    var rig = try SecureRig([.classical])
    rig.limit = 20
    rig.carry = { index, value in index == 2 ? [] : [value.bytes] }
    try rig.connect()
    #expect(rig.device.nextDeadline == .seconds(5))
    rig.advance(.seconds(5))
    #expect(rig.failure() != nil)
    #expect(rig.context.attempts.record.failures == 0)
  }

  @Test("An app gives up on a device that says nothing") func silentDevice() throws {
    var rig = try SecureRig([.classical])
    rig.carry = { _, value in value.isFromApp ? [value.bytes] : [] }
    try rig.connect()
    rig.advance(SecureAppMachine.answerTime)
    #expect(rig.failure() == .timedOut)
    #expect(rig.app()?.nextDeadline == nil)
    var later = try opened()
    later.perform = { _ in nil }
    _ = later.request(.scan)
    later.advance(SecureAppMachine.requestTime)
    #expect(later.failure() == .timedOut)
  }

  @Test("Writes before the subscription, and to other characteristics, are refused") func accesses() throws {
    var rig = try SecureRig([.classical])
    let link = ProvisioningLink(id: 1)
    rig.device.write([1], to: SecureService.transmit, from: link, context: &rig.context)
    rig.device.write([1], to: SecureService.information, from: link, context: &rig.context)
    rig.run()
    #expect(rig.refusals == [0xFD, 0x03])
    #expect(throws: ATTFailure(code: 2)) {
      try rig.device.read(SecureService.transmit, from: link, context: &rig.context)
    }
    #expect(try rig.device.read(SecureService.information, from: link, context: &rig.context).count == 24)
  }

  @Test("A request without a form ends the session") func formless() throws {
    for body in [[], [0], [1], [0, 1, 0x61], [1, 0], [1, 2, 0x61], [1, 1, 0x41], [1, 33]] as [[UInt8]] {
      #expect(throws: ByteCodingError.self) { try SecureRequest(body) }
    }
    #expect(try SecureRequest([1, 1, 0x61, 9]).body == [9])
    for body in [[], [1], [0], [0, 1], [0, 1, 0x20]] as [[UInt8]] {
      #expect(throws: ByteCodingError.self) { try SecureResponse(body) }
    }
  }
}
