internal import LatchkeyEnrollmentStore

/// What is wrong with the services of a configuration, before it is served.
enum ServiceChecks {
  static func check(_ configuration: ServerConfiguration) throws(DeviceServiceError) {
    var names: Set<String> = []
    for service in configuration.services {
      guard names.insert(service.name).inserted else { throw .sameName(service.name) }
      for route in service.routes where !isPath(route.operation.path) { throw .badPath(route.operation.path) }
    }
    var routes: Set<String> = []
    for operation in OpenAPIDocument.operations(services: configuration.services) {
      let route = "\(operation.method) \(operation.path)"
      guard routes.insert(route).inserted else { throw .sameRoute(route) }
    }
  }

  private static func isPath(_ path: String) -> Bool {
    path.utf8.first == UInt8(ascii: "/") && path.utf8.count > 1
      && path.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }
}

extension ServerConfiguration {
  /// Makes the tables of the services, or brings them forward.
  func bringServicesForward() async throws {
    for service in services { try await service.makeTables(in: store) }
  }
}
