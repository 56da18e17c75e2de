package import EnrollmentProtocol
internal import EnrollmentStore
package import Hummingbird
package import NIOCore

/// What belongs to one request: the connection it came on, and the device behind it.
package struct ServerContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The connection; its parent, for HTTP/2, has the TLS handler.
  package let channel: (any Channel)?
  /// The device, once the request was found to come from one (`IdentityMiddleware`).
  package var device: AuthenticatedDevice?
  /// The request's name in log and answers.
  package let requestID: String

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    requestID = Identifier.random().description
  }

  /// The device that asks.
  ///
  /// - Throws: `.certificateRequired` where no certificate was shown.
  package func requireDevice() throws(Problem) -> AuthenticatedDevice {
    guard let device else {
      throw Problem(.certificateRequired, detail: "show the client certificate of an enrolled device")
    }
    return device
  }
}

/// Some of the server's routes: one ceremony a file.
package protocol RouteGroup: Sendable {
  func add(to router: Router<ServerContext>)
}
