import ArgumentParser
import Glibc
import LatchkeyEnrollmentServer

/// How much one peer may use.
struct LimitOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Logins, challenges, registrations and renewals of one address, or of one device.", valueName: "count"))
  var loginsPerMinute = ServerLimits().loginsPerMinute
  @Option(parsing: .unconditional, help: ArgumentHelp("Requests of one device.", valueName: "count"))
  var requestsPerSecond = ServerLimits().requestsPerSecond
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Requests a second of one address (IPv6: of one /64) that shows no certificate.", valueName: "count"))
  var anonymousPerSecond = ServerLimits().anonymousRequestsPerSecond
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Devices of one user at once, with a certificate that counts or an approval key; latchkey-server device revoke frees one.",
      valueName: "count"))
  var devicesPerUser = ServerLimits().devicesPerUser
  @Option(parsing: .unconditional, help: ArgumentHelp("Connections at once.", valueName: "count"))
  var connections = ServerLimits().connections
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Connections at once of one address (IPv6: of one /64).", valueName: "count"))
  var connectionsPerAddress = ServerLimits().connectionsPerAddress

  func validate() throws {
    let all = [
      loginsPerMinute, requestsPerSecond, anonymousPerSecond, devicesPerUser, connections, connectionsPerAddress,
    ]
    guard all.allSatisfy({ $0 > 0 }) else {
      throw ValidationError("limits are above zero")
    }
  }

  func apply(to limits: inout ServerLimits) {
    limits.loginsPerMinute = loginsPerMinute
    limits.requestsPerSecond = requestsPerSecond
    limits.anonymousRequestsPerSecond = anonymousPerSecond
    limits.devicesPerUser = devicesPerUser
    limits.connections = connections
    limits.connectionsPerAddress = connectionsPerAddress
  }
}

/// The limit of open files, which is also one of connections.
enum OpenFiles {
  /// Raises the limit to the maximum that the system allows.
  static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
