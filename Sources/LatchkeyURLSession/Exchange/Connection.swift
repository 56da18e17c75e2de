internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// One TLS connection for one request.
///
/// Each connection has a TLS context of its own, without sessions to resume: no connection is made that nobody was asked about. The
/// server is judged first. A client certificate is chosen only after that, and only if the server asks for one.
struct Connection: Sendable {
  let request: RequestMessage
  let origin: Origin
  let trust: ServerTrust
  let identity: ClientIdentity
  /// How long nothing may happen.
  let idleLimit: Duration
  /// The limit of a response's body, in bytes.
  let longestBody: Int

  /// Connects, sends the request, and returns the response.
  ///
  /// - Throws: `URLError`, `CancellationError`.
  func response() async throws -> ResponseMessage {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let (chain, wish) = (OneAnswer<[[UInt8]]>(), OneAnswer<Void>())
    let response = OneAnswer<ResponseMessage>()
    // NIO asks again while it waits, so the question is put once, and its answer stands for all.
    let verdict = loop.makePromise(of: NIOSSLVerificationResult.self)
    let presentation = loop.makePromise(of: NIOSSLContextConfigurationOverride.self)
    let opened = OpenedChannels()
    let certificate = ClientCertificate()
    defer {
      // The handshake must not wait for an answer that does not come, and NIO's promises must be kept.
      verdict.succeed(.failed)
      presentation.fail(URLError(.cancelled))
      opened.close()
    }
    let handshake = Handshake(
      chain: chain, verdict: verdict.futureResult, wish: wish, presentation: presentation.futureResult)
    try open(handshake, response, opened, on: loop)
    do {
      return try await withThrowingTaskGroup(of: ResponseMessage?.self) { group in
        // Child tasks, so that they find the keychain of the calling task.
        group.addTask {
          try await trust.check(try await chain.value())
          verdict.succeed(.certificateVerified)
          return nil
        }
        group.addTask {
          try await wish.value()
          let chosen = try await identity.choose()
          certificate.became(chosen == nil ? .withheld : .presented)
          presentation.succeed(chosen ?? .noChanges)
          return nil
        }
        group.addTask { try await response.value() }
        defer { group.cancelAll() }
        while let next = try await group.next() { if let next { return next } }
        throw origin.error(.networkConnectionLost, "the connection was given up")
      }
    } catch {
      throw fault(error, certificate.state)
    }
  }

  private func open(
    _ handshake: Handshake, _ response: OneAnswer<ResponseMessage>, _ opened: OpenedChannels, on loop: any EventLoop
  ) throws {
    let context = try handshake.context()
    let idle = TimeAmount.nanoseconds(Int64(idleLimit / .nanoseconds(1)))
    ClientBootstrap(group: loop)
      .connectTimeout(idle)
      .channelInitializer { channel in
        opened.adopt(channel)
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          let limit = HandshakeLimit(origin)
          try pipeline.addHandler(IdleStateHandler(allTimeout: idle))
          try pipeline.addHandler(limit)
          try pipeline.addHandler(
            NIOSSLClientHandler(
              context: context, serverHostname: isAddress ? nil : origin.host,
              customVerificationCallback: { certificates, promise in
                handshake.judge(certificates, promise)
              }))
          try pipeline.addHTTPClientHandlers(
            leftOverBytesStrategy: .dropBytes, enableOutboundHeaderValidation: true)
          try pipeline.addHandler(
            ResponseCollector(request, to: origin, limit: limit, longestBody: longestBody, response: response))
        }
      }
      .connect(host: origin.host, port: origin.port)
      .whenFailure { response.fail($0) }
  }

  /// Addresses are no names of servers in TLS (RFC 6066 3).
  private var isAddress: Bool { (try? SocketAddress(ipAddress: origin.host, port: origin.port)) != nil }

  /// The error for the caller.
  private func fault(_ error: any Error, _ certificate: ClientCertificate.State) -> any Error {
    switch error {
    case let error as URLError: return error
    case is CancellationError: return error
    case let error as NIOConnectionError:
      let isUnknown = error.connectionErrors.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil)
      return isUnknown
        ? origin.error(.cannotFindHost, "\(origin.host) has no address", error)
        : origin.error(.cannotConnectToHost, "no connection to \(origin.field)", error)
    case ChannelError.connectTimeout: return origin.error(.timedOut, "no connection to \(origin.field) in time", error)
    case NIOSSLError.uncleanShutdown:
      return origin.error(.networkConnectionLost, "the server closed the connection", error)
    case is NIOSSLError, is BoringSSLError:
      switch certificate {
      case .notRequested: return origin.error(.secureConnectionFailed, "the TLS handshake failed", error)
      case .withheld:
        return origin.error(.clientCertificateRequired, "the server wants a client certificate", error)
      case .presented: return origin.error(.clientCertificateRejected, "the client certificate was not accepted", error)
      }
    case is NIOSSLExtraError: return origin.error(.badURL, "the host is no name for TLS", error)
    case is HTTPParserError: return origin.error(.cannotParseResponse, "the response is no HTTP", error)
    default:
      return certificate == .presented
        ? origin.error(.clientCertificateRejected, "the client certificate was not accepted: \(error)", error)
        : origin.error(.networkConnectionLost, "the connection broke", error)
    }
  }
}

/// The questions of a handshake, and their answers.
private struct Handshake: Sendable {
  /// The server's certificates, when they come.
  let chain: OneAnswer<[[UInt8]]>
  let verdict: EventLoopFuture<NIOSSLVerificationResult>
  /// The server's wish for a client certificate, when it comes.
  let wish: OneAnswer<Void>
  let presentation: EventLoopFuture<NIOSSLContextConfigurationOverride>

  func judge(_ certificates: [NIOSSLCertificate], _ promise: EventLoopPromise<NIOSSLVerificationResult>) {
    promise.completeWith(verdict)
    chain.give(certificates.compactMap { try? $0.toDERBytes() })
  }

  /// A context that verifies nothing by itself: `SecTrust` knows the host and the roots.
  func context() throws -> NIOSSLContext {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    tls.applicationProtocols = ["http/1.1"]
    tls.certificateVerification = .noHostnameVerification
    tls.trustRoots = .certificates([])
    tls.sslContextCallback = { _, promise in
      // BoringSSL calls a client back only where the server sent a CertificateRequest.
      promise.completeWith(presentation)
      wish.give(())
    }
    return try NIOSSLContext(configuration: tls)
  }
}

/// What became of the client's certificate, which explains the end of a handshake.
private final class ClientCertificate: Sendable {
  enum State { case notRequested, withheld, presented }
  private let current = Mutex(State.notRequested)

  var state: State { current.withLock { $0 } }

  func became(_ state: State) { current.withLock { $0 = state } }
}

/// The channels of a connection, which may be given up before one is open. A host with several addresses may get a channel for each.
private final class OpenedChannels: Sendable {
  private let state = Mutex<(channels: [any Channel], isClosed: Bool)>(([], false))

  func adopt(_ channel: any Channel) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.channels.append(channel) }
      return state.isClosed
    }
    if isClosed { channel.close(promise: nil) }
  }

  func close() {
    let channels = state.withLock { state in
      state.isClosed = true
      defer { state.channels = [] }
      return state.channels
    }
    for channel in channels { channel.close(promise: nil) }
  }
}
