import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

/// A device and apps on links without a radio: every value passes through `carry`, which may alter, drop, repeat or keep it.
struct SecureRig {
  struct Value: Sendable {
    let isFromApp: Bool
    let bytes: [UInt8]
  }

  struct App {
    var machine: SecureAppMachine
    var events: [AppEvent] = []
  }

  static let pin = "31415926"

  var device: SecureDeviceMachine
  var context: DeviceContext
  var apps: [ProvisioningLink: App] = [:]
  var deviceEvents: [DeviceMachineEvent] = []
  var work: [DeviceWork] = []
  var refusals: [UInt8] = []
  /// The values that were sent, in order.
  var values: [Value] = []
  /// ATT_MTU - 3.
  var limit = 182
  /// What the value of this number becomes.
  var carry: (Int, Value) -> [[UInt8]] = { _, value in [value.bytes] }
  /// What INFO reads as.
  var information: ([UInt8]) -> [UInt8] = { $0 }
  /// The result of work; nil leaves it undone.
  var perform: (DeviceWork) -> DeviceWorkResult? = { work in
    switch work {
    case .scan: .networks(SecureRig.networks)
    case .custom(_, let body): .response(body.reversed())
    default: .done
    }
  }
  private var pendingWork: [Int] = []
  private(set) var lastState: [UInt8]

  static let networks = [
    ScannedNetwork(ssid: Array("Home".utf8), rssi: -40, security: .wpa2, channel: 6, bssid: [1, 2, 3, 4, 5, 6]),
    ScannedNetwork(ssid: [0xFF, 0xFE], rssi: -127, security: NetworkSecurity(rawValue: 77)),
    ScannedNetwork(ssid: [], rssi: 0, security: .open),
  ]

  static func configuration(_ suites: [SecureSuite] = SecureSuite.allCases) throws -> SecureDeviceConfiguration {
    var configuration = SecureDeviceConfiguration(
      code: try SecureCode(pin: pin), capabilities: [.scan, .identify, .information, .hostname, .custom, .forget],
      information: DeviceInformation(firmware: "latchkey", version: "1", hardware: "x86_64", name: "Lamp"),
      hostname: "lamp")
    configuration.suites = suites
    configuration.takesEnrollment = true
    return configuration
  }

  init(_ configuration: SecureDeviceConfiguration, storedState: [UInt8]? = nil, attempts: AttemptBudget? = nil) throws {
    device = try SecureDeviceMachine(configuration, storedState: storedState, randomness: .test)
    context = DeviceContext(now: .zero, attempts: attempts)
    lastState = device.storedState ?? []
  }

  init(_ suites: [SecureSuite] = SecureSuite.allCases) throws { try self.init(Self.configuration(suites)) }

  /// The device after a restart.
  mutating func restart() throws {
    let configuration = device.configuration
    device = try SecureDeviceMachine(configuration, storedState: device.storedState, randomness: .test)
    context = DeviceContext(
      now: context.now, attempts: AttemptBudget(record: context.attempts.record, now: context.now),
      network: context.network)
    apps = [:]
  }

  /// Connects an app and lets both talk until nobody has anything to say.
  mutating func connect(
    _ id: UInt64 = 1, code: String? = pin, resumption: SecureResumption? = nil,
    suites: [SecureSuite] = SecureSuite.allCases
  ) throws {
    let knowledge = SecureAppMachine.Knowledge(
      code: try code.map { try SecureCode(pin: $0) }, resumption: resumption, suites: suites)
    try connect(id, SecureAppMachine(knowledge, randomness: .test))
  }

  mutating func connect(_ id: UInt64 = 1, _ machine: SecureAppMachine) throws {
    let link = ProvisioningLink(id: id)
    var app = App(machine: machine)
    app.machine.begin(SecureService.definition, context: appContext)
    apps[link] = app
    context.notificationLimits[link] = limit
    run()
  }

  mutating func disconnect(_ id: UInt64 = 1) {
    let link = ProvisioningLink(id: id)
    apps[link] = nil
    device.disconnected(link, context: &context)
    run()
  }

  /// Performs a request; what the app was told since.
  mutating func request(_ request: AppRequest, _ id: UInt64 = 1) -> [AppEvent] {
    let link = ProvisioningLink(id: id)
    let before = apps[link]?.events.count ?? 0
    let told = appContext
    apps[link]?.machine.perform(request, context: told)
    run()
    return Array(apps[link]?.events.dropFirst(before) ?? [])
  }

  mutating func advance(_ time: Duration) {
    context.now += time
    device.handleTimeout(context: &context)
    let told = appContext
    for link in apps.keys.sorted(by: { $0.id < $1.id }) { apps[link]?.machine.handleTimeout(context: told) }
    run()
  }

  mutating func setNetwork(_ state: NetworkState) {
    context.network = state
    device.changed(context: &context)
    run()
  }

  /// Gives the results of work that `perform` left undone.
  mutating func complete(_ result: DeviceWorkResult) {
    let numbers = pendingWork
    pendingWork = []
    for number in numbers { device.completed(number, result, context: &context) }
    run()
  }

  func events(_ id: UInt64 = 1) -> [AppEvent] { apps[ProvisioningLink(id: id)]?.events ?? [] }

  func app(_ id: UInt64 = 1) -> SecureAppMachine? { apps[ProvisioningLink(id: id)]?.machine }

  /// What the app's session proves; nil if it has none, or has lost it.
  func assurance(_ id: UInt64 = 1) -> ProvisioningAssurance? {
    guard failure(id) == nil else { return nil }
    for case .opened(let assurance, _) in events(id) { return assurance }
    return nil
  }

  func failure(_ id: UInt64 = 1) -> ProvisioningFailure? {
    for case .failed(let failure) in events(id) { return failure }
    return nil
  }

  /// How many sessions the device has opened.
  var openings: Int {
    deviceEvents.count { if case .opened = $0 { true } else { false } }
  }

  private var appContext: AppContext { AppContext(now: context.now, writeLimit: limit) }

  /// Passes on what both sides say, until neither says anything.
  mutating func run() {
    while true {
      var isIdle = !runDevice()
      for link in apps.keys.sorted(by: { $0.id < $1.id }) where runApp(link) { isIdle = false }
      if isIdle { return }
    }
  }

  private mutating func runApp(_ link: ProvisioningLink) -> Bool {
    let actions = apps[link]?.machine.dequeueActions() ?? []
    let told = appContext
    for action in actions {
      switch action {
      case .subscribe(let uuid):
        device.subscribed(true, to: uuid, from: link, context: &context)
        apps[link]?.machine.handle(.subscribed(uuid), context: told)
      case .read(let uuid):
        do {
          let value = information(try device.read(uuid, from: link, context: &context))
          apps[link]?.machine.handle(.read(uuid, value), context: told)
        } catch {
          apps[link]?.machine.handle(.readFailed(uuid, .attribute(error.code)), context: told)
        }
      case .write(let uuid, let bytes, let withResponse):
        #expect(bytes.count <= limit)
        for value in carried(Value(isFromApp: true, bytes: bytes)) {
          device.write(value, to: uuid, from: link, context: &context)
          _ = runDevice(answering: withResponse ? link : nil)
        }
      case .report(let event): apps[link]?.events.append(event)
      }
    }
    return !actions.isEmpty
  }

  private mutating func runDevice(answering writer: ProvisioningLink? = nil) -> Bool {
    let actions = device.dequeueActions()
    let told = appContext
    for action in actions {
      switch action {
      case .respond(let link, let error):
        if let error { refusals.append(error) }
        guard let error, writer == link else { break }
        apps[link]?.machine.handle(
          .writeFailed(SecureService.transmit, .attribute(error)), context: told)
      case .notify(let link, let uuid, let bytes):
        #expect(bytes.count <= context.notificationLimit(of: link))
        for value in carried(Value(isFromApp: false, bytes: bytes)) {
          apps[link]?.machine.handle(.notified(uuid, value), context: told)
        }
      case .perform(let number, let asked):
        work.append(asked)
        if let result = perform(asked) {
          device.completed(number, result, context: &context)
        } else {
          pendingWork.append(number)
        }
      case .advertise: break
      case .report(let event): deviceEvents.append(event)
      }
    }
    return !actions.isEmpty
  }

  private mutating func carried(_ value: Value) -> [[UInt8]] {
    values.append(value)
    return carry(values.count - 1, value)
  }
}
