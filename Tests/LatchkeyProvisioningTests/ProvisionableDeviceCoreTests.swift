import CoreBluetooth
import Foundation
import LatchkeyBluetoothHost
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyProvisioning

/// A machine that does what the first byte of a write says.
private struct StubMachine: ProvisioningDeviceMachine {
  let service: ProvisioningService
  var isAdvertised = true
  var serviceData: (uuid: UInt16, bytes: [UInt8])?
  var nextDeadline: Duration?
  var storedState: [UInt8]?
  var log: [String] = []
  private var actions: [DeviceAction] = []

  init(_ uuid: String) {
    service = ProvisioningService(
      uuid: uuid, characteristics: [.init(uuid: uuid + "-1", properties: [.read, .write, .notify])])
  }

  mutating func write(
    _ value: [UInt8], to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) {
    switch value.first {
    case 1:  // A try with a wrong code.
      let verdict = context.attempts.begin(now: context.now)
      log.append("\(verdict)")
      actions.append(.respond(link, error: verdict == .allowed ? nil : 0x80))
      actions.append(.notify(link, characteristic: characteristic, [1]))
      actions.append(.report(.wrongCode(link)))
    case 2:
      context.attempts.succeeded()
      actions.append(.respond(link, error: nil))
    case 3:
      guard let credentials = try? NetworkCredentials(ssid: [65], passphrase: []) else { return }
      actions.append(.perform(7, .join(credentials)))
      actions.append(.respond(link, error: nil))
    case 4: actions.append(.perform(8, .scan))
    case 5: actions.append(.perform(9, .forget))
    default: actions.append(.respond(link, error: nil))
    }
  }

  mutating func read(
    _ characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) throws(ATTFailure) -> [UInt8] { [9] }

  mutating func subscribed(
    _ isSubscribed: Bool, to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) {}

  mutating func disconnected(_ link: ProvisioningLink, context: inout DeviceContext) {
    actions.append(.report(.closed(link)))
  }

  mutating func completed(_ number: Int, _ result: DeviceWorkResult, context: inout DeviceContext) {
    switch result {
    case .done: log.append("\(number) done")
    case .networks(let networks): log.append("\(number) \(networks.map(\.name))")
    case .response, .failed: log.append("\(number) failed")
    }
  }

  mutating func changed(context: inout DeviceContext) {
    log.append("authorized \(context.isAuthorized) pairing \(context.isPairing) \(context.network)")
  }

  mutating func handleTimeout(context: inout DeviceContext) {}

  mutating func dequeueActions() -> [DeviceAction] {
    defer { actions = [] }
    return actions
  }
}

/// The policy above the protocols, without a radio.
@Suite struct ProvisionableDeviceCoreTests {
  private let link = ProvisioningLink(id: 1)
  private let central = UUID()

  private func core(
    _ kinds: [ProvisioningProtocol], _ state: ProvisionableDeviceState = .init(),
    rules: ProvisionableDeviceCore.Rules = .init()
  ) -> ProvisionableDeviceCore {
    var core = ProvisionableDeviceCore(
      machines: kinds.map { ($0, StubMachine($0.rawValue)) }, state: state, rules: rules, now: .zero)
    core.connected(link, central: central, notificationLimit: 20, now: .zero)
    core.started(now: .zero)
    _ = core.dequeueActions()
    return core
  }

  private func words(_ actions: [ProvisionableDeviceCore.Action]) -> [String] {
    actions.map { action in
      switch action {
      case .respond(_, let error): "respond \(error.map { "\($0)" } ?? "ok")"
      case .notify(_, _, let bytes): "notify \(bytes)"
      case .work(let number, _): "work \(number)"
      case .join(let number, _): "join \(number)"
      case .cancelJoin: "cancel"
      case .advertise(let advertisement): "advertise \(advertisement?.services.joined(separator: "+") ?? "nothing")"
      case .store(let state): "store \(state.failedAttempts) \(state.isProvisioned)"
      case .report(let event): "report \(event)".split(separator: "(").first.map(String.init) ?? ""
      }
    }
  }

  private func log(_ core: ProvisionableDeviceCore, _ index: Int = 0) -> [String] {
    (core.machines[index].machine as? StubMachine)?.log ?? []
  }

  private func write(
    _ core: inout ProvisionableDeviceCore, _ byte: UInt8, _ kind: ProvisioningProtocol, at now: Duration
  ) -> [String] {
    core.write([byte], to: kind.rawValue + "-1", from: link, now: now)
    return words(core.dequeueActions())
  }

  @Test("A try is stored before its write is answered, and a success gives it back") func triesAreStoredFirst() {
    var core = core([.secure])
    let first = write(&core, 1, .secure, at: .zero)
    #expect(first.prefix(3) == ["store 1 false", "respond ok", "notify [1]"])
    #expect(write(&core, 2, .secure, at: .seconds(1)).first == "store 0 false")
  }

  @Test("Ten failed tries lock every protocol, over a restart too, until somebody acts at the device")
  func lockOutlivesRestarts() {
    var state = ProvisionableDeviceState()
    var now = Duration.zero
    var allowed = 0
    // Each try after a restart of its own, on the protocols in turn, long after the last.
    for number in 0..<40 {
      var core = ProvisionableDeviceCore(
        machines: [(.secure, StubMachine("secure")), (.espressif, StubMachine("espressif"))], state: state,
        rules: .init(), now: now)
      core.connected(link, central: central, notificationLimit: 20, now: now)
      now += .seconds(100)
      _ = write(&core, 1, .secure, at: now)
      if log(core).contains("allowed") { allowed += 1 }
      state.failedAttempts = min(number + 1, 10)
    }
    #expect(allowed == 10)
    var core = core([.secure], state)
    _ = write(&core, 1, .secure, at: .seconds(1000))
    #expect(log(core).last == "locked")
    core.press(now: .seconds(1000))
    _ = write(&core, 1, .secure, at: .seconds(1000))
    #expect(log(core).last == "allowed")
  }

  @Test("Two tries lie apart by a time that doubles, whichever link and protocol they come from") func triesAreDelayed()
  {
    var core = core([.secure])
    _ = write(&core, 1, .secure, at: .zero)
    core.connected(ProvisioningLink(id: 2), central: UUID(), notificationLimit: 20, now: .zero)
    core.write([1], to: "secure-1", from: ProvisioningLink(id: 2), now: .milliseconds(999))
    #expect(log(core).last?.hasPrefix("wait") == true)
    _ = write(&core, 1, .secure, at: .seconds(1))
    _ = write(&core, 1, .secure, at: .seconds(2))
    #expect(log(core).suffix(2).first == "allowed" && log(core).last?.hasPrefix("wait") == true)
  }

  @Test("Beside the secure protocol the others wait for an act at the device, and close after its time")
  func weakerProtocolsNeedAPress() {
    for kind in [ProvisioningProtocol.espressif, .legacy] {
      var core = core([.secure, kind])
      #expect(write(&core, 0, kind, at: .zero) == ["respond 8", "report refused"])
      #expect((try? core.read(kind.rawValue + "-1", from: link, now: .zero).get()) == nil)
      core.press(now: .zero)
      _ = core.dequeueActions()
      core.handleTimeout(now: .seconds(120))
      _ = core.dequeueActions()
      #expect(write(&core, 0, kind, at: .seconds(120)).first == "respond 8")
      core.press(now: .seconds(130))
      _ = core.dequeueActions()
      #expect(write(&core, 0, kind, at: .seconds(249)).first == "respond ok")
      // What has begun goes on, for this link alone.
      #expect(write(&core, 0, kind, at: .seconds(400)).first == "respond ok")
      core.connected(ProvisioningLink(id: 2), central: UUID(), notificationLimit: 20, now: .zero)
      core.write([0], to: kind.rawValue + "-1", from: ProvisioningLink(id: 2), now: .seconds(400))
      #expect(words(core.dequeueActions()).first == "respond 8")
      // A link that has ended leaves nothing to the next one.
      core.disconnected(link, now: .seconds(401))
      core.connected(link, central: central, notificationLimit: 20, now: .seconds(401))
      _ = core.dequeueActions()
      #expect(write(&core, 0, kind, at: .seconds(402)).first == "respond 8")
    }
  }

  @Test("Alone, a protocol is open at once, and closes when nobody has provisioned the device in time")
  func pairingEnds() {
    var core = core([.espressif])
    #expect(write(&core, 0, .espressif, at: .zero).first == "respond ok")
    core.disconnected(link, now: .seconds(1))
    core.connected(link, central: central, notificationLimit: 20, now: .seconds(1))
    _ = core.dequeueActions()
    #expect(core.nextDeadline == .seconds(900))
    core.handleTimeout(now: .seconds(900))
    #expect(words(core.dequeueActions()) == ["advertise nothing"])
    #expect(log(core).last == "authorized true pairing false idle")
    #expect(write(&core, 0, .espressif, at: .seconds(900)).first == "respond 8")
    #expect(core.nextDeadline == nil)
  }

  @Test("A device that has joined lets unknown apps in only after an act at it, after a restart too")
  func provisionedDevicesAreClosed() {
    var state = ProvisionableDeviceState()
    state.isProvisioned = true
    var core = core([.espressif], state)
    #expect(write(&core, 0, .espressif, at: .zero).first == "respond 8")
    core.press(now: .zero)
    _ = core.dequeueActions()
    #expect(write(&core, 0, .espressif, at: .zero).first == "respond ok")
  }

  @Test("One attempt to join at a time: the second is told that the device is busy") func joinsDoNotMix() {
    var core = core([.secure])
    let first = write(&core, 3, .secure, at: .zero)
    #expect(first.contains("join 1") && first.contains("report joining"))
    _ = write(&core, 3, .secure, at: .seconds(1))
    #expect(log(core) == ["7 done", "authorized false pairing true connecting", "7 failed"])
    core.joinEnded(1, .success(JoinedNetwork(ssid: [65])), now: .seconds(2))
    #expect(words(core.dequeueActions()).prefix(2) == ["store 0 true", "report joined"])
    // An answer that comes twice, or late, changes nothing.
    core.joinEnded(1, .failure(.other), now: .seconds(3))
    #expect(words(core.dequeueActions()).isEmpty)
  }

  @Test("An attempt to join that takes too long is canceled, reported, and makes room for the next") func joinsEnd() {
    var core = core([.secure])
    _ = write(&core, 3, .secure, at: .zero)
    #expect(core.nextDeadline == .seconds(90))
    core.handleTimeout(now: .seconds(90))
    #expect(words(core.dequeueActions()) == ["cancel", "report joinFailed"])
    core.joinEnded(1, .success(JoinedNetwork(ssid: [65])), now: .seconds(91))
    #expect(words(core.dequeueActions()).isEmpty)
    #expect(write(&core, 3, .secure, at: .seconds(92)).contains("join 2"))
  }

  @Test("An attempt that failed is forgotten without asking the joiner; a network that was joined only with it")
  func forgetting() {
    var core = core([.espressif])
    _ = write(&core, 3, .espressif, at: .zero)
    #expect(!write(&core, 5, .espressif, at: .zero).contains { $0.hasPrefix("work") })
    #expect(log(core).last == "9 failed")
    core.joinEnded(1, .failure(.wrongPassphrase), now: .seconds(1))
    #expect(!write(&core, 5, .espressif, at: .seconds(1)).contains { $0.hasPrefix("work") })
    #expect(log(core).suffix(2) == ["9 done", "authorized true pairing true idle"])
    _ = write(&core, 3, .espressif, at: .seconds(2))
    core.joinEnded(2, .success(JoinedNetwork(ssid: [65])), now: .seconds(3))
    _ = core.dequeueActions()
    #expect(write(&core, 5, .espressif, at: .seconds(4)) == ["work 1"])
    core.completed(1, .done, now: .seconds(5))
    #expect(words(core.dequeueActions()).first == "store 0 false")
    #expect(log(core).suffix(2) == ["9 done", "authorized true pairing true idle"])
  }

  @Test("A link that knocks at a closed door a thousand times is reported once") func knocking() {
    var core = core([.secure, .legacy])
    var reports = 0
    for _ in 0..<1000 {
      reports += write(&core, 0, .legacy, at: .zero).count { $0 == "report refused" }
    }
    #expect(reports == 1)
  }

  @Test("While the state cannot be stored nobody is let in, and the next write tries again") func fullDisk() {
    var core = core([.secure])
    core.storingFailed("no space")
    #expect(words(core.dequeueActions()) == ["report notStored"])
    #expect(write(&core, 0, .secure, at: .zero) == ["store 0 false", "respond 14"])
    // A read tries again, too: some protocols begin with one.
    #expect((try? core.read("secure-1", from: link, now: .zero).get()) == nil)
    #expect(words(core.dequeueActions()) == ["store 0 false"])
    core.storingSucceeded()
    #expect(write(&core, 0, .secure, at: .zero) == ["respond ok"])
  }

  @Test("Several protocols take turns on the air, and a closed one has none") func advertisementsRotate() {
    var core = core([.secure, .espressif, .improv])
    core.started(now: .zero)
    #expect(words(core.dequeueActions()) == ["advertise secure"])
    var seen: [String] = []
    for second in 1...4 {
      core.handleTimeout(now: .seconds(second))
      seen += words(core.dequeueActions())
    }
    #expect(seen == ["advertise improv", "advertise secure", "advertise improv", "advertise secure"])
    core.press(now: .seconds(5))
    _ = core.dequeueActions()
    seen = []
    for second in 6...8 {
      core.handleTimeout(now: .seconds(second))
      seen += words(core.dequeueActions())
    }
    #expect(Set(seen) == ["advertise secure", "advertise espressif", "advertise improv"])
  }

  @Test("Beside a short name Espressif's service stands before the secure protocol's, in one advertisement")
  func sharedAdvertisement() {
    var rules = ProvisionableDeviceCore.Rules()
    rules.isNameShort = true
    var core = core([.secure, .espressif], rules: rules)
    core.started(now: .zero)
    #expect(words(core.dequeueActions()) == ["advertise secure"])
    core.press(now: .seconds(1))
    #expect(words(core.dequeueActions()).suffix(1) == ["advertise espressif+secure"])
    // Nothing takes turns with it, so that a scan sees no other one.
    #expect(core.nextDeadline == .seconds(121))
    core.handleTimeout(now: .seconds(121))
    #expect(words(core.dequeueActions()).suffix(1) == ["advertise secure"])

    var withImprov = self.core([.secure, .espressif, .improv], rules: rules)
    withImprov.press(now: .zero)
    _ = withImprov.dequeueActions()
    var seen: Set<String> = []
    for second in 1...4 {
      withImprov.handleTimeout(now: .seconds(second))
      seen.formUnion(words(withImprov.dequeueActions()))
    }
    #expect(seen == ["advertise espressif+secure", "advertise improv"])
  }

  @Test(
    "A name of 11 bytes leaves room for two services, one of 12 does not",
    arguments: [("PROV_012345", 2), ("PROV_0123456", 1)])
  func namesAndServices(name: String, count: Int) throws {
    var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
    options.protocols = [.secure, .espressif]
    var core = try options.core(name: name, now: .zero)
    core.press(now: .zero)
    let advertised = core.dequeueActions().compactMap { action -> DeviceAdvertisement? in
      if case .advertise(let advertisement) = action { advertisement } else { nil }
    }
    let services = try #require(advertised.last).services
    #expect(services.count == count)
    func omitted(_ services: [String]) -> [BluetoothUUID] {
      let uuids = services.compactMap { BluetoothUUID(bigEndian: [UInt8](CBUUID(string: $0).data)) }
      return AdvertisingPayload(AdvertisingParameters(localName: name, services: uuids)).omittedServices
    }
    #expect(omitted(services).isEmpty)
    #expect(omitted(services + [ProvisioningServices.improv]).count == 1)
  }

  @Test("A scan's result has each name once, the strongest first, and none that hides its name") func scansAreSorted() {
    let networks = [
      ScannedNetwork(ssid: [65], rssi: -80, security: .open), ScannedNetwork(ssid: [66], rssi: -50, security: .wpa2),
      ScannedNetwork(ssid: [65], rssi: -30, security: .open), ScannedNetwork(ssid: [], rssi: -10, security: .open),
      ScannedNetwork(ssid: [0, 0], rssi: -10, security: .open),
      ScannedNetwork(ssid: Array(repeating: 67, count: 33), rssi: -10, security: .open),
      ScannedNetwork(ssid: [68], rssi: -20, security: .open),
    ]
    var core = core([.secure])
    #expect(write(&core, 4, .secure, at: .zero) == ["work 1"])
    core.completed(1, .networks(networks), now: .zero)
    core.completed(1, .networks(networks), now: .zero)
    core.completed(99, .done, now: .zero)
    #expect(log(core) == [#"8 ["D", "A", "B"]"#])
  }

  @Test("No more links are remembered than the limit: the quietest makes room") func linksAreBounded() {
    var core = core([.secure])
    for id in 2...200 {
      core.connected(ProvisioningLink(id: UInt64(id)), central: UUID(), notificationLimit: 20, now: .zero)
    }
    let closed = words(core.dequeueActions()).filter { $0 == "report closed" }
    #expect(closed.count == 200 - ProvisionableDeviceCore.maximumLinks)
  }

  @Test("A link that is used again is not the quietest") func usedLinksStay() {
    var core = core([.secure])
    for id in 2...200 {
      core.connected(ProvisioningLink(id: UInt64(id)), central: UUID(), notificationLimit: 20, now: .zero)
      core.connected(link, central: central, notificationLimit: 20, now: .zero)
    }
    let closed = core.dequeueActions().compactMap { action in
      if case .report(.closed(_, let central)) = action { central } else { nil }
    }
    #expect(closed.count == 200 - ProvisionableDeviceCore.maximumLinks)
    #expect(!closed.contains(central))
  }

  @Test("An act at the device, and its end, are told to the machines and reported once") func pressesAreTold() {
    var core = core([.secure])
    core.press(now: .zero)
    #expect(words(core.dequeueActions()) == ["report pressed"])
    #expect(log(core) == ["authorized true pairing true idle"])
    core.handleTimeout(now: .seconds(119))
    #expect(words(core.dequeueActions()).isEmpty)
    core.handleTimeout(now: .seconds(120))
    #expect(words(core.dequeueActions()) == ["report pressEnded"])
    core.handleTimeout(now: .seconds(130))
    #expect(words(core.dequeueActions()).isEmpty)
    #expect(log(core) == ["authorized true pairing true idle", "authorized false pairing true idle"])
  }

  @Test("The end of an attempt to join that was given up is not that of the next one") func lateEnds() {
    var core = core([.secure])
    _ = write(&core, 3, .secure, at: .zero)
    core.handleTimeout(now: .seconds(90))
    _ = write(&core, 3, .secure, at: .seconds(91))
    core.joinEnded(1, .success(JoinedNetwork(ssid: [65])), now: .seconds(92))
    #expect(words(core.dequeueActions()).isEmpty)
    core.joinEnded(2, .success(JoinedNetwork(ssid: [65])), now: .seconds(93))
    #expect(words(core.dequeueActions()).contains("report joined"))
  }

  @Test("A device that is told so waits for an act though no stronger protocol is offered") func needsPress() {
    var rules = ProvisionableDeviceCore.Rules()
    rules.needsPress = true
    var core = core([.legacy], rules: rules)
    #expect(write(&core, 0, .legacy, at: .zero).first == "respond 8")
    core.press(now: .zero)
    _ = core.dequeueActions()
    #expect(write(&core, 0, .legacy, at: .zero).first == "respond ok")
  }

  @Test("Each wrong code is reported with the tries that are left, and the end of them once") func triesLeft() {
    var core = core([.secure])
    var left: [Int] = []
    var locks = 0
    for number in 0..<12 {
      core.write([1], to: "secure-1", from: link, now: .seconds(100 * number))
      for case .report(let event) in core.dequeueActions() {
        if case .wrongCode(_, _, let attemptsLeft) = event { left.append(attemptsLeft) }
        if event == .locked { locks += 1 }
      }
    }
    #expect(left == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0])
    #expect(locks == 1)
  }

  @Test("What a machine keeps is stored when it changes, and not otherwise") func ticketsAreStored() {
    var machine = StubMachine("secure")
    machine.storedState = [7]
    var core = ProvisionableDeviceCore(
      machines: [(.secure, machine)], state: .init(), rules: .init(), now: .zero)
    core.connected(link, central: central, notificationLimit: 20, now: .zero)
    core.write([0], to: "secure-1", from: link, now: .zero)
    guard case .store(let state)? = core.dequeueActions().first else {
      Issue.record("nothing was stored")
      return
    }
    #expect(state.tickets == Data([7]))
    core.write([0], to: "secure-1", from: link, now: .zero)
    #expect(!words(core.dequeueActions()).contains { $0.hasPrefix("store") })
  }

  @Test("A characteristic that nobody has is refused") func unknownCharacteristics() {
    var core = core([.secure])
    core.write([0], to: "2A00", from: link, now: .zero)
    #expect(words(core.dequeueActions()) == ["respond 3"])
    #expect((try? core.read("2A00", from: link, now: .zero).get()) == nil)
  }
}
