internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// A data task whose exchange is run by an ``AuthenticatingSession`` instead of Foundation.
///
/// Unchecked: the superclass says so of itself; what is added is behind a lock.
final class ExchangeTask: URLSessionDataTask, @unchecked Sendable {
  typealias Outcome = Result<(Data, HTTPURLResponse), any Error>

  private struct Course {
    var state: URLSessionTask.State = .suspended
    var running: Task<Void, Never>?
    var response: URLResponse?
    var error: (any Error)?
    var completion: (@Sendable (Outcome) -> Void)?
  }

  private let request: URLRequest
  private let number: Int
  /// Runs the exchange; ends early if its task is cancelled.
  private let exchange: @Sendable (ExchangeTask) async -> Outcome
  private let course: Mutex<Course>

  /// - Parameter completion: called once, on no particular thread.
  init(
    _ request: URLRequest, number: Int, exchange: @escaping @Sendable (ExchangeTask) async -> Outcome,
    completion: @escaping @Sendable (Outcome) -> Void
  ) {
    self.request = request
    self.number = number
    self.exchange = exchange
    course = Mutex(Course(completion: completion))
    super.init()
  }

  override var taskIdentifier: Int { number }
  override var originalRequest: URLRequest? { request }
  override var currentRequest: URLRequest? { request }
  override var state: URLSessionTask.State { course.withLock { $0.state } }
  override var response: URLResponse? { course.withLock { $0.response } }
  override var error: (any Error)? { course.withLock { $0.error } }

  override func resume() {
    course.withLock { course in
      guard course.state == .suspended else { return }
      course.state = .running
      // Keeps the task-local values of the caller, such as a test's keychain.
      course.running = Task { [self] in finish(await exchange(self)) }
    }
  }

  /// Has no effect: an exchange that began goes on.
  override func suspend() {}

  override func cancel() {
    let (running, isNew) = course.withLock { course in
      let isNew = course.state == .suspended
      if isNew || course.state == .running { course.state = .canceling }
      return (course.running, isNew)
    }
    running?.cancel()
    if isNew { finish(.failure(URLError(.cancelled, url: request.url, "the task was cancelled"))) }
  }

  private func finish(_ outcome: Outcome) {
    let completion = course.withLock { course in
      course.state = .completed
      course.running = nil
      switch outcome {
      case .success(let (_, response)): course.response = response
      case .failure(let error): course.error = error
      }
      return course.completion.take()
    }
    completion?(outcome)
  }
}
