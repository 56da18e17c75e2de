import Foundation
import LatchkeyProvisioningProtocol

/// The app's exchange with a connected device: the keys, the payload, the answers.
struct LegacyExchange: ~Copyable {
  /// The result of an input.
  enum Output: Sendable {
    /// An action for the caller: `send`, `read` or `report`.
    case action(LegacyProvisioningMachine.Action)
    /// The device accepted the payload, and may still report whether it joined the network.
    case accepted
    /// The device has sent its last answer.
    case concluded
    case failed(LegacyProvisioningError)
  }

  private enum Sending {
    case nothing
    case frame(LegacyFrame)
    case plain(Int)
  }

  /// The number of answers that one device may send.
  static let maximumAnswers = 16
  /// The time between a read that returned nothing new and the next one.
  static let readInterval = Duration.milliseconds(100)

  /// The service in use; `encrypted` until another is chosen.
  var service = LegacyService.encrypted
  /// Whether answers are notified; else they are read.
  var isNotified = false
  /// Whether answers can be read.
  var canReadAnswers = false
  /// Whether the device answered that it accepted the payload.
  private(set) var isAccepted = false

  private let payload: String
  private var session: LegacySession
  private var sending = Sending.nothing
  private var hasBegun = false
  private var isKeySent = false
  private var hasPayloadBegun = false
  private var isPayloadSent = false
  private var isConcluded = false
  private var answers: [LegacyUnauthenticatedAnswer] = []
  private var readDeadline: Duration?
  private var lastRead: [UInt8] = []
  private var truncated: [UInt8]?

  init(payload: String, privateKey: consuming Secp192k1.PrivateKey) {
    self.payload = payload
    session = LegacySession(role: .app, privateKey: privateKey)
  }

  /// When `handleTimeout(now:)` is due.
  var nextDeadline: Duration? { [session.nextDeadline, readDeadline].compactMap(\.self).min() }

  /// The step in progress.
  var step: LegacyProvisioningError.Step {
    if service == .encrypted, !hasPayloadBegun { return .agreeingOnKey }
    return isPayloadSent ? .awaitingAnswer : .sendingPayload
  }

  /// The result, once there is an answer.
  func result(from peripheral: UUID) -> LegacyUnauthenticatedResult {
    LegacyUnauthenticatedResult(peripheral: peripheral, service: service, unauthenticatedAnswers: answers)
  }

  /// Erases the keys.
  mutating func end() {
    session.end()
    readDeadline = nil
  }

  /// Sends the first frame, or the payload of the plain service.
  mutating func begin(now: Duration) -> [Output] {
    var outputs: [Output] = []
    hasBegun = true
    advance(&outputs)
    return outputs
  }

  /// Handles an event of the characteristics.
  mutating func handle(_ input: LegacyProvisioningMachine.Input, now: Duration) -> [Output] {
    var outputs: [Output] = []
    switch input {
    case .sent(let values): sent(values, &outputs)
    case .sendFailed(let failure): writeFailed(failure, &outputs)
    case .readFailed(let failure): outputs.append(.failed(.access(failure, service.answer)))
    case .payloadTooLong(let maximum):
      outputs.append(.failed(.payloadTooLong(payload.utf8.count, maximum: maximum)))
    case .value(let value, let limit): receive(value, limit: limit, now: now, &outputs)
    default: break
    }
    advance(&outputs)
    return outputs
  }

  /// Reads again when that is due, and fails when the device was silent within a frame for too long.
  mutating func handleTimeout(now: Duration) -> [Output] {
    var outputs: [Output] = []
    if let readDeadline, now >= readDeadline {
      self.readDeadline = nil
      outputs.append(.action(.read))
    }
    handle(session.handleTimeout(now: now), &outputs)
    return outputs
  }

  // MARK: Sending

  /// Sends the next part, if the part before it was sent.
  private mutating func advance(_ outputs: inout [Output]) {
    guard hasBegun, case .nothing = sending else { return }
    if isConcluded, isPayloadSent { return outputs.append(.concluded) }
    guard !hasPayloadBegun else { return }
    switch service {
    case .plain:
      hasPayloadBegun = true
      let value = Array(payload.utf8)
      sending = .plain(value.count)
      outputs.append(.action(.send(value, uncut: true)))
    case .encrypted:
      if !isKeySent {
        isKeySent = true
        send(session.keyFrame, &outputs)
      } else if session.isEstablished {
        hasPayloadBegun = true
        do {
          send(try session.frame(payload), &outputs)
        } catch {
          outputs.append(.failed(.deviceMisbehaved(error)))
        }
      }
    }
  }

  private mutating func send(_ frame: LegacyFrame, _ outputs: inout [Output]) {
    sending = .frame(frame)
    outputs.append(.action(.send(frame.encoded, uncut: false)))
  }

  private mutating func sent(_ values: Int, _ outputs: inout [Output]) {
    switch sending {
    case .nothing: return
    case .frame(let frame): report(.sentFrame(frame, values: values), &outputs)
    case .plain(let length): report(.sentPlainValue(length), &outputs)
    }
    sending = .nothing
    if hasPayloadBegun, !isPayloadSent {
      isPayloadSent = true
      report(.sentPayload, &outputs)
    }
    if !isNotified { outputs.append(.action(.read)) }
  }

  private mutating func writeFailed(
    _ failure: LegacyProvisioningMachine.AccessFailure, _ outputs: inout [Output]
  ) {
    if case .attribute(let code) = failure, let refusal = LegacyRefusal(rawValue: code) {
      outputs.append(.failed(.refused(refusal)))
    } else {
      outputs.append(.failed(.access(failure, service.request)))
    }
  }

  // MARK: Receiving

  private mutating func receive(_ value: [UInt8], limit: Int, now: Duration, _ outputs: inout [Output]) {
    if !isNotified {
      let isNew = !value.isEmpty && value != lastRead
      lastRead = value
      // The device has no answer yet, or a part of one: the next read follows until the exchange is over.
      readDeadline = now + Self.readInterval
      guard isNew else { return }
    }
    switch service {
    case .encrypted: handle(session.receive(value, now: now), &outputs)
    case .plain: receivePlain(value, limit: limit, &outputs)
    }
  }

  private mutating func receivePlain(_ value: [UInt8], limit: Int, _ outputs: inout [Output]) {
    if let prefix = truncated, value.starts(with: prefix) {
      truncated = nil
    } else if isNotified, canReadAnswers, value.count >= limit, truncated == nil {
      // Notifications are cut silently at ATT_MTU - 3; a read brings the whole value (Core 6.0 Vol 3 Part G 4.10.1).
      truncated = value
      return outputs.append(.action(.read))
    }
    add(LegacyUnauthenticatedAnswer(String(decoding: value, as: UTF8.self)), &outputs)
  }

  private mutating func handle(_ results: [LegacySession.Output], _ outputs: inout [Output]) {
    for result in results {
      switch result {
      case .receivedFrame(let frame): report(.receivedFrame(frame), &outputs)
      case .send: break  // An app's session sends nothing by itself.
      case .unauthenticatedKeyAgreed: report(.unauthenticatedKeyAgreed, &outputs)
      case .received(let message): add(LegacyUnauthenticatedAnswer(message.text ?? ""), &outputs)
      case .failed(.timedOut): outputs.append(.failed(.timedOut(during: step)))
      case .failed(let error): outputs.append(.failed(.deviceMisbehaved(error)))
      }
    }
  }

  private mutating func add(_ answer: LegacyUnauthenticatedAnswer, _ outputs: inout [Output]) {
    guard answers.count < Self.maximumAnswers else { return outputs.append(.failed(.tooManyAnswers)) }
    answers.append(answer)
    report(.answered(answer), &outputs)
    // An answer from before the payload was sent does not answer it.
    guard hasPayloadBegun else { return }
    if answer == .code(.accepted) {
      isAccepted = true
      outputs.append(.accepted)
    } else {
      isConcluded = true
      readDeadline = nil
    }
  }

  private func report(_ progress: LegacyUnauthenticatedProgress, _ outputs: inout [Output]) {
    outputs.append(.action(.report(progress)))
  }
}

extension LegacyProvisioningError {
  /// The error of an access to `characteristic` that failed.
  static func access(
    _ failure: LegacyProvisioningMachine.AccessFailure, _ characteristic: LegacyCharacteristic
  ) -> LegacyProvisioningError {
    switch failure {
    case .attribute(let code): .attributeError(code, characteristic)
    case .other(let reason): .accessFailed(characteristic, reason)
    }
  }
}
