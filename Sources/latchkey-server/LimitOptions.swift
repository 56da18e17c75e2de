import ArgumentParser
import EnrollmentServer

/// How much one peer may take.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Logins, challenges and registrations of one address.", valueName: "count"))
  var loginsPerMinute = ServerLimits().loginsPerMinute
  @Option(help: ArgumentHelp("Requests of one device.", valueName: "count"))
  var requestsPerSecond = ServerLimits().requestsPerSecond
  @Option(help: ArgumentHelp("Connections at once.", valueName: "count"))
  var connections = ServerLimits().connections

  func validate() throws {
    guard loginsPerMinute > 0, requestsPerSecond > 0, connections > 0 else {
      throw ValidationError("limits are above zero")
    }
  }

  func apply(to limits: inout ServerLimits) {
    limits.loginsPerMinute = loginsPerMinute
    limits.requestsPerSecond = requestsPerSecond
    limits.connections = connections
  }
}
