internal import Foundation
internal import FoundationNetworking

/// Asks the delegates of a session, on its queue, one after the other.
///
/// A delegate may answer twice, late or never: the first answer counts, and the session's time limit ends the wait.
struct DelegateQuestions: Sendable {
  /// What a delegate said to a challenge.
  struct Reply: Sendable {
    var disposition: URLSession.AuthChallengeDisposition
    var credential: URLCredential?

    static let byDefault = Reply(disposition: .performDefaultHandling, credential: nil)
  }

  /// The session and the task that delegates see.
  let session: URLSession
  let task: URLSessionTask
  /// The delegate of the task, if it has one of its own, before that of the session.
  let delegates: [any URLSessionDelegate]
  let queue: OperationQueue
  /// How long each answer may take.
  let limit: Duration

  /// The first answer that is not to handle the challenge by default.
  ///
  /// Apple asks the session's method, and the task's method only where a delegate has no other. Here each delegate has both,
  /// since FoundationNetworking gives it the one that it lacks, which asks for the default.
  func reply(to space: URLProtectionSpace) async throws -> Reply {
    for delegate in delegates {
      let reply = try await ask(space) { delegate.urlSession(session, didReceive: $0, completionHandler: $1) }
      if reply.disposition != .performDefaultHandling { return reply }
      guard let delegate = delegate as? any URLSessionTaskDelegate else { continue }
      let second = try await ask(space) {
        delegate.urlSession(session, task: task, didReceive: $0, completionHandler: $1)
      }
      if second.disposition != .performDefaultHandling { return second }
    }
    return .byDefault
  }

  /// The request that follows a redirection; nil if it is not to be followed.
  func request(after response: HTTPURLResponse, proposed: URLRequest) async throws -> URLRequest? {
    var request = proposed
    for case let delegate as any URLSessionTaskDelegate in delegates {
      let proposal = request
      let answer = OneAnswer<URLRequest?>()
      queue.addOperation {
        delegate.urlSession(
          session, task: task, willPerformHTTPRedirection: response, newRequest: proposal,
          completionHandler: { answer.give($0) })
      }
      guard let next = try await within(limit, { try await answer.value() }) else { return nil }
      request = next
    }
    return request
  }

  private func ask(
    _ space: URLProtectionSpace,
    _ question:
      @escaping @Sendable (
        URLAuthenticationChallenge, @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
      ) -> Void
  ) async throws -> Reply {
    let answer = OneAnswer<Reply>()
    let challenge = URLAuthenticationChallenge(
      protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
      sender: ChallengeSender(answer))
    queue.addOperation {
      question(challenge) { answer.give(Reply(disposition: $0, credential: $1)) }
    }
    return try await within(limit) { try await answer.value() }
  }
}

/// The sender of a challenge, for code that answers by `challenge.sender`.
private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
  private let answer: OneAnswer<DelegateQuestions.Reply>

  init(_ answer: OneAnswer<DelegateQuestions.Reply>) { self.answer = answer }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    answer.give(.init(disposition: .useCredential, credential: credential))
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
    answer.give(.init(disposition: .useCredential, credential: nil))
  }

  func cancel(_ challenge: URLAuthenticationChallenge) {
    answer.give(.init(disposition: .cancelAuthenticationChallenge, credential: nil))
  }

  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { answer.give(.byDefault) }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
    answer.give(.init(disposition: .rejectProtectionSpace, credential: nil))
  }
}
