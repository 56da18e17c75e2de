internal import LatchkeyEnrollmentProtocol
internal import Logging
internal import NIOCore

/// Reads the PROXY header of a proxy's connection, in front of TLS, and removes itself.
///
/// It stands only in connections from the addresses of ``ServerConfiguration/proxies``, which must begin with a header; of others the
/// same bytes reach TLS, which refuses them.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: ClientConnection
  private let table: ConnectionTable
  private let logger: Logger
  private var received: [UInt8] = []
  private var isDone = false

  init(_ connection: ClientConnection, table: ConnectionTable, logger: Logger) {
    self.connection = connection
    self.table = table
    self.logger = logger
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isDone else { return }
    received += unwrapInboundIn(data).readableBytesView
    let found: ProxyHeader.Found
    do throws(ProxyHeaderError) {
      guard let header = try ProxyHeader.read(received) else { return }
      found = header
    } catch {
      isDone = true
      logger.warning("\(error)", metadata: ["peer": "\(connection.address)"])
      context.close(promise: nil)
      return
    }
    isDone = true
    if case .client(let address) = found.header {
      guard table.identify(connection, as: AddressBlock.text(of: address)) else {
        context.close(promise: nil)
        return
      }
    }
    let rest = received.dropFirst(found.length)
    received = []
    if !rest.isEmpty { context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: rest))) }
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }
}
