import Glibc
import NIOCore

/// Why a radio's server cannot listen.
public enum RadioServerError: Error, Equatable, Sendable {
  /// Another server listens there already.
  case inUse(ListenSpecification)
  /// The path is not a socket, and the server leaves it alone.
  case notASocket(path: String)
  /// The server has been started, or shut down, before.
  case alreadyStarted
  /// The system refused; the text has its reason.
  case cannotListen(ListenSpecification, reason: String)

  init(_ error: any Error, at place: ListenSpecification) {
    switch error {
    case let error as IOError where error.errnoCode == EADDRINUSE: self = .inUse(place)
    case let error as IOError: self = .cannotListen(place, reason: String(cString: strerror(error.errnoCode)))
    default: self = .cannotListen(place, reason: "\(error)")
    }
  }
}

extension RadioServerError: CustomStringConvertible {
  /// The error, in one line.
  public var description: String {
    switch self {
    case .inUse(let place): "another server listens at \(place) already"
    case .notASocket(let path): "\(path) exists and is no socket"
    case .alreadyStarted: "this server has been started before"
    case .cannotListen(let place, let reason): "cannot listen at \(place): \(reason)"
    }
  }
}
