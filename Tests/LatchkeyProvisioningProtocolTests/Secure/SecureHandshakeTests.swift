import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

@Suite struct SecureHandshakeTests {
  @Test("Both suites open a session at every ATT_MTU", arguments: SecureSuite.allCases, [20, 21, 182, 244, 512])
  func opens(_ suite: SecureSuite, limit: Int) throws {
    var rig = try SecureRig([suite])
    rig.limit = limit
    try rig.connect()
    #expect(rig.assurance() == suite.assurance)
    guard case .networks(let networks)? = rig.request(.scan).last else { return #expect(Bool(false)) }
    #expect(networks == SecureRig.networks)
    #expect(rig.deviceEvents == [.opened(ProvisioningLink(id: 1), suite.assurance)])
    #expect(rig.context.attempts.record.failures == 0)
  }

  @Test("The app takes the hybrid suite if both have it, whatever the device prefers") func bestSuite() throws {
    var rig = try SecureRig([.classical, .hybrid])
    try rig.connect()
    #expect(rig.assurance() == .codeAndPostQuantum)
    try rig.connect(2, suites: [.classical])
    #expect(rig.assurance(2) == nil, "one handshake at a time")
    _ = rig.request(.status)
    try rig.connect(3, suites: [.classical])
    #expect(rig.assurance(3) == .code)
    var other = try SecureRig([.classical])
    try other.connect(suites: [.hybrid])
    #expect(other.failure() == .unsupported("the device offers no suite that this app accepts"))
    #expect(other.values.isEmpty)
  }

  @Test("The first request travels with the proof: one round trip") func oneRoundTrip() throws {
    var rig = try SecureRig([.classical])
    try rig.connect()
    #expect(rig.values.map(\.isFromApp) == [true, false])
    _ = rig.request(.status)
    #expect(rig.values.map(\.isFromApp) == [true, false, true, false])
  }

  @Test("Without a request the proof is sent by itself soon") func emptyFinish() throws {
    var rig = try SecureRig([.classical])
    try rig.connect()
    #expect(rig.openings == 0)
    rig.advance(SecureAppMachine.finishDelay)
    #expect(rig.openings == 1)
    #expect(rig.values.count == 3)
    #expect(rig.request(.status).count == 1)
  }

  @Test("Messages have the lengths of the page") func lengths() throws {
    for (suite, hello, reply) in [(SecureSuite.hybrid, 1236, 1155), (.classical, 52, 67)] {
      var rig = try SecureRig([suite])
      rig.limit = 20
      try rig.connect()
      let first = try #require(rig.values.first { $0.isFromApp })
      #expect(Int(first.bytes[1]) << 8 | Int(first.bytes[2]) == hello)
      let answer = try #require(rig.values.first { !$0.isFromApp })
      #expect(Int(answer.bytes[1]) << 8 | Int(answer.bytes[2]) == reply)
    }
  }

  @Test("With a wrong code neither side goes on, and the attempt stays counted") func wrongCode() throws {
    var rig = try SecureRig()
    try rig.connect(code: "31415927")
    #expect(rig.failure() == .wrongCode)
    #expect(rig.openings == 0)
    #expect(rig.context.attempts.record.failures == 1)
    rig.disconnect()
    #expect(rig.deviceEvents == [.wrongCode(ProvisioningLink(id: 1))])
  }

  @Test("Digits and a secret of the same bytes are different codes") func kindsOfCodes() throws {
    var configuration = try SecureRig.configuration([.classical])
    configuration.code = try SecureCode(pin: "3141592653589793")
    var rig = try SecureRig(configuration)
    let secret = try SecureCode(secret: Array("3141592653589793".utf8))
    try rig.connect(1, SecureAppMachine(.init(code: secret), randomness: .test))
    #expect(rig.failure() == .wrongCode)
    rig.advance(.seconds(20))
    rig.disconnect()
    try rig.connect(2, SecureAppMachine(.init(code: try SecureCode(pin: "3141 5926-5358 9793")), randomness: .test))
    #expect(rig.assurance(2) == .code)
  }

  @Test("INFO that is altered in any byte opens no session", arguments: 0..<25) func alteredInformation(_ index: Int)
    throws
  {
    for bit: UInt8 in [0x01, 0x02, 0x04, 0x80] {
      var rig = try SecureRig([.hybrid, .classical])
      rig.information = { bytes in
        var bytes = bytes
        bytes[index] ^= bit
        return bytes
      }
      try rig.connect()
      _ = rig.request(.status)
      #expect(rig.assurance() == nil)
      #expect(rig.openings == 0)
    }
  }

  @Test("Without the hybrid suite in INFO, or with bytes after it, no session opens") func downgrade() throws {
    var rig = try SecureRig()
    rig.information = { [$0[0], $0[1], $0[2], 1, 2] + $0[6...] }
    try rig.connect()
    #expect(rig.failure() == .wrongCode)
    var longer = try SecureRig()
    longer.information = { $0 + [0] }
    try longer.connect()
    #expect(longer.failure() == .wrongCode)
    #expect(rig.openings + longer.openings == 0)
  }

  @Test("An error in the clear ends the attempt, and is no reason for a weaker suite") func errorsInTheClear() throws {
    for code in SecureErrorCode.allCases where code != .noTicket {
      var rig = try SecureRig()
      rig.carry = { _, value in
        guard !value.isFromApp else { return [value.bytes] }
        return SecureFragments.values(of: code.message().bytes, limit: 182)
      }
      try rig.connect()
      #expect(rig.failure() != nil)
      #expect(rig.values.count { $0.isFromApp } == 7)
      #expect(rig.openings == 0)
    }
  }

  @Test("Errors say what the app can do about it")
  func errors() {
    func failure(_ body: [UInt8]) -> ProvisioningFailure { SecureErrorCode.failure(SecureMessage(.error, body)) }
    #expect(failure([3]) == .wrongCode)
    #expect(failure([4, 0, 64]) == .locked(for: .seconds(64)))
    #expect(failure([4, 0xFF, 0xFF]) == .locked(for: nil))
    #expect(failure([4]) == .locked(for: nil))
    #expect(failure([5]) == .busy)
    #expect(failure([7]) == .notAuthorized)
    #expect(failure([0x44]) == .malformed("an error with code 68"))
    #expect(SecureErrorCode.locked.message(wait: .milliseconds(1500)).bytes == [0x7F, 0, 3, 4, 0, 2])
    #expect(SecureErrorCode.locked.message(wait: .milliseconds(1)).bytes == [0x7F, 0, 3, 4, 0, 1])
    #expect(SecureErrorCode.locked.message(wait: .seconds(1_000_000)).bytes == [0x7F, 0, 3, 4, 0xFF, 0xFE])
    #expect(SecureErrorCode.locked.message(wait: nil).bytes == [0x7F, 0, 3, 4, 0xFF, 0xFF])
    #expect(SecureErrorCode.over.message().bytes == [0x7F, 0, 1, 8])
  }

  @Test("Keys of low order are refused by both sides", arguments: [0, 1, 2, 3, 4, 5, 7]) func lowOrderKeys(
    _ number: Int
  ) throws {
    let point = hex(SecureVectors.all.lowOrder.points[number][0])
    var toDevice = try SecureRig([.classical])
    toDevice.carry = { index, value in
      guard index == 0 else { return [value.bytes] }
      return [Array(value.bytes[..<23]) + point]
    }
    try toDevice.connect()
    #expect(toDevice.failure() == .wrongCode)
    #expect(toDevice.context.attempts.record.failures == 1)
    var toApp = try SecureRig([.classical])
    toApp.carry = { index, value in
      guard index == 1 else { return [value.bytes] }
      return [Array(value.bytes[..<6]) + point + value.bytes[38...]]
    }
    try toApp.connect()
    #expect(toApp.failure() == .wrongCode)
  }

  @Test("Only a device with the QR code's identifier is spoken to") func identifier() throws {
    var rig = try SecureRig()
    let code = try SecureCode(pin: SecureRig.pin)
    try rig.connect(
      1, SecureAppMachine(.init(code: code, deviceIdentifier: [UInt8](repeating: 1, count: 16)), randomness: .test))
    #expect(rig.failure() == .refused("another device than the one with this QR code"))
    #expect(rig.values.isEmpty)
    let identifier = rig.device.information.deviceIdentifier
    try rig.connect(2, SecureAppMachine(.init(code: code, deviceIdentifier: identifier), randomness: .test))
    #expect(rig.assurance(2) == .codeAndPostQuantum)
  }

  @Test("A device with a weak code, no suite, or a state that is none, is not made") func configurations() throws {
    var configuration = try SecureRig.configuration()
    #expect(throws: SecureDeviceError.storedState) {
      try SecureDeviceMachine(configuration, storedState: [1, 2], randomness: .test)
    }
    configuration.suites = []
    #expect(throws: SecureDeviceError.configuration) {
      try SecureDeviceMachine(configuration, storedState: nil, randomness: .test)
    }
    configuration = try SecureRig.configuration()
    configuration.maximumMessage = 1235
    #expect(throws: SecureDeviceError.configuration) {
      try SecureDeviceMachine(configuration, storedState: nil, randomness: .test)
    }
    configuration = try SecureRig.configuration()
    configuration.code = try SecureCode(pin: "12345678")
    #expect(throws: SecureDeviceError.weakCode) {
      try SecureDeviceMachine(configuration, storedState: nil, randomness: .test)
    }
  }
}
