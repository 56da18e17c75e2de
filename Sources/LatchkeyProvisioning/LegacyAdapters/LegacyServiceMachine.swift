import Foundation
import LatchkeyProvisioningProtocol

/// The device's end of the legacy protocol, as a machine among those of the other protocols: service F200 alone.
///
/// A class, since the legacy machine cannot be copied; unchecked: it belongs to one queue.
final class LegacyServiceMachine: ProvisioningDeviceMachine, @unchecked Sendable {
  let service = ProvisioningService(
    uuid: LegacyService.encrypted.rawValue,
    characteristics: [
      .init(uuid: LegacyCharacteristic.encryptedRequest.rawValue, properties: [.write, .writeWithoutResponse]),
      .init(uuid: LegacyCharacteristic.encryptedAnswer.rawValue, properties: [.read, .notify]),
    ])
  let isAdvertised = true
  let serviceData: (uuid: UInt16, bytes: [UInt8])? = nil

  private struct Work {
    let peer: LegacyDevicePeer
    /// The legacy machine's number of the peer's state.
    let number: Int
    /// Whether the attempt to join has begun.
    var isJoining = false
  }

  private var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
  private var generator: any RandomNumberGenerator
  private var peers: [ProvisioningLink: LegacyDevicePeer] = [:]
  private var works: [Int: Work] = [:]
  private var nextWork = 0
  private var actions: [DeviceAction] = []

  init(generator: any RandomNumberGenerator = SystemRandomNumberGenerator()) { self.generator = generator }

  var nextDeadline: Duration? { machine.nextDeadline }

  func write(
    _ value: [UInt8], to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) {
    do throws(LegacyRefusal) {
      try machine.receive(value, from: peer(of: link), now: context.now, using: &generator)
      actions.append(.respond(link, error: nil))
    } catch {
      actions.append(.respond(link, error: error.rawValue))
    }
    take(context)
  }

  func read(
    _ characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) throws(ATTFailure) -> [UInt8] {
    machine.latest(for: peer(of: link))
  }

  func subscribed(
    _ isSubscribed: Bool, to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) {
    guard !isSubscribed else { return }
    machine.unsubscribed(peer(of: link))
    take(context)
  }

  func disconnected(_ link: ProvisioningLink, context: inout DeviceContext) {
    guard let peer = peers.removeValue(forKey: link) else { return }
    machine.forget(peer)
    take(context)
  }

  func completed(_ number: Int, _ result: DeviceWorkResult, context: inout DeviceContext) {
    guard let work = works[number] else { return }
    if case .done = result {
      works[number]?.isJoining = true
      machine.answer(.code(.accepted), to: work.peer, number: work.number, now: context.now)
    } else {
      end(number, .code(.couldNotJoin), context)
    }
    take(context)
  }

  func changed(context: inout DeviceContext) {
    for (number, work) in works where work.isJoining {
      switch context.network {
      case .connected: end(number, .status(.connected), context)
      case .failed: end(number, .status(.failed), context)
      case .idle, .connecting: break
      }
    }
    take(context)
  }

  func handleTimeout(context: inout DeviceContext) {
    machine.handleTimeout(now: context.now)
    take(context)
  }

  func dequeueActions() -> [DeviceAction] {
    defer { actions = [] }
    return actions
  }

  // MARK: Inside

  /// The legacy machine tells centrals apart by UUID; here a link is enough.
  private func peer(of link: ProvisioningLink) -> LegacyDevicePeer {
    if let peer = peers[link] { return peer }
    let peer = LegacyDevicePeer(central: UUID(), service: .encrypted, connection: 0)
    peers[link] = peer
    return peer
  }

  private func link(of peer: LegacyDevicePeer) -> ProvisioningLink? { peers.first { $0.value == peer }?.key }

  private func end(_ number: Int, _ answer: LegacyUnauthenticatedAnswer, _ context: DeviceContext) {
    guard let work = works.removeValue(forKey: number) else { return }
    machine.answer(answer, to: work.peer, number: work.number, now: context.now)
    machine.handled(work.peer, number: work.number)
  }

  /// Takes what the legacy machine wants done.
  private func take(_ context: DeviceContext) {
    var isDone = false
    while !isDone {
      let wanted = machine.dequeueActions()
      isDone = wanted.isEmpty
      for action in wanted { take(action, context) }
    }
  }

  private func take(_ action: LegacyDeviceMachine.Action, _ context: DeviceContext) {
    switch action {
    case .ask(let peer, let number, let bytes): ask(peer, number, bytes, context)
    case .notify(let peer, let bytes, _):
      guard let link = link(of: peer) else { return }
      for value in LegacyFrame.values(of: bytes, maximumLength: context.notificationLimit(of: link)) {
        actions.append(.notify(link, characteristic: LegacyCharacteristic.encryptedAnswer.rawValue, value))
      }
    case .abandon(let peer): works = works.filter { $0.value.peer != peer }
    case .report(.unauthenticatedKeyAgreed(let central)): report(central) { .opened($0, .encryptedOnly) }
    case .report(.refused(let error, let central)): report(central) { .refused($0, "\(error)") }
    case .report(.unsubscribed(let central, _)), .report(.timedOut(let central)): report(central) { .closed($0) }
    case .report: break
    }
  }

  private func report(_ central: UUID, _ event: (ProvisioningLink) -> DeviceMachineEvent) {
    guard let link = peers.first(where: { $0.value.central == central })?.key else { return }
    actions.append(.report(event(link)))
  }

  private func ask(_ peer: LegacyDevicePeer, _ number: Int, _ bytes: [UInt8], _ context: DeviceContext) {
    let text = String(validating: bytes, as: UTF8.self)
    guard let payload = text.flatMap({ try? LegacyWiFiCredentials(json: $0) }),
      let credentials = try? NetworkCredentials(
        ssid: Array(payload.ssid.utf8), passphrase: Array(payload.password.utf8))
    else {
      machine.answer(.code(.refused), to: peer, number: number, now: context.now)
      machine.handled(peer, number: number)
      return
    }
    nextWork += 1
    works[nextWork] = Work(peer: peer, number: number)
    actions.append(.perform(nextWork, .join(credentials)))
  }
}
