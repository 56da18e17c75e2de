import NIOCore
import NIOPosix
import Synchronization

/// Answers lines of text, each by lines, in turn: for a program that is told what to do while it runs.
///
/// There is neither encryption nor a password: listen at a loopback address or a Unix socket.
package final class LineServer: Sendable {
  /// The most connections at the same time; a further one is closed at once.
  static let maximumClients = 16

  private struct State {
    var clients: [ObjectIdentifier: any Channel] = [:]
    var isClosed = false
  }

  private let socket = ListeningSocket(on: MultiThreadedEventLoopGroup.singleton.next())
  private let answer: @Sendable (String) -> [String]
  private let state = Mutex(State())

  /// A server whose `answer` gets each line without its end, on an event loop.
  package init(answer: @escaping @Sendable (String) -> [String]) { self.answer = answer }

  /// Listens at `place`, until `shutDown()`. The Unix socket of a server that has ended is replaced.
  ///
  /// - Returns: the place, with the port that the system chose, if it was to choose.
  package func start(at place: ListenSpecification) async throws(RadioServerError) -> ListenSpecification {
    try await socket.start(at: place) { channel in try self.admit(channel) }
  }

  /// Stops listening, and ends all connections.
  package func shutDown() async {
    let clients = state.withLock { state in
      state.isClosed = true
      return Array(state.clients.values)
    }
    await socket.close()
    for client in clients { try? await client.close() }
  }

  private func admit(_ channel: any Channel) throws {
    let isAdmitted = state.withLock { state in
      guard state.clients.count < Self.maximumClients, !state.isClosed else { return false }
      state.clients[ObjectIdentifier(channel)] = channel
      return true
    }
    guard isAdmitted else { return channel.close(promise: nil) }
    let key = ObjectIdentifier(channel)
    channel.closeFuture.whenComplete { _ in self.state.withLock { _ = $0.clients.removeValue(forKey: key) } }
    // A client that does not read its answers is not read either.
    try channel.pipeline.syncOperations.addHandler(BackPressureHandler())
    try channel.pipeline.syncOperations.addHandler(LineHandler(answer))
  }
}

/// One connection of a `LineServer`.
private final class LineHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let answer: @Sendable (String) -> [String]
  private var lines = LineAssembler()

  init(_ answer: @escaping @Sendable (String) -> [String]) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let text = lines.receive(unwrapInboundIn(data).readableBytesView).map(reply).joined()
    guard !text.isEmpty else { return }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    if lines.isTooLong { context.close(promise: nil) }
  }

  private func reply(to line: LineAssembler.Line) -> String {
    switch line {
    case .text(let text): answer(text).map { $0 + "\n" }.joined()
    case .notUTF8: "error: a line is UTF-8\n"
    case .tooLong: "error: a line has \(LineAssembler.longestLine) bytes at most\n"
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
