import LatchkeyBluetoothHost

/// The state of a central manager that outlives the process: the connections that the app wants, and its scan.
struct CentralRecord: RestorationRecord {
  /// A connection, up or requested.
  struct Connection: Codable, Equatable {
    var peer: StoredAddress
    /// Whether it is requested again when it is lost.
    var reconnects: Bool
  }

  /// A scan.
  struct Scan: Codable, Equatable {
    /// Texts of UUIDs; nil for all devices.
    var services: [String]?
    /// Nil if the app did not say.
    var allowsDuplicates: Bool?
  }

  static let role = "central"

  var connections: [Connection] = []
  var scan: Scan?

  var isEmpty: Bool { connections.isEmpty && scan == nil }
}

/// A scan that an app requested.
struct ScanRequest {
  /// The services to look for; nil for all devices.
  var services: [BluetoothUUID]?
  /// Whether each advertisement is reported; nil if the app did not say.
  var allowsDuplicates: Bool?
}

extension CentralRecord.Scan {
  init(_ request: ScanRequest) {
    services = request.services?.map(\.description)
    allowsDuplicates = request.allowsDuplicates
  }

  /// The request; nil if a UUID is malformed.
  var request: ScanRequest? {
    var uuids: [BluetoothUUID]?
    if let services {
      let valid = services.compactMap { BluetoothUUID(text: $0) }
      guard valid.count == services.count, !valid.isEmpty else { return nil }
      uuids = valid
    }
    return ScanRequest(services: uuids, allowsDuplicates: allowsDuplicates)
  }
}
