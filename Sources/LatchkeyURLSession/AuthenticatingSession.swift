public import Foundation
public import FoundationNetworking
internal import Synchronization

/// A session that asks its delegate about servers' certificates and for client certificates, as Apple's `URLSession` does and that of
/// Linux does not.
///
/// The delegate is Apple's own protocol: `urlSession(_:didReceive:completionHandler:)` of `URLSessionDelegate`, and that of
/// `URLSessionTaskDelegate` with a task. Both get challenges with ``NSURLAuthenticationMethodServerTrust`` and
/// ``NSURLAuthenticationMethodClientCertificate``; redirections go to `urlSession(_:task:willPerformHTTPRedirection:…)`.
///
/// ```swift
/// let session = AuthenticatingSession(configuration: .default, delegate: PinningDelegate(), delegateQueue: nil)
/// let (data, response) = try await session.data(from: url)
/// ```
///
/// It speaks HTTP/1.1 over TLS 1.2 and 1.3, https alone, with a connection for each request. Of the configuration it uses the two time
/// limits and `httpAdditionalHeaders`: there are no cookies, caches, proxies or stored credentials, and a response with the status 401
/// is returned. Bodies are in memory.
///
/// The session keeps its delegate until it is invalidated, as Apple's does. Any thread may use it.
public final class AuthenticatingSession: Sendable {
  /// The configuration; changes of it after the creation of the session have no effect.
  public let configuration: URLSessionConfiguration
  /// Where the delegate and completion handlers are called.
  public let delegateQueue: OperationQueue
  /// The limit of a response's body, in bytes. A longer one is `URLError.dataLengthExceedsMaximum`.
  public let longestBody: Int

  /// The session that delegates see. It loads nothing.
  private let session: URLSession

  private struct State {
    var delegate: (any URLSessionDelegate)?
    var isInvalid = false
    var lastTask = 0
    var tasks: [Int: ExchangeTask] = [:]
  }
  private let state: Mutex<State>

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - configuration: `timeoutIntervalForRequest` limits the wait for anything to happen, an answer of the delegate included;
  ///     `timeoutIntervalForResource` limits a request with its redirections.
  ///   - delegate: asked in each TLS handshake; without one, servers are evaluated as `SecTrustEvaluateWithError` does, and get no
  ///     client certificate.
  ///   - queue: where the delegate is called; nil creates a serial queue.
  ///   - longestBody: the limit of a response's body, in bytes; 64 MiB by default.
  public init(
    configuration: URLSessionConfiguration = .default, delegate: (any URLSessionDelegate)? = nil,
    delegateQueue queue: OperationQueue? = nil, longestBody: Int = 64 << 20
  ) {
    let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
    self.configuration = configuration
    self.longestBody = max(0, longestBody)
    if let queue {
      delegateQueue = queue
    } else {
      delegateQueue = OperationQueue()
      delegateQueue.maxConcurrentOperationCount = 1
    }
    session = URLSession(configuration: configuration)
    state = Mutex(State(delegate: delegate))
  }

  deinit { session.finishTasksAndInvalidate() }

  /// The delegate; nil once the session is invalid.
  public var delegate: (any URLSessionDelegate)? { state.withLock { $0.delegate } }

  // MARK: Requests

  /// Loads the content of a URL.
  ///
  /// - Parameters:
  ///   - request: an https request; its body is `httpBody`.
  ///   - delegate: asked before the session's delegate.
  /// - Throws: `URLError`: `.cancelled` if a delegate or the task is cancelled, `.timedOut`, `.serverCertificate…`,
  ///   `.clientCertificate…`, `.httpTooManyRedirects`, `.dataLengthExceedsMaximum` and others. `NSUnderlyingErrorKey` has the reason of
  ///   a failed evaluation.
  public func data(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    let answer = OneAnswer<(Data, HTTPURLResponse)>()
    let task = task(request) { outcome in
      switch outcome {
      case .success(let result): answer.give(result)
      case .failure(let error): answer.fail(error)
      }
    }
    if let delegate { task.delegate = delegate }
    task.resume()
    do {
      return try await answer.value()
    } catch is CancellationError {
      task.cancel()
      throw URLError(.cancelled, url: request.url, "the task was cancelled")
    }
  }

  /// Loads the content of a URL, as ``data(for:delegate:)``.
  public func data(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await data(for: URLRequest(url: url), delegate: delegate)
  }

  /// Sends a body, and loads the response, as ``data(for:delegate:)``.
  public func upload(
    for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    var request = request
    request.httpBody = bodyData
    return try await data(for: request, delegate: delegate)
  }

  /// Creates a task that loads the content of a URL; it starts with `resume()`.
  ///
  /// - Parameter completionHandler: called once, on ``delegateQueue``, with the errors of ``data(for:delegate:)``.
  public func dataTask(
    with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    task(request) { [delegateQueue] outcome in
      delegateQueue.addOperation {
        switch outcome {
        case .success(let (data, response)): completionHandler(data, response, nil)
        case .failure(let error): completionHandler(nil, nil, error)
        }
      }
    }
  }

  /// Creates a task that loads the content of a URL, as the method with a request.
  public func dataTask(
    with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  // MARK: The end

  /// Makes the session invalid when its tasks have ended. New ones fail with `URLError.cancelled`.
  public func finishTasksAndInvalidate() {
    let isIdle = state.withLock { state in
      state.isInvalid = true
      return state.tasks.isEmpty
    }
    if isIdle { releaseDelegate() }
  }

  /// Cancels all tasks, and makes the session invalid.
  public func invalidateAndCancel() {
    let tasks = state.withLock { state in
      state.isInvalid = true
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
    finishTasksAndInvalidate()
  }

  // MARK: Innards

  private func task(
    _ request: URLRequest, completion: @escaping @Sendable (ExchangeTask.Outcome) -> Void
  ) -> ExchangeTask {
    let number = state.withLock { state in
      state.lastTask += 1
      return state.lastTask
    }
    return ExchangeTask(
      request, number: number, exchange: { [self] in await run($0, request) },
      completion: completion)
  }

  private func run(_ task: ExchangeTask, _ request: URLRequest) async -> ExchangeTask.Outcome {
    let number = task.taskIdentifier
    let delegate = state.withLock { state -> (any URLSessionDelegate)?? in
      if state.isInvalid { return nil }
      state.tasks[number] = task
      return .some(state.delegate)
    }
    guard let delegate else {
      return .failure(URLError(.cancelled, url: request.url, "the session is invalid"))
    }
    defer { ended(number) }
    // The task's own delegate is asked first.
    let delegates = [task.delegate as (any URLSessionDelegate)?, delegate].compactMap { $0 }
    let exchange = Exchange(
      questions: DelegateQuestions(
        session: session, task: task, delegates: delegates, queue: delegateQueue, limit: idleLimit(of: request)),
      idleLimit: idleLimit(of: request), totalLimit: Self.duration(configuration.timeoutIntervalForResource),
      longestBody: longestBody)
    do {
      return .success(try await exchange.run(complete(request)))
    } catch {
      return .failure(error)
    }
  }

  private func ended(_ number: Int) {
    let isLast = state.withLock { state in
      state.tasks[number] = nil
      return state.isInvalid && state.tasks.isEmpty
    }
    if isLast { releaseDelegate() }
  }

  private func releaseDelegate() {
    guard let delegate = state.withLock({ $0.delegate.take() }) else { return }
    delegateQueue.addOperation { [session] in delegate.urlSession(session, didBecomeInvalidWithError: nil) }
  }

  /// The request with the session's fields, where it has none of the name.
  private func complete(_ request: URLRequest) -> URLRequest {
    var request = request
    for case let (name as String, value as String) in configuration.httpAdditionalHeaders ?? [:]
    where request.value(forHTTPHeaderField: name) == nil {
      request.setValue(value, forHTTPHeaderField: name)
    }
    return request
  }

  /// The request's limit if it has one of its own, else the session's. 60 s is what each request has from its creation on.
  private func idleLimit(of request: URLRequest) -> Duration {
    Self.duration(request.timeoutInterval == 60 ? configuration.timeoutIntervalForRequest : request.timeoutInterval)
  }

  /// A limit in seconds, between a millisecond and a century, which does not overflow.
  private static func duration(_ seconds: TimeInterval) -> Duration {
    .seconds(min(max(seconds.isNaN ? 0 : seconds, 0.001), 3_155_760_000))
  }
}
