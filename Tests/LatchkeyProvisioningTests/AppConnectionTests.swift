import CoreBluetooth
import Foundation
import LatchkeyProvisioningProtocol
import Synchronization
import Testing

@testable import LatchkeyProvisioning

/// A machine that reports what the test says, and remembers what it was told.
private final class StubApp: ProvisioningAppMachine {
  private let state = Mutex<(log: [String], actions: [AppAction], knowledge: AppKnowledge?, deadline: Duration?)>(
    ([], [], nil, nil))

  var log: [String] { state.withLock { $0.log } }
  var knowledge: AppKnowledge? {
    get { state.withLock { $0.knowledge } }
    set { state.withLock { $0.knowledge = newValue } }
  }
  var nextDeadline: Duration? {
    get { state.withLock { $0.deadline } }
    set { state.withLock { $0.deadline = newValue } }
  }

  /// What the machine gives with the next input.
  func will(_ actions: AppAction...) { state.withLock { $0.actions += actions } }

  private func note(_ text: String) { state.withLock { $0.log.append(text) } }

  func begin(_ service: ProvisioningService, context: AppContext) { note("begin") }
  func handle(_ input: AppInput, context: AppContext) { note("input") }
  func perform(_ request: AppRequest, context: AppContext) { note("request") }
  func handleTimeout(context: AppContext) { note("timeout") }
  func close(context: AppContext) { note("close") }
  func disconnected(context: AppContext) { note("disconnected") }
  func dequeueActions() -> [AppAction] {
    state.withLock { state in
      defer { state.actions = [] }
      return state.actions
    }
  }
}

/// An app's connection without a radio: inputs and their actions.
@Suite struct AppConnectionTests {
  private let stub = StubApp()
  private static let services: [ProvisioningProtocol: String] = [
    .secure: ProvisioningServices.secure, .improv: ProvisioningServices.improv, .legacy: "F200",
    .espressif: "021A9004-0382-4AEA-BFF4-6B3F1C5ADFB4",
  ]
  private static let credentials = try? NetworkCredentials(ssid: [65], passphrase: [])
  private static let joined = JoinedNetwork(ssid: [65])

  private func connection(
    isKnownSecure: Bool = false, accepts: Set<ProvisioningProtocol> = Set(ProvisioningProtocol.allCases)
  ) throws -> AppConnection {
    let device = try #require(
      FoundDevice(
        identifier: UUID(), name: "Lamp", rssi: -40, services: [CBUUID(string: ProvisioningServices.secure)],
        serviceData: [:]))
    var options = ProvisionerOptions()
    options.accepts = accepts
    options.searchTimeout = .seconds(30)
    return AppConnection(to: device, options: options, isKnownSecure: isKnownSecure, now: .zero) { [stub] _ in stub }
  }

  private func word(_ action: AppConnection.Action) -> String {
    switch action {
    case .search: "search"
    case .stopSearch: "stop"
    case .connect: "connect"
    case .discoverServices: "services"
    case .discover(let service, let describes): "discover \(service.prefix(8))\(describes ? " with texts" : "")"
    case .link(.write): "write"
    case .link: "link"
    case .progress(.chosen(let kind, let offered)): "chosen \(kind.rawValue) of \(offered.count)"
    case .progress(.joinFailed): "progress joinFailed"
    case .progress(.joined): "progress joined"
    case .progress(let step): "progress \(step)"
    case .remember: "remember"
    case .opened(let session): "opened \(session.protocol.rawValue)"
    case .answer(.success): "answer"
    case .answer(.failure(let failure)): "answer \(failure)"
    case .disconnect: "disconnect"
    case .finish(let failure): "finish \(failure.map { "\($0)" } ?? "well")"
    }
  }

  private func give(_ connection: inout AppConnection, _ input: AppConnection.Input, at now: Duration = .zero)
    -> [String]
  {
    connection.handle(input, context: AppContext(now: now))
    return connection.dequeueActions().map(word)
  }

  private func pass(_ connection: inout AppConnection, to now: Duration) -> [String] {
    connection.handleTimeout(context: AppContext(now: now))
    return connection.dequeueActions().map(word)
  }

  /// A connection whose link is up.
  private func connected(
    isKnownSecure: Bool = false, accepts: Set<ProvisioningProtocol> = Set(ProvisioningProtocol.allCases)
  ) throws -> AppConnection {
    var connection = try connection(isKnownSecure: isKnownSecure, accepts: accepts)
    _ = give(&connection, .state(.poweredOn, cause: nil))
    _ = give(&connection, .found)
    _ = give(&connection, .connected)
    return connection
  }

  private func opening() throws -> AppConnection {
    var connection = try connected()
    _ = give(&connection, .services([Self.services[.secure] ?? ""]))
    _ = give(&connection, .discovered(ProvisioningService(uuid: "", characteristics: [])))
    return connection
  }

  private func open() throws -> AppConnection {
    var connection = try opening()
    stub.will(.report(.opened(.code, [])))
    _ = give(&connection, .link(.subscribed("")))
    return connection
  }

  @Test("From the search to the session each input has its actions") func steps() throws {
    var connection = try connection()
    #expect(give(&connection, .found).isEmpty, "nothing was looked for yet")
    #expect(give(&connection, .state(.poweredOn, cause: nil)) == ["progress searching", "search"])
    #expect(give(&connection, .found) == ["stop", "progress connecting", "connect"])
    #expect(give(&connection, .connected) == ["progress connected", "services"])
    #expect(
      give(&connection, .services(["180A", Self.services[.espressif] ?? ""]))
        == ["chosen espressif of 1", "discover 021A9004 with texts"])
    #expect(give(&connection, .link(.wrote(""))).isEmpty, "the machine has not begun")
    stub.will(.subscribe("a"), .write("b", [1], withResponse: true))
    #expect(give(&connection, .discovered(ProvisioningService(uuid: "", characteristics: []))) == ["link", "write"])
    #expect(give(&connection, .request(.scan)) == ["answer disconnected"])
    stub.will(.report(.opened(.code, [])))
    #expect(give(&connection, .link(.wrote("b"))).last == "opened espressif")
    stub.will(.report(.networks([])))
    #expect(give(&connection, .request(.scan)) == ["progress scanning", "progress scanned(0)", "answer"])
    #expect(stub.log == ["begin", "input", "request"])
  }

  @Test("The strongest protocol that is accepted is chosen, and a known device is spoken to by the secure one alone")
  func choices() throws {
    func chosen(
      _ kinds: [ProvisioningProtocol], accepts: Set<ProvisioningProtocol> = Set(ProvisioningProtocol.allCases),
      isKnownSecure: Bool = false
    ) throws -> [String] {
      var connection = try connected(isKnownSecure: isKnownSecure, accepts: accepts)
      let services = kinds.compactMap { Self.services[$0] }
      let actions = give(&connection, .services(services))
      guard actions == ["disconnect"] else { return actions }
      return give(&connection, .disconnected)
    }
    #expect(try chosen([.improv, .secure, .legacy]).first == "chosen secure of 3")
    #expect(try chosen([.improv, .espressif, .legacy]).first == "chosen espressif of 3")
    #expect(try chosen([.improv, .legacy]).first == "chosen legacy of 2")
    #expect(try chosen([.improv, .secure], accepts: [.improv]).first == "chosen improv of 2")
    #expect(try chosen([.secure, .improv], isKnownSecure: true).first == "chosen secure of 2")
    #expect(
      try chosen([.espressif], isKnownSecure: true).last
        == "finish insecure(\"the device is known to speak the secure protocol, and does not offer it now\")")
    #expect(
      try chosen([.secure, .espressif], accepts: [.espressif], isKnownSecure: true).last
        == "finish insecure(\"the secure protocol, Espressif Unified Provisioning\")")
    #expect(try chosen([.improv], accepts: [.secure]).last == "finish insecure(\"Improv\")")
    #expect(try chosen([]).last == "finish unsupported(\"it has none of the services of a protocol\")")
  }

  @Test("Each phase has its deadline, after which the link ends, and at last without it") func deadlines() throws {
    var connection = try connection()
    #expect(connection.nextDeadline == .seconds(30))
    #expect(pass(&connection, to: .seconds(29)).isEmpty)
    #expect(pass(&connection, to: .seconds(30)).last == "finish radioUnavailable(\"unknown\", cause: nil)")
    connection = try self.connection()
    _ = give(&connection, .state(.poweredOn, cause: nil))
    #expect(pass(&connection, to: .seconds(30)) == ["stop", "progress disconnected", "finish notFound"])
    connection = try self.connection()
    _ = give(&connection, .state(.poweredOn, cause: nil))
    _ = give(&connection, .found)
    #expect(connection.nextDeadline == .seconds(15))
    #expect(pass(&connection, to: .seconds(15)) == ["disconnect"])
    #expect(connection.nextDeadline == .seconds(17))
    // The link does not go down: the end does not wait for it.
    #expect(pass(&connection, to: .seconds(17)) == ["progress disconnected", "finish timedOut"])
    for isOpening in [false, true] {
      connection = try isOpening ? opening() : connected()
      #expect(connection.nextDeadline == .seconds(60))
      #expect(pass(&connection, to: .seconds(60)) == ["disconnect"])
      #expect(give(&connection, .disconnected, at: .seconds(60)).last == "finish timedOut")
      #expect(connection.nextDeadline == nil)
    }
  }

  @Test("While somebody has to act at the device the session has the time of a request to open") func person() throws {
    var connection = try opening()
    stub.will(.report(.needsAuthorization))
    #expect(give(&connection, .link(.subscribed("")), at: .seconds(50)) == ["progress needsAuthorization"])
    #expect(connection.nextDeadline == .seconds(50 + 180))
    #expect(pass(&connection, to: .seconds(200)).isEmpty)
  }

  @Test("The machine's deadline is the connection's") func machineDeadline() throws {
    var connection = try open()
    #expect(connection.nextDeadline == nil)
    stub.nextDeadline = .seconds(3)
    #expect(connection.nextDeadline == .seconds(3))
    _ = pass(&connection, to: .seconds(2))
    #expect(!stub.log.contains("timeout"))
    stub.will(.report(.failed(.timedOut)))
    #expect(pass(&connection, to: .seconds(3)) == ["disconnect"])
    #expect(give(&connection, .disconnected).last == "finish timedOut")
  }

  @Test("Whoever cancels ends it in any phase, and once") func cancels() throws {
    var connection = try connection()
    #expect(give(&connection, .cancel).last == "finish cancelled")
    #expect(give(&connection, .cancel).isEmpty)
    connection = try self.connection()
    _ = give(&connection, .state(.poweredOn, cause: nil))
    #expect(give(&connection, .cancel) == ["stop", "progress disconnected", "finish cancelled"])
    for phase in 0..<3 {
      connection = try phase == 0 ? connected() : phase == 1 ? opening() : open()
      #expect(give(&connection, .cancel) == ["disconnect"])
      #expect(give(&connection, .cancel).isEmpty)
      #expect(give(&connection, .disconnected) == ["progress disconnected", "finish cancelled"])
      #expect(give(&connection, .disconnected).isEmpty)
    }
  }

  @Test("A session that is closed waits for its last writes, and for two seconds at most") func closes() throws {
    var connection = try open()
    #expect(give(&connection, .close) == ["disconnect"], "nothing is to be written")
    #expect(stub.log.last == "close")
    connection = try open()
    stub.will(.write("a", [1], withResponse: true), .write("a", [2], withResponse: true))
    #expect(give(&connection, .close, at: .seconds(1)) == ["write", "write"])
    #expect(give(&connection, .request(.status)).isEmpty)
    #expect(give(&connection, .link(.wrote("a"))).isEmpty)
    #expect(give(&connection, .link(.notified("a", []))).isEmpty)
    #expect(give(&connection, .link(.writeFailed("a", .attribute(0x80)))) == ["disconnect"])
    #expect(give(&connection, .disconnected) == ["progress disconnected", "finish well"])
    connection = try open()
    stub.will(.write("a", [1], withResponse: true))
    _ = give(&connection, .close, at: .seconds(1))
    #expect(connection.nextDeadline == .seconds(3))
    #expect(pass(&connection, to: .seconds(3)) == ["disconnect"])
    #expect(pass(&connection, to: .seconds(5)).last == "finish well")
  }

  @Test("What the app keeps of the device is stored once for each change, and before what was sent with it")
  func remembers() throws {
    var connection = try opening()
    stub.knowledge = AppKnowledge(deviceIdentifier: [1], resumption: [2])
    stub.will(.write("a", [1], withResponse: true))
    #expect(give(&connection, .link(.subscribed(""))) == ["remember", "write"])
    stub.will(.write("a", [1], withResponse: true))
    #expect(give(&connection, .link(.wrote(""))) == ["write"])
    stub.knowledge = AppKnowledge(deviceIdentifier: [1], resumption: [3])
    #expect(give(&connection, .link(.wrote(""))) == ["remember"])
  }

  @Test("One request at a time, each with an answer, and with a time of its own") func requests() throws {
    let requests: [(AppRequest, AppEvent)] = [
      (.status, .network(.idle)), (.forget, .done), (.identify, .done), (.hostname(nil), .hostname("lamp")),
      (.name(nil), .name("Lamp")), (.custom(endpoint: "a", body: []), .response([1])),
      (
        .information,
        .information(DeviceInformation(firmware: "", version: "", hardware: "", name: ""))
      ),
    ]
    var connection = try open()
    for (request, event) in requests {
      #expect(give(&connection, .request(request), at: .seconds(5)).isEmpty)
      #expect(connection.nextDeadline == .seconds(5 + 180))
      #expect(give(&connection, .request(.status)) == ["answer busy"])
      stub.will(.report(event))
      #expect(give(&connection, .link(.notified("", []))) == ["answer"])
      #expect(connection.nextDeadline == nil)
      // What comes twice answers nothing.
      stub.will(.report(event))
      #expect(give(&connection, .link(.notified("", []))).isEmpty)
    }
    _ = give(&connection, .request(.scan))
    stub.will(.report(.requestFailed(.refused("no"))))
    #expect(give(&connection, .link(.notified("", []))) == ["answer refused(\"no\")"])
    _ = give(&connection, .request(.status), at: .seconds(5))
    #expect(pass(&connection, to: .seconds(185)) == ["disconnect"])
    #expect(
      give(&connection, .disconnected) == ["answer timedOut", "progress disconnected", "finish timedOut"])
  }

  @Test("A join is answered when it ends; what the network does otherwise is shown, and answers nothing")
  func joins() throws {
    let join = AppRequest.join(try #require(Self.credentials))
    var connection = try open()
    _ = give(&connection, .request(join))
    stub.will(.report(.network(.connecting)), .report(.network(.connected(Self.joined))))
    #expect(give(&connection, .link(.notified("", []))) == ["progress joining", "progress joined", "answer"])
    stub.will(.report(.network(.failed(.noAddress))), .report(.network(.connected(Self.joined))))
    #expect(give(&connection, .link(.notified("", []))) == ["progress joinFailed", "progress joined"])
    stub.will(.report(.network(.idle)), .report(.network(.connecting)))
    #expect(give(&connection, .link(.notified("", []))).isEmpty)
    _ = give(&connection, .request(join))
    stub.will(.report(.network(.failed(.wrongPassphrase))))
    #expect(
      give(&connection, .link(.notified("", []))) == [
        "progress joinFailed", "answer joinFailed(LatchkeyProvisioningProtocol.JoinFailure.wrongPassphrase)",
      ])
  }

  @Test("A link that is lost ends the request and the session, after what the machine still says") func lost() throws {
    var connection = try open()
    _ = give(&connection, .request(.join(try #require(Self.credentials))))
    stub.will(.report(.network(.connected(Self.joined))))
    #expect(
      give(&connection, .disconnected) == [
        "progress joined", "answer", "progress disconnected", "finish disconnected",
      ])
    #expect(stub.log.last == "disconnected")
    connection = try open()
    _ = give(&connection, .request(.status))
    #expect(
      give(&connection, .disconnected) == ["answer disconnected", "progress disconnected", "finish disconnected"])
    connection = try connected()
    #expect(give(&connection, .discoveryFailed("no")) == ["disconnect"])
    connection = try self.connection()
    _ = give(&connection, .state(.poweredOn, cause: nil))
    _ = give(&connection, .found)
    #expect(give(&connection, .connectionFailed("no")).last == "finish disconnected")
  }

  @Test("A radio that is lost ends it in any phase; one that is not there yet is waited for") func radio() throws {
    var connection = try connection()
    #expect(give(&connection, .state(.unknown, cause: nil)).isEmpty)
    #expect(give(&connection, .state(.resetting, cause: nil)).isEmpty)
    #expect(
      give(&connection, .state(.poweredOff, cause: "gone")).last
        == "finish radioUnavailable(\"powered off\", cause: Optional(\"gone\"))")
    for isOpen in [false, true] {
      connection = try isOpen ? open() : connected()
      #expect(give(&connection, .state(.resetting, cause: nil)).last?.hasPrefix("finish radioUnavailable") == true)
    }
    connection = try open()
    _ = give(&connection, .cancel)
    #expect(give(&connection, .state(.poweredOn, cause: nil)).isEmpty)
    #expect(give(&connection, .state(.poweredOff, cause: nil)).last == "finish cancelled")
  }

  @Test("A protocol whose machine cannot be made ends it") func noMachine() throws {
    let device = try #require(
      FoundDevice(
        identifier: UUID(), name: nil, rssi: 0, services: [CBUUID(string: ProvisioningServices.secure)],
        serviceData: [:]))
    var connection = AppConnection(to: device, options: ProvisionerOptions(), isKnownSecure: false, now: .zero) {
      _ throws(ProvisioningFailure) in throw .unsupported("numbers")
    }
    _ = give(&connection, .state(.poweredOn, cause: nil))
    _ = give(&connection, .found)
    _ = give(&connection, .connected)
    #expect(give(&connection, .services([ProvisioningServices.secure])) == ["disconnect"])
    #expect(give(&connection, .disconnected).last == "finish unsupported(\"numbers\")")
  }
}
