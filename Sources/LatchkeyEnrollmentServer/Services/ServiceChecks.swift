internal import LatchkeyEnrollmentStore

/// What is wrong with the services of a configuration, before it is served.
enum ServiceChecks {
  static func check(_ configuration: ServerConfiguration) throws(DeviceServiceError) {
    var names: Set<String> = []
    for service in configuration.services {
      guard names.insert(service.name).inserted else { throw .sameName(service.name) }
      for route in service.routes {
        let operation = route.operation
        guard isPath(operation.path) else { throw .badPath(operation.path) }
        guard methods.contains(operation.method) else { throw .badMethod(operation.route) }
        let parameters = operation.parameters.map(\.name)
        guard parameters.allSatisfy(isParameter), Set(parameters).count == parameters.count,
          parameters.isEmpty || !route.isSigned
        else { throw .badParameters(operation.route) }
      }
    }
    var routes: Set<String> = []
    for operation in OpenAPIDocument.operations(services: configuration.services) {
      let route = "\(operation.method) \(operation.path)"
      guard routes.insert(route).inserted else { throw .sameRoute(route) }
    }
  }

  private static let methods: Set<String> = ["GET", "POST", "PUT", "DELETE"]

  private static func isParameter(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 64
      && name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains($0))
      }
  }

  /// One path has one spelling: to the router those with a slash more are the same, and it takes none twice.
  private static func isPath(_ path: String) -> Bool {
    path.utf8.first == UInt8(ascii: "/") && path.utf8.last != UInt8(ascii: "/") && !path.contains("//")
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
  /// Makes the tables of the services, or brings them forward; from then on transactions have their limit of time.
  func bringServicesForward() async throws {
    for service in services { try await service.makeTables(in: store) }
    (store as? any LimitedStore)?.limitTransactions(to: .seconds(limits.transactionTime))
  }
}
