internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyKeychainModel
internal import LatchkeySealedMessages
internal import Logging
internal import Security

/// A response of the modern service.
struct Answer: Sendable {
  let status: Int
  let body: [UInt8]
  /// Whether the server's key has signed it, bound to this request.
  let isSigned: Bool
  /// Whether it repeats an earlier response.
  let isReplayed: Bool

  func decode<Value: Decodable>(_ type: Value.Type) throws(EnrollmentError) -> Value { try JSON.decode(type, body) }
}

/// A refusal, and whether the server's key has signed it.
struct Refusal: Error {
  let problem: Problem
  let isSigned: Bool
  /// Whether an earlier attempt of the same call ended without a response, and may still be carried out.
  var followsOpenAttempt = false

  /// Whether the request was certainly not carried out, because it was evaluated and refused. Other refusals mean that the
  /// server did not evaluate it, or failed while doing so.
  var isDecided: Bool {
    switch problem.code {
    case .unavailable, .inProgress, .internalError: false
    default: true
    }
  }
}

/// Sends calls: signs each attempt, verifies the response, and repeats permitted attempts.
struct Messenger: Sendable {
  let configuration: EnrollmentConfiguration
  let connections: Connections

  /// The key that verifies the server's responses, pinned at enrollment.
  struct ServerKey: Sendable {
    let id: String
    let publicKey: [UInt8]
  }

  /// The signing device, with its identity and the server's key.
  struct Signer: Sendable {
    let device: String
    let credential: Credential
    let serverKey: ServerKey
  }

  /// Sends a call until there is a response, or the policy or the time limit ends the attempts.
  ///
  /// - Throws: ``Refusal`` for a problem that the server reports; ``EnrollmentError``, `CancellationError`.
  func send(_ call: Call, as signer: Signer? = nil) async throws -> Answer {
    var attempts = 0
    var isOutcomeOpen = false
    // The policy, or the server's `Retry-After`, sets the wait between two attempts.
    var timeLeft = configuration.timeout
    while true {
      attempts += 1
      try Task.checkCancellation()
      let began = ContinuousClock.now
      let attempt = await attempt(call, signer, within: timeLeft)
      timeLeft -= ContinuousClock.now - began
      var asked: Int?
      switch attempt {
      case .done(let result):
        do {
          return try result.get()
        } catch let refusal as Refusal where isOutcomeOpen && !refusal.isSigned && call.idempotencyKey != nil {
          // This attempt is refused; the outcome of the earlier one stays unknown.
          throw Self.open(call, refusal)
        } catch let refusal as Refusal
          where refusal.problem.code == .revoked && !refusal.isSigned && call.isAnswerSigned
        {
          // A report that ends a device must be signed by the server.
          throw EnrollmentError.cannotVerify(
            "an unsigned answer says that this device was revoked; it may not be the server's: nothing was deleted")
        } catch let refusal as Refusal {
          var report = refusal
          report.followsOpenAttempt = isOutcomeOpen
          throw report
        }
      case .again(let asking, let mayBeDone, _):
        asked = asking
        if mayBeDone { isOutcomeOpen = true }
      }
      guard case .again(_, let mayBeDone, let end) = attempt, !mayBeDone || call.isSafeTwice, timeLeft > .zero,
        let delay = configuration.retries.delay(after: attempts, jitter: jitter(), asked: asked)
      else {
        guard case .again(_, _, let end) = attempt else { throw CancellationError() }
        throw isOutcomeOpen && call.method != "GET" ? Self.open(call, end) : end
      }
      configuration.logger.debug("sending again", metadata: ["path": "\(call.path)", "reason": "\(end)"])
      try await configuration.sleep(delay)
    }
  }

  /// The result of one attempt.
  private enum Attempt {
    case done(Result<Answer, any Error>)
    /// To be repeated, if permitted: the requested delay, whether the attempt may have been carried out, and the error if there
    /// is no further attempt.
    case again(asked: Int?, mayBeDone: Bool, end: any Error)
  }

  private func attempt(_ call: Call, _ signer: Signer?, within timeout: Duration) async -> Attempt {
    do {
      let (request, message) = try await request(for: call, signer)
      let exchange = try await connections.exchange(showing: call.showsCertificate ? signer?.credential : nil)
      let answer = try await exchange.send(request, within: timeout)
      return try validate(answer, to: message, call, signer)
    } catch let failure as ExchangeFailure {
      switch failure {
      case .refused(let error): return .done(.failure(error))
      case .notSent(let detail): return .again(asked: nil, mayBeDone: false, end: EnrollmentError.unreachable(detail))
      case .noAnswer(let detail): return .again(asked: nil, mayBeDone: true, end: EnrollmentError.unreachable(detail))
      }
    } catch {
      return .done(.failure(error))
    }
  }

  // MARK: The request

  private func request(
    for call: Call, _ signer: Signer?
  ) async throws -> (request: OutgoingRequest, message: HTTPRequestMessage) {
    var fields: [(name: String, value: String)] = [("accept", "application/json, application/problem+json")]
    if !call.body.isEmpty { fields.append(("content-type", "application/json")) }
    if case .token(let token) = call.proof { fields.append(("authorization", "Bearer \(token)")) }
    if let key = call.idempotencyKey { fields.append((HeaderNames.idempotencyKey, key)) }
    if let approval = call.approval {
      fields.append((HeaderNames.approval, Base64URL.encode(try JSON.encode(approval))))
    }
    let url = configuration.server.description + call.path
    var message = HTTPRequestMessage(
      method: call.method, targetURI: url, fields: LatchkeySealedMessages.HTTPFields(fields))
    if call.asksForSignature {
      let nonce = try configuration.freshName()
      do throws(SealedMessageError) {
        try SealedProfile.ask(&message, nonce: nonce)
      } catch {
        throw EnrollmentError.misuse("the request cannot ask for a signed answer: \(error)")
      }
    }
    if case .signature = call.proof {
      guard let signer, let key = signer.credential.identity?.key else { throw EnrollmentError.notEnrolled }
      let (unsigned, nonce, now) = (message, try configuration.freshName(), configuration.now)
      message = try await blocking { () throws(EnrollmentError) in
        var signed = unsigned
        do {
          try SealedProfile.sign(&signed, body: call.body, keyID: signer.device, nonce: nonce, now: now) { message in
            try key.signature(of: message, by: .ecdsaSignatureMessageX962SHA256)
          }
        } catch let error as EnrollmentError {
          throw error
        } catch {
          throw .misuse("the request cannot be signed: \(error)")
        }
        return signed
      }
    }
    let request = OutgoingRequest(method: call.method, url: url, fields: message.fields.lines, body: call.body)
    return (request, message)
  }

  // MARK: The answer

  private func validate(
    _ answer: IncomingAnswer, to request: HTTPRequestMessage, _ call: Call, _ signer: Signer?
  ) throws -> Attempt {
    var isSigned = false
    switch call.proof {
    case .none, .token, .certificate(answerIsSigned: false): break
    case .content, .certificate(answerIsSigned: true), .signature:
      guard let signer else { throw EnrollmentError.notEnrolled }
      // Answers of a proxy, and those that the server cannot sign, are unsigned: they can refuse a request, and no more.
      if answer.fields["signature"] != nil || answer.status < 400 {
        try verify(answer, to: request, signer.serverKey)
        isSigned = true
      }
    }
    if (200..<300).contains(answer.status) {
      return .done(
        .success(
          Answer(
            status: answer.status, body: answer.body, isSigned: isSigned,
            isReplayed: answer.fields[HeaderNames.idempotencyReplayed] == "true")))
    }
    let asked = answer.retryAfter(now: configuration.now)
    guard var problem = try Self.problem(answer) else {
      return .again(
        asked: asked, mayBeDone: true,
        end: EnrollmentError.cannotInterpret("status \(answer.status) \(Self.unknown); try again later"))
    }
    problem.retryAfter = asked.map { .seconds($0) }
    let refusal = Refusal(problem: problem, isSigned: isSigned)
    switch problem.code {
    case .tooManyRequests: return .again(asked: asked ?? 1, mayBeDone: false, end: refusal)
    case .unavailable, .inProgress, .internalError: return .again(asked: asked, mayBeDone: true, end: refusal)
    default: return .done(.failure(refusal))
    }
  }

  private static let unknown = "without a problem that is known here: something before the server may say so"

  /// The problem that an answer states. 429 and 503 state one without a body of the service: a proxy that has too many requests, or no
  /// server behind it, answers so. Nil for other failures of a server.
  ///
  /// - Throws: ``EnrollmentError`` for an answer that a server of this protocol does not give.
  private static func problem(_ answer: IncomingAnswer) throws(EnrollmentError) -> Problem? {
    if let problem = try? JSON.decode(Problem.self, answer.body), problem.status == answer.status { return problem }
    switch answer.status {
    case 429:
      return Problem(
        .tooManyRequests,
        detail: "too many requests (status 429, perhaps from something before the server); try again later")
    case 503:
      return Problem(
        .unavailable,
        detail: "the server cannot answer now (status 503, perhaps from something before it); try again later")
    case 500...: return nil
    default:
      throw .cannotInterpret("status \(answer.status) \(unknown), or this is not the address of an enrollment server")
    }
  }

  private func verify(_ answer: IncomingAnswer, to request: HTTPRequestMessage, _ key: ServerKey) throws {
    do throws(SealedMessageError) {
      let pinned: (String) throws(SealedMessageError) -> [UInt8]? = { $0 == key.id ? key.publicKey : nil }
      _ = try SealedProfile.verify(
        HTTPResponseMessage(status: answer.status, fields: answer.fields), body: answer.body, to: request,
        now: configuration.now, publicKey: pinned)
    } catch {
      if case .outsideWindow(let seconds) = error {
        throw EnrollmentError.cannotVerify("the answer's time and this device's clock are \(seconds) s too far apart")
      }
      throw EnrollmentError.cannotVerify("the answer is not signed by the server's key for this request")
    }
  }

  /// The error to throw if there is no further attempt, and an attempt may have been carried out. A response of the server is
  /// reported as such.
  private static func open(_ call: Call, _ end: any Error) -> any Error {
    if let key = call.idempotencyKey { return EnrollmentError.outcomeUnknown(idempotencyKey: key) }
    guard case EnrollmentError.unreachable(let detail) = end else { return end }
    let next = call.isSafeTwice ? "; sending the same again does no harm, and reports the outcome" : ""
    return EnrollmentError.unreachable("no answer came (\(detail)), and the request may have been carried out\(next)")
  }

  private func jitter() -> Double { (try? configuration.random(1)).map { Double($0.first ?? 0) / 255 } ?? 1 }
}
