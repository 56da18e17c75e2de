import ArgumentParser
import EnrollmentServer

/// How much one peer may take.
struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Logins, challenges, registrations and renewals of one address, or of one device.", valueName: "count"))
  var loginsPerMinute = ServerLimits().loginsPerMinute
  @Option(help: ArgumentHelp("Requests of one device.", valueName: "count"))
  var requestsPerSecond = ServerLimits().requestsPerSecond
  @Option(
    help: ArgumentHelp(
      "Requests a second of one address (IPv6: of one /64) that shows no certificate.", valueName: "count"))
  var anonymousPerSecond = ServerLimits().anonymousRequestsPerSecond
  @Option(help: ArgumentHelp("Connections at once.", valueName: "count"))
  var connections = ServerLimits().connections
  @Option(help: ArgumentHelp("Connections at once of one address (IPv6: of one /64).", valueName: "count"))
  var connectionsPerAddress = ServerLimits().connectionsPerAddress

  func validate() throws {
    let all = [loginsPerMinute, requestsPerSecond, anonymousPerSecond, connections, connectionsPerAddress]
    guard all.allSatisfy({ $0 > 0 }) else {
      throw ValidationError("limits are above zero")
    }
  }

  func apply(to limits: inout ServerLimits) {
    limits.loginsPerMinute = loginsPerMinute
    limits.requestsPerSecond = requestsPerSecond
    limits.anonymousRequestsPerSecond = anonymousPerSecond
    limits.connections = connections
    limits.connectionsPerAddress = connectionsPerAddress
  }
}
