internal import Logging
internal import Metrics
internal import NIOCore
internal import NIOTLS
internal import Synchronization

/// A tenant as the shared port sees it.
final class TenantSeat: Sendable {
  let name: String
  let channels: SecureChannel
  /// Whether its store is open for it.
  var isServing: Bool { state.load(ordering: .relaxed) }
  private let state = Atomic(false)

  init(name: String, channels: SecureChannel) { (self.name, self.channels) = (name, channels) }

  func open() { state.store(true, ordering: .relaxed) }
}

/// Sets up the connections of a shared port: reads the TLS server name, and hands the connection to its tenant.
struct TenantChannel: ConnectionSetup {
  let table: ConnectionTable
  let seats: [String: TenantSeat]
  /// The tenant of clients that name none.
  let unnamed: TenantSeat?
  let proxies: [AddressBlock]
  let refusals: TenantRefusals

  /// A ClientHello of one record (RFC 8446 5.1), with its header.
  private static let mostBytes = 5 + 16 * 1024

  func setUp(_ channel: any Channel, logger: Logger) -> EventLoopFuture<Void> {
    let isProxied = !proxies.isEmpty && proxies.contains { $0.contains(channel.remoteAddress?.ipAddress ?? "") }
    return table.begin(channel, isProxied: isProxied) { connection in
      let pipeline = channel.pipeline.syncOperations
      if isProxied { try pipeline.addHandler(ProxyHeaderHandler(connection, table: table, logger: logger)) }
      let selection = TenantSelection(connection, of: self, logger: logger)
      let reader = ByteToMessageHandler(
        SNIHandler { selection.select($0) }, maximumBufferSize: Self.mostBytes)
      selection.reader = reader
      try pipeline.addHandlers([reader, selection])
    }
  }

  /// The tenant that a client has named.
  func seat(_ result: SNIResult) -> TenantSeat? {
    switch result {
    case .hostname(let name): seats[ListenerNames.folded(name)]
    case .fallback: unnamed
    }
  }
}

/// Waits for the TLS server name of a connection. Then the tenant's TLS takes its place in the pipeline, or an alert ends the connection.
final class TenantSelection: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: ClientConnection
  private let tenants: TenantChannel
  private let logger: Logger
  fileprivate var reader: ByteToMessageHandler<SNIHandler>?
  private var isSelected = false
  private var isRefused = false

  init(_ connection: ClientConnection, of tenants: TenantChannel, logger: Logger) {
    (self.connection, self.tenants, self.logger) = (connection, tenants, logger)
  }

  fileprivate func select(_ result: SNIResult) -> EventLoopFuture<Void> {
    let channel = connection.channel
    guard let seat = tenants.seat(result) else {
      tenants.refusals.noteUnknown(result, from: connection.address)
      return refuse(.unrecognizedName)
    }
    guard seat.isServing else {
      tenants.refusals.noteNotServing()
      return refuse(.internalError)
    }
    return channel.eventLoop.makeCompletedFuture {
      if case .hostname = result { connection.nameTenant() }
      guard seat.channels.table.adopt(connection) else {
        isRefused = true
        tenants.refusals.noteTenantLimit()
        return channel.close(promise: nil)
      }
      isSelected = true
      try seat.channels.secure(connection, logger: logger)
      let pipeline = channel.pipeline
      guard let reader else { return }
      self.reader = nil
      let selection = NIOLoopBound(self, eventLoop: channel.eventLoop)
      // The bytes that it has read go on to TLS with its removal.
      pipeline.syncOperations.removeHandler(reader).whenComplete { _ in
        pipeline.syncOperations.removeHandler(selection.value, promise: nil)
      }
    }
  }

  /// The descriptions of alerts (RFC 8446 6.2, RFC 6066 3).
  private enum Alert: UInt8 {
    case internalError = 80
    case unrecognizedName = 112
  }

  /// Ends the handshake before it has begun: a fatal alert in a record of its own.
  private func refuse(_ alert: Alert) -> EventLoopFuture<Void> {
    isRefused = true
    let channel = connection.channel
    return channel.writeAndFlush(ByteBuffer(bytes: [21, 3, 3, 0, 2, 2, alert.rawValue])).flatMap { channel.close() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Of a connection that was refused, or ended before its name was complete.
    guard isSelected else { return }
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    if !isSelected, !isRefused { tenants.refusals.noteIncomplete() }
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard !isSelected else { return context.fireUserInboundEventTriggered(event) }
    switch event {
    case is ChannelShouldQuiesceEvent, ChannelEvent.inputClosed: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isSelected else { return context.fireErrorCaught(error) }
    context.close(promise: nil)
  }
}

/// Counts the connections that the shared port refuses, by reason, and logs that clients named no tenant of it, once a minute at most.
///
/// The port has no listener for metrics of its own, so each tenant's metrics have these series. Their labels are the reasons alone: no
/// name that a client sent, and no tenant's.
final class TenantRefusals: Sendable {
  private enum Reason: String, CaseIterable {
    case unknownName = "unknown_name"
    case noName = "no_name"
    case notServing = "not_serving"
    case tenantLimit = "tenant_limit"
    case portLimit = "port_limit"
    case incomplete
  }

  private static let label = "latchkey_port_connections_refused_total"

  private let logger: Logger
  private let counters: [Reason: Counter]
  private let state = Mutex((next: NIODeadline.now(), silent: 0))

  init(logger: Logger, factory: any MetricsFactory) {
    self.logger = logger
    counters = Dictionary(
      uniqueKeysWithValues: Reason.allCases.map {
        ($0, Counter(label: Self.label, dimensions: [("reason", $0.rawValue)], factory: factory))
      })
  }

  /// A connection was refused because its tenant waits for its store.
  func noteNotServing() { counters[.notServing]?.increment() }
  /// A connection was refused because its tenant has too many, in all or of that address.
  func noteTenantLimit() { counters[.tenantLimit]?.increment() }
  /// A connection ended, or was ended, before its ClientHello was complete.
  func noteIncomplete() { counters[.incomplete]?.increment() }
  /// The counter of connections beyond the port's own limits.
  var portLimit: Counter? { counters[.portLimit] }

  func noteUnknown(_ result: SNIResult, from address: String) {
    if case .hostname = result { counters[.unknownName]?.increment() } else { counters[.noName]?.increment() }
    let before: Int? = state.withLock { state in
      guard .now() >= state.next else {
        state.silent += 1
        return nil
      }
      defer { state = (.now() + .minutes(1), 0) }
      return state.silent
    }
    guard let before else { return }
    let name = if case .hostname(let name) = result { TenantNames.shown(name) } else { "none" }
    logger.notice(
      "a client named no tenant of this port",
      metadata: ["name": "\(name)", "peer": "\(address)", "before": "\(before)"])
  }
}
