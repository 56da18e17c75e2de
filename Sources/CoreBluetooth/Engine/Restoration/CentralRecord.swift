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
    /// Texts of UUIDs; nil without any.
    var solicitedServices: [String]?
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
  /// Services that devices may solicit to be found, too; nil without any.
  var solicitedServices: [BluetoothUUID]?
  /// Whether each advertisement is reported; nil if the app did not say.
  var allowsDuplicates: Bool?
}

extension CentralRecord.Scan {
  init(_ request: ScanRequest) {
    services = request.services?.map(\.description)
    solicitedServices = request.solicitedServices?.map(\.description)
    allowsDuplicates = request.allowsDuplicates
  }

  /// The request; nil if a UUID is malformed.
  var request: ScanRequest? {
    let (uuids, solicited) = (services.map(Self.uuids), solicitedServices.map(Self.uuids))
    guard uuids?.isEmpty != true, solicited?.isEmpty != true else { return nil }
    return ScanRequest(services: uuids, solicitedServices: solicited, allowsDuplicates: allowsDuplicates)
  }

  /// UUIDs of texts; none if one is malformed.
  private static func uuids(_ texts: [String]) -> [BluetoothUUID] {
    let valid = texts.compactMap { BluetoothUUID(text: $0) }
    return valid.count == texts.count ? valid : []
  }
}
