import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// The app's machine against the device's, and against devices that lie.
@Suite struct ProtocommAppMachineTests {
  private static let all: ProvisioningCapabilities = [.scan, .forget, .custom]

  @Test("Three round trips open a session of Security 2, and the fourth is a request") func roundTrips() {
    var pair = ProtocommPair()
    pair.begin()
    #expect(pair.trips == 3)
    #expect(pair.events.map(\.text) == ["opened code \(Self.all.rawValue)"])
    pair.perform(.status)
    #expect(pair.trips == 4)
    #expect(pair.events.map(\.text).last == "network connecting")
    #expect(pair.bench.context.attempts.record.failures == 0)
  }

  @Test("Networks come in pages, in the device's order", arguments: [1, 3, 4, 5, 16]) func scan(_ count: Int) {
    var pair = ProtocommPair { $0.security2 = .never }
    pair.networks = threeNetworks(count)
    pair.begin()
    pair.perform(.scan)
    guard case .networks(let networks)? = pair.events.last else {
      Issue.record("no networks: \(pair.events)")
      return
    }
    #expect(networks == threeNetworks(count))
    #expect(pair.trips == 3 + 2 + (count + 3) / 4)
  }

  @Test("A device without networks gives an empty list") func emptyScan() {
    var pair = ProtocommPair { $0.security2 = .never }
    pair.networks = []
    pair.begin()
    pair.perform(.scan)
    #expect(pair.events.last?.text == "networks []")
  }

  @Test(
    "A join is asked for until it ends: joined, a wrong passphrase, no network",
    arguments: [
      NetworkState.connected(
        JoinedNetwork(
          ssid: Array("Home".utf8), address: "10.0.0.2", security: .wpa2, bssid: [1, 2, 3, 4, 5, 6], channel: 6)),
      .failed(.wrongPassphrase), .failed(.networkNotFound),
    ]) func join(_ state: NetworkState) throws
  {
    var pair = ProtocommPair { $0.security2 = .never }
    pair.begin()
    pair.perform(.join(try NetworkCredentials(ssid: Array("Home".utf8), passphrase: Array("secret123".utf8))))
    #expect(pair.events.last?.text == "network connecting")
    for _ in 0..<3 { pair.wait() }
    #expect(pair.events.count == 2)
    pair.bench.context.network = state
    pair.wait()
    #expect(pair.events.last?.text == "network \(state)")
    #expect(pair.app.nextDeadline == nil)
    #expect(pair.now == .seconds(8))
  }

  @Test("A device that connects for ever is given up after two minutes, and the session goes on") func endlessJoin()
    throws
  {
    var pair = ProtocommPair { $0.security2 = .never }
    pair.begin()
    pair.perform(.join(try NetworkCredentials(ssid: [0x41], passphrase: [])))
    while pair.app.nextDeadline != nil { pair.wait() }
    #expect(pair.events.last?.text == "requestFailed timedOut")
    #expect(pair.now == .seconds(120))
    pair.perform(.status)
    #expect(pair.events.last?.text == "network connecting")
  }

  @Test("What the device refuses fails the request alone") func refusedRequests() throws {
    var pair = ProtocommPair { $0.security2 = .never }
    pair.begin()
    let long = try NetworkCredentials(ssid: [0x41], passphrase: [UInt8](repeating: 0x42, count: 64))
    pair.perform(.join(long))
    #expect(pair.events.last?.text == "requestFailed refused(\"invalid argument\")")
    pair.perform(.custom(endpoint: "Custom-Data", body: [1, 2, 3]))
    #expect(pair.events.last?.text == "response 030201")
    pair.perform(.custom(endpoint: "custom-data", body: [UInt8](repeating: 1, count: 513)))
    #expect(pair.events.last?.requestFailure != nil)
    for endpoint in ["prov-session", "prov-config", "nothing", ""] {
      pair.perform(.custom(endpoint: endpoint, body: [1]))
      #expect(pair.events.last?.requestFailure != nil)
    }
    for request in [AppRequest.identify, .information, .hostname(nil), .name(nil)] {
      pair.perform(request)
      #expect(pair.events.last?.requestFailure != nil)
    }
    pair.perform(.forget)
    #expect(pair.events.last?.text == "done")
    // A maker's endpoint that refuses.
    pair.perform(.status)
    #expect(pair.events.last?.text == "network connecting")
  }

  @Test("A wrong code is told as one, of both schemes", arguments: [true, false]) func wrongCode(_ isStrong: Bool) {
    var pair = ProtocommPair(ProtocommAppConfiguration(code: SecretBytes(Array("abcd1235".utf8)))) { configuration in
      if !isStrong { configuration.security2 = .never }
    }
    pair.begin()
    #expect(pair.events.map(\.text) == ["failed wrongCode"])
    #expect(pair.bench.context.attempts.record.failures == 1)
    #expect(pair.app.nextDeadline == nil)
    // Nothing follows the end.
    pair.perform(.status)
    pair.app.handleTimeout(context: AppContext(now: .seconds(999)))
    pair.pump()
    #expect(pair.events.count == 1 && pair.trips == 3)
  }

  @Test("A locked device, and one that waits for an act, are told as such") func lockedDevices() {
    var pair = ProtocommPair()
    pair.bench.context.attempts = AttemptBudget(record: .init(failures: 10), now: .zero)
    pair.begin()
    #expect(pair.events.map(\.text) == ["failed locked(for: nil)"])
    pair = ProtocommPair { configuration in
      (configuration.security2, configuration.security1) = (.never, .whenAuthorized)
    }
    pair.bench.context.isAuthorized = false
    pair.begin()
    #expect(pair.events.map(\.text) == ["failed notAuthorized"])
  }

  @Test("Security 0 is refused unless allowed, by the version and by its absence (test 2)") func plain() {
    let configure: (inout ProtocommDeviceConfiguration) -> Void = { configuration in
      (configuration.security0, configuration.security1, configuration.security2) = (.always, .never, .never)
    }
    var pair = ProtocommPair(ProtocommAppConfiguration(code: nil), configure)
    pair.begin()
    #expect(pair.events.first?.text.hasPrefix("failed insecure") == true)
    #expect(pair.trips == 1)
    var allowed = ProtocommAppConfiguration(code: nil)
    allowed.allowsSecurity0 = true
    pair = ProtocommPair(allowed, configure)
    pair.begin()
    #expect(pair.events.map(\.text) == ["opened none \(Self.all.rawValue)"])
    #expect(pair.trips == 2)
    pair.perform(.status)
    #expect(pair.events.last?.text == "network connecting")
  }

  @Test(
    "Security 1 and repeated nonces are refused where the app does not want them, and without a code nothing is sent")
  func policy() {
    var strict = ProtocommAppConfiguration(code: ProtocommBench.example.secretCode)
    (strict.allowsSecurity1, strict.allowsRepeatedNonces) = (false, false)
    var pair = ProtocommPair(strict) { $0.security2 = .never }
    pair.begin()
    #expect(pair.events.first?.text.hasPrefix("failed insecure") == true)
    pair = ProtocommPair(strict)
    pair.damage = { trip, bytes in trip == 1 ? Array(#"{"prov":{"sec_ver":2,"cap":[]}}"#.utf8) : bytes }
    pair.begin()
    #expect(pair.events.first?.text.hasPrefix("failed insecure") == true)
    #expect(pair.trips == 1)
    for isStrong in [true, false] {
      pair = ProtocommPair(ProtocommAppConfiguration(code: nil)) { if !isStrong { $0.security2 = .never } }
      pair.begin()
      #expect(pair.events.first?.text.hasPrefix("failed unsupported") == true)
      #expect(pair.trips == 1)
    }
    // A device that says it has no code, to an app whose user has one: somebody in between may have said it.
    pair = ProtocommPair()
    pair.damage = { trip, bytes in trip == 1 ? Array(#"{"prov":{"sec_ver":1,"cap":["no_pop"]}}"#.utf8) : bytes }
    pair.begin()
    #expect(pair.events.first?.text.hasPrefix("failed insecure") == true)
  }

  @Test("Any damage to the answers of a handshake ends it, and nothing more is sent (tests 10, 12, 19 and 20)")
  func damagedHandshake() {
    for trip in 2...3 {
      for index in stride(from: 0, to: 60, by: 2) {
        var pair = ProtocommPair { $0.security2 = .never }
        pair.damage = { number, bytes in
          guard number == trip, index < bytes.count else { return number == trip ? bytes + [0x98] : bytes }
          var bytes = bytes
          bytes[index] ^= 1 << UInt8(index % 7)
          return bytes
        }
        pair.begin()
        #expect(pair.events.count == 1 && pair.events[0].failure != nil, "trip \(trip), byte \(index)")
        // Another key or another random number shows in the proof, which the device refuses.
        #expect(pair.trips <= 3)
      }
    }
  }

  @Test("Cut at every byte, no answer of a handshake opens a session") func cutHandshake() {
    // The version, and the answers of 59 and 43 bytes.
    for (trip, lengths) in [(1, 0..<60), (2, 0..<59), (3, 0..<43)] {
      for length in lengths {
        var pair = ProtocommPair { $0.security2 = .never }
        pair.damage = { number, bytes in number == trip ? Array(bytes.prefix(length)) : bytes }
        pair.begin()
        // A version that is cut is that of very old firmware: Security 1, which the proofs then decide.
        if trip > 1 || length == 0 { #expect(pair.events.first?.failure != nil, "trip \(trip), \(length) bytes") }
      }
    }
  }

  @Test("Test 26: the app's own message returned to it is an error, in a handshake and after it") func reflection() {
    for trip in 2...4 {
      for isStrong in [true, false] {
        var pair = ProtocommPair { if !isStrong { $0.security2 = .never } }
        pair.app.begin(pair.bench.machine.service, context: pair.context)
        // A device that is a mirror from this trip on.
        var number = 0
        var last: [UInt8] = []
        var actions = pair.app.dequeueActions()
        if trip == 4 {
          actions = []
          pair = ProtocommPair { if !isStrong { $0.security2 = .never } }
          pair.begin()
          pair.app.perform(.status, context: pair.context)
          actions = pair.app.dequeueActions()
          number = 3
        }
        while let action = actions.first {
          actions.removeFirst()
          switch action {
          case .write(let uuid, let bytes, _):
            (number, last) = (number + 1, bytes)
            pair.bench.machine.write(bytes, to: uuid, from: ProtocommBench.link, context: &pair.bench.context)
            pair.app.handle(.wrote(uuid), context: pair.context)
          case .read(let uuid):
            let bytes = try? pair.bench.machine.read(uuid, from: ProtocommBench.link, context: &pair.bench.context)
            pair.app.handle(.read(uuid, number >= trip ? last : bytes ?? []), context: pair.context)
          case .report(let event): pair.events.append(event)
          case .subscribe: break
          }
          actions += pair.app.dequeueActions()
        }
        #expect(pair.events.last?.failure != nil, "trip \(trip)")
      }
    }
  }

  @Test("Test 36: lists that lie about their number are capped, and end", arguments: [UInt32(17), .max, 2])
  func lyingScan(_ count: UInt32) throws {
    var configuration = ProtocommAppConfiguration(code: nil)
    configuration.allowsSecurity0 = true
    for length in [0, 1, 8] {
      var pair = ProtocommPair(configuration) { configured in
        (configured.security0, configured.security1, configured.security2) = (.always, .never, .never)
      }
      pair.networks = threeNetworks()
      // The device tells a number, and then gives pages of none, of one, or of more than it was asked for.
      pair.damage = { trip, bytes in
        switch trip {
        case 4: ScanMessage.status(.success, isFinished: true, count: count).encoded
        case 5...: ScanMessage.result(.success, threeNetworks(length)).encoded
        default: bytes
        }
      }
      pair.begin()
      // The device refuses pages beyond its list: a device that does not is played by a bare one.
      var app = pair.app
      app.perform(.scan, context: pair.context)
      var answers = 2
      var list: [ScannedNetwork]?
      var actions = app.dequeueActions()
      while let action = actions.first {
        actions.removeFirst()
        switch action {
        case .write(let uuid, _, _):
          answers += 1
          app.handle(.wrote(uuid), context: pair.context)
        case .read(let uuid):
          let bytes = answers == 3 ? ScanMessage.startResponse(.success).encoded : pair.damage(answers, [])
          app.handle(.read(uuid, bytes), context: pair.context)
        case .report(.networks(let networks)): list = networks
        default: Issue.record("\(action)")
        }
        actions += app.dequeueActions()
      }
      #expect(list?.count == (length == 0 ? 0 : min(Int(count), 64)))
      #expect(answers <= 4 + 64)
    }
  }

  @Test("Test 39: two endpoints of one name are an error, no prov-session too, and upper case is not") func endpoints()
  {
    var pair = ProtocommPair { $0.security2 = .never }
    let service = pair.bench.machine.service
    let twice = ProvisioningService(
      uuid: service.uuid, characteristics: service.characteristics + service.characteristics.prefix(1))
    pair.begin(twice)
    #expect(pair.events.first?.text.hasPrefix("failed malformed") == true)
    pair = ProtocommPair()
    pair.begin(
      ProvisioningService(
        uuid: service.uuid, characteristics: service.characteristics.filter { $0.userDescription != "prov-session" }))
    #expect(pair.events.first?.text.hasPrefix("failed unsupported") == true)
    #expect(pair.trips == 0)
    for rename in [{ $0?.uppercased() }, { _ in nil }] as [(String?) -> String?] {
      pair = ProtocommPair { $0.security2 = .never }
      let renamed = service.characteristics.map {
        ProvisioningCharacteristic(
          uuid: $0.uuid, properties: $0.properties, userDescription: rename($0.userDescription))
      }
      pair.begin(ProvisioningService(uuid: service.uuid, characteristics: renamed))
      #expect(pair.events.first?.failure == nil)
    }
  }

  @Test("Without proto-ver the device is taken for old firmware: Security 1") func noVersion() {
    var pair = ProtocommPair()
    let service = pair.bench.machine.service
    pair.begin(
      ProvisioningService(
        uuid: service.uuid, characteristics: service.characteristics.filter { $0.userDescription != "proto-ver" }))
    #expect(pair.events.first?.text == "opened weakCode \(Self.all.rawValue)")
    #expect(pair.trips == 2)
  }

  @Test("A device that does not answer ends the session after 30 s, and inputs out of place do nothing") func silence()
  {
    var pair = ProtocommPair()
    pair.app.begin(pair.bench.machine.service, context: pair.context)
    _ = pair.app.dequeueActions()
    let uuid = ProtocommBench.uuid("proto-ver", of: pair.bench.machine)
    for input in [
      AppInput.wrote("2A00"), .read(uuid, [1]), .readFailed(uuid, .attribute(4)), .notified(uuid, [1]),
      .subscribed(uuid),
      .subscriptionFailed(uuid, .attribute(4)), .writeFailed("2A00", .attribute(4)),
    ] {
      pair.app.handle(input, context: pair.context)
      #expect(pair.app.dequeueActions().isEmpty)
    }
    pair.app.perform(.status, context: pair.context)
    #expect(pair.app.dequeueActions().isEmpty)
    #expect(pair.app.nextDeadline == .seconds(30))
    pair.wait()
    #expect(pair.events.map(\.text) == ["failed timedOut"])
  }

  @Test("A value of 513 bytes ends the session") func longValue() {
    var pair = ProtocommPair()
    pair.damage = { _, _ in [UInt8](repeating: 0x20, count: 513) }
    pair.begin()
    #expect(pair.events.first?.text.hasPrefix("failed malformed") == true)
  }

  @Test("Tests 28 and 29: whole messages of 406 and 416 bytes are written and read, whatever the link cuts them to")
  func longMessages() {
    var pair = ProtocommPair()
    var lengths: [Int] = []
    pair.app.begin(pair.bench.machine.service, context: AppContext(now: .zero, writeLimit: 20))
    pair.damage = {
      lengths.append($1.count); return $1
    }
    pair.pump()
    #expect(lengths.dropFirst() == [416, 89])
    #expect(pair.events.first?.text == "opened code \(Self.all.rawValue)")
  }
}
