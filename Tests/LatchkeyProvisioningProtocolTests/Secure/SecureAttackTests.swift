import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

/// A radio that alters, drops, repeats, reorders and reflects.
@Suite struct SecureAttackTests {
  /// A whole exchange: handshake, a scan and a custom request, so that all messages of suite 02 pass.
  private func exchange(
    limit: Int = 100, _ carry: @escaping (Int, SecureRig.Value) -> [[UInt8]]
  ) throws -> (rig: SecureRig, scan: [AppEvent], custom: [AppEvent]) {
    var rig = try SecureRig([.classical])
    rig.limit = limit
    rig.carry = carry
    try rig.connect()
    let scan = rig.request(.scan)
    let custom = rig.request(.custom(endpoint: "echo", body: [1, 2, 3]))
    return (rig, scan, custom)
  }

  /// Either all went as it should, or the session is lost; never did anything pass for what it is not.
  private func checkNothingFalse(_ result: (rig: SecureRig, scan: [AppEvent], custom: [AppEvent]), _ what: String) {
    for event in result.scan {
      if case .networks(let networks) = event { #expect(networks == SecureRig.networks, "\(what)") }
    }
    for event in result.custom {
      if case .response(let body) = event { #expect(body == [3, 2, 1], "\(what)") }
    }
    for work in result.rig.work {
      switch work {
      case .scan: break
      case .custom("echo", [1, 2, 3]): break
      default: Issue.record("work that nobody asked for: \(what)")
      }
    }
  }

  private func values() throws -> [SecureRig.Value] { try exchange { _, value in [value.bytes] }.rig.values }

  @Test("Nothing altered in any byte passes, and the session is lost") func altered() throws {
    for (number, value) in try values().enumerated() {
      for index in value.bytes.indices {
        let result = try exchange { at, value in
          guard at == number else { return [value.bytes] }
          var bytes = value.bytes
          bytes[index] ^= 0x01
          return [bytes]
        }
        checkNothingFalse(result, "byte \(index) of value \(number)")
        let isLost =
          result.rig.failure() != nil || !result.custom.contains { if case .response = $0 { true } else { false } }
        #expect(isLost, "byte \(index) of value \(number)")
      }
    }
  }

  @Test("A value cut at any byte passes for nothing") func cut() throws {
    for (number, value) in try values().enumerated() {
      for length in value.bytes.indices {
        let result = try exchange { at, value in [at == number ? Array(value.bytes[..<length]) : value.bytes] }
        checkNothingFalse(result, "value \(number) cut to \(length)")
        #expect(result.custom.isEmpty || result.rig.failure() != nil, "value \(number) cut to \(length)")
      }
    }
  }

  @Test("A value dropped or repeated passes for nothing", arguments: [0, 2, 3]) func droppedOrRepeated(_ times: Int)
    throws
  {
    for limit in [20, 100] {
      let count = try exchange(limit: limit) { _, value in [value.bytes] }.rig.values.count
      for number in 0..<count {
        let result = try exchange(limit: limit) { at, value in
          at == number ? [[UInt8]](repeating: value.bytes, count: times) : [value.bytes]
        }
        checkNothingFalse(result, "value \(number) \(times) times")
        let scans = result.rig.work.count { if case .scan = $0 { true } else { false } }
        #expect(scans <= 1, "value \(number) \(times) times")
      }
    }
  }

  @Test("Values that change places pass for nothing") func reordered() throws {
    let count = try exchange(limit: 20) { _, value in [value.bytes] }.rig.values.count
    for number in 0..<count - 1 {
      var held: [UInt8]?
      let result = try exchange(limit: 20) { at, value in
        if at == number {
          held = value.bytes
          return []
        }
        defer { held = nil }
        return [value.bytes] + (held.map { [$0] } ?? [])
      }
      checkNothingFalse(result, "values \(number) and \(number + 1)")
    }
  }

  @Test("What a side sent comes back as nothing") func reflected() throws {
    let values = try values()
    for number in values.indices {
      for source in values.indices where values[source].isFromApp != values[number].isFromApp {
        // This session's own value, if it was sent by then, in the place of the peer's.
        var sent: [[UInt8]] = []
        let result = try exchange { at, value in
          sent.append(value.bytes)
          guard at == number, source < sent.count else { return [value.bytes] }
          return [sent[source]]
        }
        checkNothingFalse(result, "value \(source) for value \(number)")
        if source < number { #expect(result.rig.failure() != nil || result.custom.isEmpty) }
      }
    }
  }

  @Test("Another session's values are of no use in this one") func replayed() throws {
    let old = try values()
    for number in old.indices {
      let result = try exchange { at, value in [at == number ? old[number].bytes : value.bytes] }
      checkNothingFalse(result, "value \(number)")
      #expect(result.rig.failure() != nil || result.custom.isEmpty, "value \(number)")
    }
  }

  @Test("A recorded app opens nothing") func recordedApp() throws {
    var rig = try SecureRig([.classical])
    try rig.connect()
    _ = rig.request(.scan)
    let sent = rig.values.filter(\.isFromApp)
    rig.disconnect()
    let link = ProvisioningLink(id: 9)
    rig.device.subscribed(true, to: SecureService.receive, from: link, context: &rig.context)
    for value in sent { rig.device.write(value.bytes, to: SecureService.transmit, from: link, context: &rig.context) }
    rig.run()
    #expect(rig.openings == 1)
    #expect(rig.context.attempts.record.failures == 1)
    #expect(rig.work.count == 1)
  }

  @Test("Messages of the other side, or out of their place, end the link") func outOfPlace() throws {
    let bodies: [(SecureMessage.Kind, Int)] = [
      (.reply, 64), (.finish, 48), (.resumed, 48), (.appRecord, 16), (.deviceRecord, 16), (.error, 1),
    ]
    for (kind, length) in bodies {
      var rig = try SecureRig([.classical])
      let link = ProvisioningLink(id: 1)
      rig.device.subscribed(true, to: SecureService.receive, from: link, context: &rig.context)
      let message = SecureMessage(kind, [UInt8](repeating: 1, count: length))
      for _ in 0..<2 {
        for value in SecureFragments.values(of: message.bytes, limit: 100) {
          rig.device.write(value, to: SecureService.transmit, from: link, context: &rig.context)
        }
      }
      rig.run()
      #expect(rig.refusals == [0x80], "\(kind)")
      #expect(rig.values.map(\.bytes) == [[0xC0, 0, 4, 0x7F, 0, 1, 2]], "\(kind)")
      #expect(rig.context.attempts.record.failures == 0)
    }
  }

  @Test("A second hello within a handshake, or in a session, ends it") func secondHello() throws {
    for opens in [false, true] {
      var rig = try SecureRig([.classical])
      try rig.connect()
      if opens { _ = rig.request(.status) }
      let hello = try #require(rig.values.first)
      rig.device.write(hello.bytes, to: SecureService.transmit, from: ProvisioningLink(id: 1), context: &rig.context)
      rig.run()
      #expect(rig.device.openSessions == 0)
      #expect(rig.device.nextDeadline == nil)
    }
  }
}
