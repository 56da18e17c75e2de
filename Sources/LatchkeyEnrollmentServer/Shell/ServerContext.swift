package import Hummingbird
package import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
package import NIOCore
internal import Synchronization

/// The context of one request: its connection and its device.
package struct ServerContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The channel of the request; for HTTP/2 a stream's, whose parent is the connection's.
  package let channel: (any Channel)?
  /// The connection, with its peer's address and certificate.
  package internal(set) var connection: ClientConnection?
  /// The device, if the request comes from one (`RequestIdentity`).
  package var device: AuthenticatedDevice?
  /// The reason why the presented certificate is not valid.
  package var refusal: Problem?
  private let number: RequestNumber

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    number = RequestNumber()
  }

  /// The request's ID in log and responses: 32 hexadecimal digits.
  package var requestID: String { number.description }

  /// The calling device.
  ///
  /// - Throws: `.certificateRequired` without a certificate; `.revoked`, `.notAuthenticated` for an invalid one; `.unavailable`
  ///   if its state could not be determined.
  package func requireDevice() throws(Problem) -> AuthenticatedDevice {
    if let device { return device }
    if let refusal { throw refusal }
    throw Problem(.certificateRequired, detail: "show the client certificate of an enrolled device")
  }
}

/// A group of the server's routes, one ceremony per file.
package protocol RouteGroup: Sendable {
  func add(to router: Router<ServerContext>)
}

/// A group of routes, some of which need only the cached device (``DirectAnswers``).
protocol DirectRouteGroup: RouteGroup {
  var directRoutes: [DirectRoute] { get }
}

/// A unique request ID: a counter within the process, with a random prefix drawn at its start. Random IDs would cost each
/// request a system call.
struct RequestNumber: CustomStringConvertible {
  private static let process = Identifier.random().description.prefix(16)
  private static let last = Atomic<UInt64>(0)

  private let value = Self.last.wrappingAdd(1, ordering: .relaxed).newValue

  var description: String {
    let digits = String(value, radix: 16)
    return Self.process + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
