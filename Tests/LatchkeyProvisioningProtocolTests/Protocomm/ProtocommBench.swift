import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// A device's machine between a test's hands: writes and reads by the endpoints' names, work done when the test says so.
struct ProtocommBench {
  static let link = ProvisioningLink(id: 1)
  static let other = ProvisioningLink(id: 2)
  static let example = ProtocommVectors.all.security2[0]
  /// Made once: it takes a while without optimization.
  static let verifier: SRPVerifier = {
    do {
      return try example.verifierValue()
    } catch {
      fatalError("\(error)")
    }
  }()

  var machine: ProtocommDeviceMachine
  var context: DeviceContext
  /// The answer to the last write: nil if there is none yet.
  var answer: UInt8??
  var works: [(number: Int, work: DeviceWork)] = []
  var events: [DeviceMachineEvent] = []

  /// A device with the example's code, which accepts Security 1 too unless `configure` says otherwise.
  init(seed: UInt64 = 1, _ configure: (inout ProtocommDeviceConfiguration) -> Void = { _ in }) {
    var configuration = ProtocommDeviceConfiguration(code: Self.example.secretCode, verifier: Self.verifier)
    configuration.security1 = .always
    configuration.customEndpoints = ["custom-data"]
    configure(&configuration)
    machine = ProtocommDeviceMachine(configuration, random: ScriptedRandom(seed: seed).draw)
    context = DeviceContext(now: .zero)
  }

  static func uuid(_ endpoint: String, of machine: ProtocommDeviceMachine) -> String {
    machine.service.characteristics.first { $0.userDescription == endpoint }?.uuid ?? ""
  }

  /// Writes, and gives the error of the answer: nil if the write was accepted, or is not answered yet.
  @discardableResult
  mutating func write(_ bytes: [UInt8], to endpoint: String, from link: ProvisioningLink = link) -> UInt8? {
    answer = nil
    machine.write(bytes, to: Self.uuid(endpoint, of: machine), from: link, context: &context)
    collect()
    return answer ?? nil
  }

  mutating func read(_ endpoint: String, from link: ProvisioningLink = link) -> [UInt8] {
    (try? machine.read(Self.uuid(endpoint, of: machine), from: link, context: &context)) ?? [0xEE]
  }

  /// Ends the work that began first.
  mutating func complete(_ result: DeviceWorkResult) {
    guard !works.isEmpty else {
      Issue.record("no work")
      return
    }
    machine.completed(works.removeFirst().number, result, context: &context)
    collect()
  }

  mutating func collect() {
    for action in machine.dequeueActions() {
      switch action {
      case .respond(_, let error): answer = .some(error)
      case .perform(let number, let work): works.append((number, work))
      case .report(let event): events.append(event)
      case .advertise: break
      case .notify: Issue.record("a notification")
      }
    }
  }

  /// A handshake of Security 1, and the app's cipher.
  mutating func openWeak(code: String = "abcd1234", link: ProvisioningLink = link, seed: UInt64 = 5) throws
    -> ProtocommCipher
  {
    var app = try X25519App(code: SecretBytes(Array(code.utf8)), random: ScriptedRandom(seed: seed).draw)
    #expect(write(app.command.encoded, to: "prov-session", from: link) == nil)
    let proof = try app.answer(SessionMessage(read("prov-session", from: link)))
    #expect(write(proof.encoded, to: "prov-session", from: link) == nil)
    return try app.finish(SessionMessage(read("prov-session", from: link)))
  }

  /// A handshake of Security 2, and the app's cipher.
  mutating func openStrong(link: ProvisioningLink = link, seed: UInt64 = 5) throws -> ProtocommCipher {
    var app = try SRPApp(code: Self.example.secretCode, random: ScriptedRandom(seed: seed).draw)
    #expect(write(app.command.encoded, to: "prov-session", from: link) == nil)
    let proof = try app.answer(SessionMessage(read("prov-session", from: link)))
    #expect(write(proof.encoded, to: "prov-session", from: link) == nil)
    return try app.finish(SessionMessage(read("prov-session", from: link)), counts: true)
  }

  /// A request of an open session, and the text of its answer; nil if it is refused, and the test's hand ends work in between.
  mutating func request(
    _ text: [UInt8], to endpoint: String, _ cipher: inout ProtocommCipher, link: ProvisioningLink = link,
    work: DeviceWorkResult? = nil
  ) throws -> [UInt8]? {
    let error = write(try cipher.seal(text), to: endpoint, from: link)
    if let work { complete(work) }
    guard error == nil, case .some(.none) = answer else { return nil }
    return try cipher.open(read(endpoint, from: link))
  }
}

let homeSettings = NetworkSettings(ssid: Array("Home".utf8), passphrase: SecretBytes(Array("secret123".utf8)))

func threeNetworks(_ count: Int = 3) -> [ScannedNetwork] {
  (0..<count).map { index in
    ScannedNetwork(
      ssid: Array("network \(index)".utf8), rssi: -40 - index, security: .wpa2, channel: 1 + index % 13,
      bssid: [0, 1, 2, 3, 4, UInt8(index)])
  }
}
