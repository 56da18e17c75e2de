import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

@Suite struct SecureResumptionTests {
  /// A device that one app has provisioned, and what the app keeps of it.
  private func known(_ suites: [SecureSuite] = [.hybrid]) throws -> (rig: SecureRig, kept: SecureResumption) {
    var rig = try SecureRig(suites)
    try rig.connect()
    _ = rig.request(.status)
    let kept = try #require(rig.app()?.resumption)
    rig.disconnect()
    return (rig, kept)
  }

  @Test("An app comes back without the code, after a restart of both, and outside of pairing mode") func comesBack()
    throws
  {
    var (rig, kept) = try known()
    try rig.restart()
    rig.context.isPairing = false
    kept = try SecureResumption(kept.bytes)
    let before = rig.values.count
    try rig.connect(2, code: nil, resumption: kept)
    #expect(rig.assurance(2) == .codeAndPostQuantum)
    #expect(rig.values.count == before + 2)
    guard case .network(.idle)? = rig.request(.status, 2).last else { return #expect(Bool(false)) }
    #expect(rig.openings == 2)
    #expect(rig.context.attempts.record.failures == 0)
  }

  @Test("Each return replaces the secret on both sides, and the one before is refused") func ratchets() throws {
    var (rig, kept) = try known([.classical])
    var seen: Set<[UInt8]> = [kept.bytes]
    for id in UInt64(2)...5 {
      let old = kept
      try rig.connect(id, code: nil, resumption: kept)
      _ = rig.request(.status, id)
      kept = try #require(rig.app(id)?.resumption)
      #expect(kept.tickets.count == 1)
      #expect(seen.insert(kept.bytes).inserted)
      #expect(rig.device.tickets.entries.count == 1)
      #expect(rig.device.tickets.entries.first?.previous == nil)
      rig.disconnect(id)
      try rig.connect(100 + id, code: nil, resumption: old)
      #expect(rig.failure(100 + id) != nil)
      rig.disconnect(100 + id)
    }
  }

  @Test("If the device's answer is lost, the old secret still works") func lostAnswer() throws {
    var (rig, kept) = try known([.classical])
    rig.carry = { _, value in value.isFromApp ? [value.bytes] : [] }
    try rig.connect(2, code: nil, resumption: kept)
    #expect(rig.app(2)?.resumption?.bytes == kept.bytes)
    rig.disconnect(2)
    rig.carry = { _, value in [value.bytes] }
    try rig.connect(3, code: nil, resumption: kept)
    #expect(rig.assurance(3) == .code)
  }

  @Test("If the app's first record is lost, the new secret works, and the old one does not after it") func lostRecord()
    throws
  {
    var (rig, kept) = try known([.classical])
    try rig.connect(2, code: nil, resumption: kept)
    let next = try #require(rig.app(2)?.resumption)
    #expect(next.tickets.count == 2)
    rig.disconnect(2)
    try rig.restart()
    try rig.connect(3, code: nil, resumption: try SecureResumption(next.bytes))
    _ = rig.request(.status, 3)
    #expect(rig.openings == 2)
    rig.disconnect(3)
    try rig.connect(4, code: nil, resumption: kept)
    #expect(rig.failure(4) != nil)
    kept = next
  }

  @Test("A replayed resumption opens nothing, and does not lock the app out") func replay() throws {
    var (rig, kept) = try known([.classical])
    let before = rig.values.count
    try rig.connect(2, code: nil, resumption: kept)
    let resume = rig.values[before].bytes
    let next = try #require(rig.app(2)?.resumption)
    // The app's first record never arrives, and the attacker says again what the app said.
    rig.disconnect(2)
    let link = ProvisioningLink(id: 9)
    rig.context.notificationLimits[link] = 182
    rig.device.subscribed(true, to: SecureService.receive, from: link, context: &rig.context)
    let stored = rig.device.storedState
    rig.device.write(resume, to: SecureService.transmit, from: link, context: &rig.context)
    rig.run()
    #expect(rig.openings == 1)
    // Refused, and nothing is stored for it: a thousand repetitions would wear a device's storage.
    #expect(rig.values.last?.bytes.suffix(4) == [0x7F, 0, 1, 3])
    #expect(rig.device.storedState == stored)
    rig.device.disconnected(link, context: &rig.context)
    try rig.connect(3, code: nil, resumption: next)
    #expect(rig.assurance(3) == .code)
    _ = rig.request(.status, 3)
    #expect(rig.openings == 2)
    rig.disconnect(3)
    kept = try #require(rig.app(3)?.resumption ?? next)
    // And when the app has come back, the recording is worth nothing at all.
    rig.device.subscribed(true, to: SecureService.receive, from: link, context: &rig.context)
    rig.device.write(resume, to: SecureService.transmit, from: link, context: &rig.context)
    rig.run()
    #expect(rig.values.last?.bytes.suffix(4) == [0x7F, 0, 1, 6])
  }

  @Test("A resumption altered in any byte, or under other INFO, is refused and changes no ticket") func altered() throws
  {
    for index in 3..<70 {
      var (rig, kept) = try known([.classical])
      let state = rig.device.storedState
      let before = rig.values.count
      rig.carry = { at, value in
        guard at == before else { return [value.bytes] }
        var bytes = value.bytes
        bytes[index] ^= 1
        return [bytes]
      }
      try rig.connect(2, code: nil, resumption: kept)
      _ = rig.request(.status, 2)
      #expect(rig.failure(2) != nil)
      #expect(rig.openings == 1)
      #expect(rig.device.storedState == state)
      kept = try SecureResumption(kept.bytes)
    }
    var (rig, kept) = try known([.classical])
    rig.information = { $0.dropLast(0) + [1] }
    try rig.connect(2, code: nil, resumption: kept)
    #expect(rig.failure(2) == .wrongCode)
    kept = try SecureResumption(kept.bytes)
  }

  @Test("An answer altered in any byte is refused, and the old secret stays") func alteredAnswer() throws {
    for index in 3..<54 {
      var (rig, kept) = try known([.classical])
      let before = rig.values.count
      rig.carry = { at, value in
        guard at == before + 1 else { return [value.bytes] }
        var bytes = value.bytes
        bytes[index] ^= 0x80
        return [bytes]
      }
      try rig.connect(2, code: nil, resumption: kept)
      #expect(rig.failure(2) != nil)
      #expect(rig.app(2)?.resumption?.bytes == kept.bytes)
      kept = try SecureResumption(kept.bytes)
    }
  }

  @Test("An app that is forgotten asks for the code, on the same link") func forgotten() throws {
    var (rig, kept) = try known([.classical])
    try rig.connect(2)
    _ = rig.request(.status, 2)
    #expect(rig.device.tickets.entries.count == 2)
    _ = rig.request(.custom(endpoint: "forget", body: [4]), 2)
    #expect(rig.device.tickets.entries.isEmpty)
    rig.disconnect(2)
    try rig.connect(3, resumption: kept)
    #expect(rig.assurance(3) == .code)
    rig.disconnect(3)
    try rig.connect(4, code: nil, resumption: kept)
    #expect(rig.failure(4) == .refused("the device does not know this app: its code is needed"))
    kept = try SecureResumption(kept.bytes)
  }

  @Test("Who forgets all apps ends the sessions of the others, and keeps its own", arguments: [true, false])
  func forgettingEndsSessions(_ isKnown: Bool) throws {
    var (rig, kept) = try known([.classical])
    // One by the code; one by its ticket, which has said something or nothing yet.
    try rig.connect(2)
    _ = rig.request(.status, 2)
    try rig.connect(3, code: nil, resumption: kept)
    if isKnown { _ = rig.request(.status, 3) }
    rig.advance(.seconds(1))
    try rig.connect(4)
    let busy = rig.failure(4)
    #expect(busy == nil)
    guard case .response? = rig.request(.custom(endpoint: "forget", body: [4]), 4).last else {
      return #expect(Bool(false))
    }
    #expect(rig.failure(2) == .disconnected)
    #expect(rig.failure(3) == .disconnected)
    #expect(rig.device.openSessions == 1)
    #expect(rig.device.tickets.entries.isEmpty)
    guard case .network(.idle)? = rig.request(.status, 4).last else { return #expect(Bool(false)) }
    // Their links say no more.
    let link = ProvisioningLink(id: 2)
    rig.device.write([0xC0, 0, 3, 0x40], to: SecureService.transmit, from: link, context: &rig.context)
    rig.run()
    #expect(rig.refusals.last == 0x80)
    kept = try SecureResumption(kept.bytes)
  }

  @Test("An app that is told to forget itself ends its other sessions, and nobody else's")
  func forgettingOneself() throws {
    var (rig, kept) = try known([.classical])
    try rig.connect(2)
    _ = rig.request(.status, 2)
    // The same app twice: its first link has not been noticed to be lost.
    try rig.connect(3, code: nil, resumption: kept)
    _ = rig.request(.status, 3)
    kept = try #require(rig.app(3)?.resumption)
    try rig.connect(4, code: nil, resumption: kept)
    guard case .response? = rig.request(.custom(endpoint: "forget", body: [2]), 4).last else {
      return #expect(Bool(false))
    }
    #expect(rig.failure(3) == .disconnected)
    #expect(rig.failure(2) == nil)
    #expect(rig.device.openSessions == 2)
    #expect(rig.device.tickets.entries.count == 1)
  }

  @Test("A resumed session without a request stays open while somebody chooses, and answers then")
  func resumedAndSilent() throws {
    var (rig, kept) = try known([.classical])
    try rig.connect(2, code: nil, resumption: kept)
    let before = rig.events(2).count
    #expect(rig.app(2)?.nextDeadline == SecureAppMachine.finishDelay)
    rig.advance(SecureAppMachine.finishDelay)
    // A session that said nothing would be ended here.
    for _ in 0..<20 { rig.advance(SecureDeviceMachine.handshakeTime) }
    #expect(rig.failure(2) == nil)
    #expect(rig.events(2).count == before, "nobody asked, and nobody is told")
    #expect(rig.openings == 2)
    #expect(rig.app(2)?.resumption?.tickets.count == 1)
    guard case .networks? = rig.request(.scan, 2).last else { return #expect(Bool(false)) }
    kept = try SecureResumption(kept.bytes)
  }

  @Test("A request that comes while the app's own is under way follows it; a second one is busy")
  func requestBehindTheOwn() throws {
    var (rig, kept) = try known([.classical])
    try rig.connect(2, code: nil, resumption: kept)
    let link = ProvisioningLink(id: 2)
    let count = rig.values.count
    var kept2: [[UInt8]] = []
    rig.carry = { _, value in
      if value.isFromApp { return [value.bytes] }
      kept2.append(value.bytes)
      return []
    }
    rig.advance(SecureAppMachine.finishDelay)
    #expect(rig.values.count == count + 2)
    #expect(rig.request(.scan, 2).isEmpty)
    guard case .requestFailed(.busy)? = rig.request(.status, 2).last else { return #expect(Bool(false)) }
    rig.carry = { _, value in [value.bytes] }
    let told = AppContext(now: rig.context.now, writeLimit: rig.limit)
    for value in kept2 { rig.apps[link]?.machine.handle(.notified(SecureService.receive, value), context: told) }
    rig.run()
    guard case .networks? = rig.events(2).last else { return #expect(Bool(false)) }
    kept = try SecureResumption(kept.bytes)
  }

  @Test("A device that does not answer the app's own request ends the session in time, and the waiting request with it")
  func ownRequestUnanswered() throws {
    var (rig, kept) = try known([.classical])
    try rig.connect(2, code: nil, resumption: kept)
    rig.carry = { _, value in value.isFromApp ? [value.bytes] : [] }
    rig.advance(SecureAppMachine.finishDelay)
    _ = rig.request(.scan, 2)
    rig.advance(SecureAppMachine.requestTime)
    #expect(rig.failure(2) == .timedOut)
    kept = try SecureResumption(kept.bytes)
  }

  @Test("A session forgets its own ticket alone") func forgetsItself() throws {
    var (rig, kept) = try known([.classical])
    try rig.connect(2)
    guard case .response? = rig.request(.custom(endpoint: "forget", body: [2]), 2).last else {
      return #expect(Bool(false))
    }
    #expect(rig.device.tickets.entries.map(\.current.name) == kept.tickets.map(\.name))
    kept = try SecureResumption(kept.bytes)
  }

  @Test("Tickets are bounded: the one that was used longest ago goes") func bounded() throws {
    var (rig, kept) = try known([.classical])
    for id in UInt64(2)...9 {
      try rig.connect(id)
      _ = rig.request(.status, id)
      rig.disconnect(id)
    }
    #expect(rig.device.tickets.entries.count == SecureTickets.limit)
    try rig.connect(20, code: nil, resumption: kept)
    #expect(rig.failure(20) != nil)
    kept = try SecureResumption(kept.bytes)
  }

  @Test("Another device's resumption is not tried") func otherDevice() throws {
    let (_, kept) = try known([.classical])
    var other = try SecureRig([.classical])
    try other.connect(1, resumption: kept)
    #expect(other.assurance() == .code)
    #expect(other.values.count == 2)
    #expect(other.app()?.resumption?.deviceIdentifier == other.device.information.deviceIdentifier)
  }

  @Test("A device that resumes nobody keeps no ticket") func withoutResumption() throws {
    var configuration = try SecureRig.configuration([.classical])
    configuration.resumes = false
    var rig = try SecureRig(configuration)
    try rig.connect()
    _ = rig.request(.status)
    #expect(rig.app()?.resumption == nil)
    #expect(rig.device.tickets.entries.isEmpty)
  }

  @Test("What is stored comes back, and cut or longer it does not") func stored() throws {
    var (rig, kept) = try known()
    try rig.connect(2, code: nil, resumption: kept)
    for bytes in [rig.device.tickets.bytes] {
      #expect(try SecureTickets(bytes).bytes == bytes)
      for length in bytes.indices {
        #expect(throws: ByteCodingError.self) { try SecureTickets(Array(bytes[..<length])) }
      }
      #expect(throws: ByteCodingError.self) { try SecureTickets(bytes + [0]) }
    }
    kept = try #require(rig.app(2)?.resumption)
    #expect(kept.tickets.count == 2)
    #expect(try SecureResumption(kept.bytes).bytes == kept.bytes)
    for length in kept.bytes.indices {
      #expect(throws: ByteCodingError.self) { try SecureResumption(Array(kept.bytes[..<length])) }
    }
    #expect(throws: ByteCodingError.self) { try SecureResumption(kept.bytes + [0]) }
  }
}
