internal import NIOCore
internal import NIOHTTP1

/// Lets one request of an HTTP/1.1 connection in at a time: the next head reaches the parser when the answer before it has left.
///
/// Pipelined requests wait as the bytes that they are, at most what one read brings, and behind them the peer's own window fills.
/// So a connection costs what one request and one answer cost, however many it sends and however few answers it reads; and
/// between two requests of one connection all others have their turn. Bytes are handed on up to the end of a head, then as the
/// head says how long its body is.
final class RequestGate: ChannelInboundHandler, ChannelOutboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum Phase {
    case head
    /// So many bytes of a body are to come; nil: it comes in chunks.
    case body(Int?)
    case answer
  }

  /// More than waits where a peer waits for answers: it has hung up, and what it sent before came all at once.
  private static let mostWaiting = 256 * 1024
  /// A body in chunks is parsed by so many bytes, since the next head may stand behind its end.
  private static let chunkStep = 1024

  private let owner: ConnectionHandler
  private var context: ChannelHandlerContext?
  private var phase = Phase.head
  private var waiting = ByteBuffer()
  private var headEnd = HeadEnd()
  private var wantsRead = false
  private var isPumping = false
  private var unanswered = 0
  private var isServerEnding = false
  /// Whether the server ends, or this connection: the request under way is the last.
  var isEnding: Bool { isServerEnding || owner.connection.endsSoon }

  init(of owner: ConnectionHandler) { self.owner = owner }

  /// Puts a gate before the parser of a connection's pipeline, and the handler that reports heads to it behind.
  ///
  /// - Returns: nil where there is no parser.
  static func install(in pipeline: ChannelPipeline.SynchronousOperations, of owner: ConnectionHandler) -> RequestGate? {
    guard let parser = try? pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self) else {
      return nil
    }
    let gate = RequestGate(of: owner)
    do {
      try pipeline.addHandler(RequestHeads(gate), position: .after(parser.handler))
      try pipeline.addHandler(gate, position: .before(parser.handler))
    } catch { return nil }
    return gate
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    waiting = ByteBuffer()
  }

  // MARK: What comes

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if waiting.readableBytes == 0 { waiting = bytes } else { waiting.writeBuffer(&bytes) }
    guard waiting.readableBytes <= Self.mostWaiting else {
      waiting = ByteBuffer()
      return context.close(promise: nil)
    }
    pump()
  }

  func read(context: ChannelHandlerContext) {
    if waiting.readableBytes == 0 { context.read() } else { wantsRead = true }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { isServerEnding = true }
    context.fireUserInboundEventTriggered(event)
  }

  /// Hands on what may be, until a head is whole or nothing is left.
  private func pump() {
    // The parser may call back from inside.
    guard let context, !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    while waiting.readableBytes > 0, !owner.isClosing {
      let count: Int
      switch phase {
      case .answer: return
      case .head:
        owner.connection.received(now: .now())
        count = headEnd.bytes(of: waiting.readableBytesView)
      case .body(let left): count = min(left.map { max(1, $0) } ?? Self.chunkStep, waiting.readableBytes)
      }
      guard let slice = waiting.readSlice(length: count) else { return }
      if case .body(let left?) = phase { phase = .body(left - count) }
      context.fireChannelRead(NIOAny(slice))
    }
    waiting = ByteBuffer()
    if wantsRead, !owner.isClosing {
      wantsRead = false
      context.read()
    }
  }

  // MARK: What the parser and the answers say

  /// A head was parsed.
  func began(_ head: HTTPRequestHead) {
    unanswered += 1
    let length = head.headers.first(name: "content-length").flatMap { Int($0) }
    phase = .body(head.headers.contains(name: "transfer-encoding") ? nil : length ?? 0)
  }

  /// A request was parsed whole.
  func ended() {
    phase = .answer
    // One that was refused before its body had come.
    if unanswered == 0 { next() }
  }

  /// An answer has left.
  func answered() {
    unanswered -= 1
    if unanswered == 0, case .answer = phase { next() }
  }

  /// The next request of a connection that waits for one is let in when its time has come.
  private func next() {
    guard !isEnding, let context else { return }
    let pause = owner.connection.takePause()
    guard pause > .nanoseconds(0) else { return open(context) }
    let gate = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: pause) {
      let gate = gate.value
      if let context = gate.context, !gate.isEnding { gate.open(context) }
    }
  }

  private func open(_ context: ChannelHandlerContext) {
    phase = .head
    guard waiting.readableBytes > 0, !isPumping else { return }
    pump()
    context.fireChannelReadComplete()
  }
}

/// Finds where a head ends: at the first empty line behind one that is not. It keeps its place from read to read.
struct HeadEnd {
  /// Whether the line that is read has nothing but carriage returns.
  private var isLineEmpty = true
  /// Whether a line with something in it came.
  private var hasBegun = false

  init() {}

  /// How many bytes belong to this head: those up to its end, or all.
  mutating func bytes(of view: ByteBufferView) -> Int {
    var start = view.startIndex
    while let feed = view[start...].firstIndex(of: 0x0A) {
      let isEmpty = isLineEmpty && view[start..<feed].allSatisfy { $0 == 0x0D }
      start = view.index(after: feed)
      isLineEmpty = true
      if !isEmpty {
        hasBegun = true
      } else if hasBegun {
        hasBegun = false
        return start - view.startIndex
      }
    }
    isLineEmpty = isLineEmpty && view[start...].allSatisfy { $0 == 0x0D }
    return view.count
  }
}
