package import Hummingbird
package import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
package import NIOCore
internal import Synchronization

/// What belongs to one request: the connection it came on, and the device behind it.
package struct ServerContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The channel of the request; for HTTP/2 a stream's, whose parent is the connection's.
  package let channel: (any Channel)?
  /// The connection, with its peer's address and certificate.
  package let connection: ClientConnection?
  /// The device, once the request was found to come from one (`RequestIdentity`).
  package var device: AuthenticatedDevice?
  /// Why the certificate that was shown does not count.
  package var refusal: Problem?
  private let number: RequestNumber

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    connection = ClientConnection.current
    number = RequestNumber()
  }

  /// The request's name in log and answers: 32 hexadecimal digits.
  package var requestID: String { number.description }

  /// The device that asks.
  ///
  /// - Throws: `.certificateRequired` where no certificate was shown; `.revoked`, `.notAuthenticated` for one that does not
  ///   count; `.unavailable` where that could not be told.
  package func requireDevice() throws(Problem) -> AuthenticatedDevice {
    if let device { return device }
    if let refusal { throw refusal }
    throw Problem(.certificateRequired, detail: "show the client certificate of an enrolled device")
  }
}

/// Some of the server's routes: one ceremony a file.
package protocol RouteGroup: Sendable {
  func add(to router: Router<ServerContext>)
}

/// Names requests apart, within a process by counting, beyond it by what the process drew at its start. Drawn names would cost each
/// request a call of the system.
private struct RequestNumber: CustomStringConvertible {
  private static let process = Identifier.random().description.prefix(16)
  private static let last = Atomic<UInt64>(0)

  private let value = Self.last.wrappingAdd(1, ordering: .relaxed).newValue

  var description: String {
    let digits = String(value, radix: 16)
    return Self.process + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
