import Foundation
import Glibc
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyProcessEnvironment

/// The sockets that a service manager has opened for this process, by the protocol of sd_listen_fds(3): from descriptor 3 on,
/// `LISTEN_FDS` many, for the process `LISTEN_PID`, named by `LISTEN_FDNAMES`.
struct PassedSockets: Sendable {
  /// The names of the server's ports.
  static let ports = ["https", "admin", "public"]

  /// The names of the ports of these tenants: the TLS port is of all.
  static func ports(of tenants: [String]) -> [String] {
    ["https"] + tenants.flatMap { ["\($0).admin", "\($0).public"] }
  }

  private static let first: Int32 = 3
  private static let most: Int32 = 256
  private static let variables = ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"]

  private var sockets: [String: ListeningSocket] = [:]

  /// The socket of a port.
  subscript(name: String) -> ListeningSocket? { sockets[name] }

  /// The sockets of a tenant's own ports.
  func of(tenant: String) -> PassedSockets {
    var own = self
    own.sockets = [:]
    for port in ["admin", "public"] { own.sockets[port] = sockets["\(tenant).\(port)"] }
    return own
  }

  /// Takes the sockets, and their variables out of the environment, so that programs which this one starts do not look for them.
  ///
  /// - Parameter known: the names that there may be; a single socket without a name has the first.
  static func take(named known: [String]) throws(CommandFailure) -> PassedSockets {
    defer { for name in variables { unsetenv(name) } }
    return try PassedSockets(Environment.variables, process: getpid(), named: known)
  }

  /// Whether the environment names a socket of a port, of the server's or of a tenant's.
  static func isNamed(_ port: String) -> Bool {
    Environment["LISTEN_FDNAMES"]?.split(separator: ":").contains { $0 == port || $0.hasSuffix(".\(port)") } ?? false
  }

  private init(_ variables: [String: String], process: pid_t, named known: [String]) throws(CommandFailure) {
    guard let text = variables["LISTEN_FDS"] else { return }
    guard let count = Int32(text), (0...Self.most).contains(count) else {
      throw Self.failure("LISTEN_FDS is no number of sockets from 0 to \(Self.most)")
    }
    guard variables["LISTEN_PID"].flatMap({ pid_t($0) }) == process else {
      throw Self.failure(
        "the sockets of LISTEN_FDS are for the process of LISTEN_PID, which is not this one (\(process)): start it without LISTEN_FDS"
      )
    }
    let names = try Self.names(variables["LISTEN_FDNAMES"], count: Int(count), known)
    for (name, descriptor) in zip(names, Self.first...) {
      guard known.contains(name) else {
        throw Self.failure(
          "no port has the name of the socket \(JSONString.quote(String(name.prefix(64)), escapes: .controls)): give FileDescriptorName= "
            + "in the socket unit one of \(known.joined(separator: ", "))")
      }
      guard sockets[name] == nil else {
        throw Self.failure(
          "two sockets have the name \(name): give each a socket unit with a FileDescriptorName= of its own; one ListenStream=PORT takes "
            + "connections by IPv4 and IPv6")
      }
      do throws(ListeningSocketError) {
        sockets[name] = try ListeningSocket(descriptor: descriptor)
      } catch {
        throw Self.failure("the socket \(name): \(error)")
      }
    }
  }

  private static func names(_ text: String?, count: Int, _ known: [String]) throws(CommandFailure) -> [String] {
    guard let text else {
      guard count <= 1 else {
        throw failure("\(count) sockets have no names: give each socket unit FileDescriptorName= (LISTEN_FDNAMES)")
      }
      return Array(known.prefix(count))
    }
    let names =
      text.isEmpty && count == 0 ? [] : text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard names.count == count else {
      throw failure("LISTEN_FDNAMES has \(names.count) names for the \(count) sockets of LISTEN_FDS")
    }
    return names
  }

  private static func failure(_ text: String) -> CommandFailure {
    CommandFailure(.usage, code: "badSocket", text)
  }
}

extension ListenAddress {
  /// Where a socket listens.
  init(_ socket: ListeningSocket) { self.init(host: socket.host, port: socket.port) }
}

extension ServeCommand {
  /// The command with the addresses of these sockets in the place of its own.
  ///
  /// - Throws: where a port has both, except the first, which always has an address.
  func taking(_ sockets: PassedSockets) throws(CommandFailure) -> ServeCommand {
    func both(_ name: String, _ option: String) -> CommandFailure {
      CommandFailure(
        .usage, code: "badSocket", "\(option) and a socket of the name \(name) are the same port: give one of them")
    }
    var command = self
    if let socket = sockets["https"] { command.listen = ListenAddress(socket) }
    if let socket = sockets["admin"] {
      guard operationsListen == nil else { throw both("admin", "--admin-listen") }
      command.operationsListen = ListenAddress(socket)
    }
    if let socket = sockets["public"] {
      guard publication.publicListen == nil else { throw both("public", "--public-listen") }
      command.publication.publicListen = ListenAddress(socket)
    }
    return command
  }
}
