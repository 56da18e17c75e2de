import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

extension Measurement {
  /// What a device keeps of its code: it is made once, and not measured.
  static func espressifConfiguration() throws -> ProtocommDeviceConfiguration {
    var configuration = try ProtocommDeviceConfiguration(
      code: SecretBytes(Array("31415926".utf8)), random: randomness.bytes)
    configuration.security1 = .never
    return configuration
  }

  /// One connection by Espressif's Security 2: version, handshake, first request, response.
  mutating func handshake(_ configuration: ProtocommDeviceConfiguration) throws {
    var machine = ProtocommDeviceMachine(configuration, random: Self.randomness.bytes)
    var context = DeviceContext(now: .zero, notificationLimits: [Self.link: 244])
    let appContext = AppContext(now: .zero, writeLimit: 244)
    var peer = ProtocommAppMachine(.init(code: SecretBytes(Array("31415926".utf8))), random: Self.randomness.bytes)
    peer.begin(machine.service, context: appContext)
    var isAnswered = false
    while !isAnswered {
      let actions = timed(\.app) { peer.dequeueActions() }
      guard !actions.isEmpty else { throw Failure.noSession }
      for action in actions {
        switch action {
        case .read(let uuid):
          let value = timed(\.device) { try? machine.read(uuid, from: Self.link, context: &context) }
          guard let value else { throw Failure.noSession }
          timed(\.app) { peer.handle(.read(uuid, value), context: appContext) }
        case .write(let uuid, let value, _):
          let answers = timed(\.device) {
            machine.write(value, to: uuid, from: Self.link, context: &context)
            return machine.dequeueActions()
          }
          for case .respond(_, .some) in answers { throw Failure.noSession }
          timed(\.app) { peer.handle(.wrote(uuid), context: appContext) }
        case .report(.opened): timed(\.app) { peer.perform(.status, context: appContext) }
        case .report(.network): isAnswered = true
        case .subscribe, .report: throw Failure.noSession
        }
      }
    }
    count += 1
  }
}
