internal import NIOCore
internal import NIOHTTP1

/// Admits one request of an HTTP/1.1 connection at a time: the next head reaches the parser after the previous response was
/// sent.
///
/// Pipelined requests wait as unparsed bytes, at most those of one read, after which the peer's own window fills. A connection
/// thus costs one request and one response, however many it sends and however few responses it reads; and between two requests
/// of one connection all others have their turn. Bytes are forwarded up to the end of a head, then as many as the head
/// announces for its body. The piece that ends a chunked body may contain further requests: `RequestHeads` holds them, and
/// nothing more is forwarded until only the last of them is unanswered.
final class RequestGate: ChannelInboundHandler, ChannelOutboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum Phase {
    case head
    /// The remaining bytes of a body; nil: it is chunked.
    case body(Int?)
    case answer
  }

  /// The limit of waiting bytes. More arrive only from a peer that has hung up, whose earlier input comes all at once.
  private static let mostWaiting = 256 * 1024
  /// A chunked body is parsed in pieces of this size, since the next head may follow its end.
  private static let chunkStep = 1024

  let owner: ConnectionHandler
  private var context: ChannelHandlerContext?
  private var phase = Phase.head
  private var waiting = ByteBuffer()
  private var headEnd = HeadEnd()
  private var wantsRead = false
  private var isPumping = false
  /// The number of requests whose head was parsed, and whose response was not sent.
  private(set) var unanswered = 0
  private var isServerEnding = false
  /// Whether the peer sends nothing more, which the parser learns behind the bytes that wait.
  private var isInputClosed = false
  private weak var heads: RequestHeads?
  /// Whether the server or this connection is ending: the request in progress is the last.
  var isEnding: Bool { isServerEnding || owner.connection.endsSoon }

  init(of owner: ConnectionHandler) { self.owner = owner }

  /// Inserts a gate before the parser of a connection's pipeline, and a handler after it that reports heads.
  ///
  /// - Returns: nil if there is no parser.
  static func install(
    in pipeline: ChannelPipeline.SynchronousOperations, of owner: ConnectionHandler, direct: DirectAnswers?
  ) -> RequestGate? {
    guard let parser = try? pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self) else {
      return nil
    }
    let gate = RequestGate(of: owner)
    let encoder = try? pipeline.context(handlerType: HTTPResponseEncoder.self)
    do {
      let heads = RequestHeads(gate, direct: direct, encoder: encoder)
      gate.heads = heads
      try pipeline.addHandler(heads, position: .after(parser.handler))
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
    if event as? ChannelEvent == .inputClosed, waiting.readableBytes > 0, !owner.isClosing {
      isInputClosed = true
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  /// Forwards permitted bytes until a head is complete or none are left.
  private func pump() {
    // The parser may call back reentrantly.
    guard let context, !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    while waiting.readableBytes > 0, !owner.isClosing {
      guard unanswered < 2 else { return }
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
    if isInputClosed {
      isInputClosed = false
      context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }
    if wantsRead, !owner.isClosing {
      wantsRead = false
      context.read()
    }
  }

  // MARK: What the parser and the answers say

  /// Records that a head was parsed.
  func began(_ head: HTTPRequestHead) {
    unanswered += 1
    // The parser accepts lengths up to 64 bits.
    let length = head.headers.first(name: "content-length").map { Int($0) ?? .max }
    phase = .body(head.headers.contains(name: "transfer-encoding") ? nil : length ?? 0)
  }

  /// Records that a request was parsed completely.
  func ended() {
    phase = .answer
    // The request was refused before its body had arrived.
    if unanswered == 0 { next() }
  }

  /// Records that a response was sent.
  func answered() {
    unanswered -= 1
    guard !isEnding, !owner.isClosing, let context else { return }
    heads?.continueHeld()
    if unanswered == 0 {
      if case .answer = phase { next() }
    } else {
      pump()
      context.fireChannelReadComplete()
    }
  }

  /// Records that a response was sent within the parsing of its request: if further requests have arrived already, all other
  /// connections have their turn first.
  func answeredDirectly() {
    guard waiting.readableBytes > 0 || unanswered > 1, let context else { return answered() }
    let gate = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.execute { gate.value.answered() }
  }

  /// Admits the connection's next request, after its delay.
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
    // The piece that ended a body may have begun the next request.
    guard case .answer = phase, unanswered == 0 else { return }
    phase = .head
    guard waiting.readableBytes > 0, !isPumping else { return }
    pump()
    context.fireChannelReadComplete()
  }
}

/// Finds the end of a head, the first empty line after a non-empty one. It holds its state between reads.
struct HeadEnd {
  /// Whether the current line contains only carriage returns.
  private var isLineEmpty = true
  /// Whether a non-empty line has arrived.
  private var hasBegun = false

  init() {}

  /// The number of bytes that belong to this head: those up to its end, or all.
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
