import LatchkeyProvisioningProtocol

/// The app's end of the legacy protocol, as a machine among those of the other protocols.
///
/// A class, since a session of the legacy protocol cannot be copied; unchecked: it belongs to one queue.
final class LegacyAppMachine: ProvisioningAppMachine, @unchecked Sendable {
  /// How long a device that has accepted credentials has to say whether it has joined.
  private static let statusLimit = Duration.seconds(30)
  /// How long a device has for its key, and for its first answer.
  private static let answerLimit = Duration.seconds(15)

  private var session: LegacySession
  private var values: ArraySlice<[UInt8]> = []
  private var isWriting = false
  private var isOpen = false
  private var joining: NetworkCredentials?
  private var deadline: Duration?
  private var actions: [AppAction] = []

  init(privateKey: consuming Secp192k1.PrivateKey) { session = LegacySession(role: .app, privateKey: privateKey) }

  var nextDeadline: Duration? { [deadline, session.nextDeadline].compactMap(\.self).min() }

  func begin(_ service: ProvisioningService, context: AppContext) {
    let uuids = [LegacyCharacteristic.encryptedRequest, .encryptedAnswer]
    for uuid in uuids where !service.characteristics.contains(where: { $0.uuid == uuid.rawValue }) {
      return fail(.unsupported("characteristic \(uuid.rawValue)"))
    }
    deadline = context.now + Self.answerLimit
    actions.append(.subscribe(LegacyCharacteristic.encryptedAnswer.rawValue))
  }

  func handle(_ input: AppInput, context: AppContext) {
    switch input {
    case .subscribed: send(session.keyFrame, context)
    case .subscriptionFailed: fail(.unsupported("notifications of characteristic F202"))
    case .wrote:
      isWriting = false
      writeNext()
    case .writeFailed(_, .attribute(let code)):
      fail(.refused(LegacyRefusal(rawValue: code).map { "\($0)" } ?? "ATT error \(code)"))
    case .writeFailed(_, .other(let words)), .readFailed(_, .other(let words)): fail(.refused(words))
    case .readFailed(_, .attribute(let code)): fail(.refused("ATT error \(code)"))
    case .notified(_, let value), .read(_, let value): take(session.receive(value, now: context.now), context)
    }
  }

  func perform(_ request: AppRequest, context: AppContext) {
    guard case .join(let credentials) = request else {
      return report(.requestFailed(.unsupported("the legacy protocol sends credentials, and nothing else")))
    }
    // Both are text in the legacy protocol.
    guard let ssid = String(validating: credentials.ssid, as: UTF8.self),
      let password = credentials.withPassphrase({ String(validating: $0, as: UTF8.self) }),
      let payload = try? LegacyWiFiCredentials(ssid: ssid, password: password),
      let frame = try? session.frame(payload.json)
    else { return report(.requestFailed(.unsupported("credentials that are no UTF-8"))) }
    joining = credentials
    deadline = context.now + Self.answerLimit
    send(frame, context)
  }

  func handleTimeout(context: AppContext) {
    take(session.handleTimeout(now: context.now), context)
    guard let deadline, context.now >= deadline else { return }
    if isOpen, joining != nil { return ended(.requestFailed(.timedOut)) }
    fail(.timedOut)
  }

  func disconnected(context: AppContext) { session.end() }

  func dequeueActions() -> [AppAction] {
    defer { actions = [] }
    return actions
  }

  // MARK: Inside

  private func report(_ event: AppEvent) { actions.append(.report(event)) }

  private func fail(_ failure: ProvisioningFailure) {
    session.end()
    deadline = nil
    values = []
    report(.failed(failure))
  }

  private func ended(_ event: AppEvent) {
    joining = nil
    deadline = nil
    report(event)
  }

  private func send(_ frame: LegacyFrame, _ context: AppContext) {
    values += LegacyFrame.values(of: frame.encoded, maximumLength: context.writeLimit)
    writeNext()
  }

  private func writeNext() {
    guard !isWriting, let value = values.popFirst() else { return }
    isWriting = true
    actions.append(.write(LegacyCharacteristic.encryptedRequest.rawValue, value, withResponse: true))
  }

  private func take(_ outputs: [LegacySession.Output], _ context: AppContext) {
    for output in outputs {
      switch output {
      case .receivedFrame, .send: break
      case .unauthenticatedKeyAgreed:
        isOpen = true
        deadline = nil
        report(.opened(.encryptedOnly, []))
      case .received(let message): take(LegacyUnauthenticatedAnswer(message.text ?? ""), context)
      case .failed(.timedOut): fail(.timedOut)
      case .failed(let error): fail(.malformed("\(error)"))
      }
    }
  }

  private func take(_ answer: LegacyUnauthenticatedAnswer, _ context: AppContext) {
    guard let joining else { return }
    switch answer {
    case .code(.accepted):
      deadline = context.now + Self.statusLimit
      report(.network(.connecting))
    case .code(.refused): ended(.requestFailed(.refused("code 1")))
    case .code(.couldNotJoin), .status(.failed): ended(.network(.failed(.other)))
    case .status(.connected): ended(.network(.connected(JoinedNetwork(ssid: joining.ssid))))
    case .text: ended(.requestFailed(.refused("an answer that is not known")))
    }
  }
}
