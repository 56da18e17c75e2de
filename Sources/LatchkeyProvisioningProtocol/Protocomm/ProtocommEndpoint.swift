/// The endpoints of Espressif's Unified Provisioning: each is a characteristic, found by the text of its user description.
package enum ProtocommEndpoint {
  package static let control = "prov-ctrl"
  package static let scan = "prov-scan"
  package static let session = "prov-session"
  package static let config = "prov-config"
  package static let version = "proto-ver"

  /// In the order of their numbers, which count up from FF4F; an application's own follow.
  static let standard = [control, scan, session, config, version]
  private static let firstNumber = 0xFF4F

  /// The longest value of a characteristic (Core 6.0 Vol 3 Part F 3.2.9).
  static let greatestLength = 512

  /// The characteristic's UUID: the service's, with the endpoint's number in its fifth to eighth digit.
  static func uuid(_ index: Int, service: String) -> String {
    let digits = String(firstNumber + index, radix: 16, uppercase: true)
    return String(service.prefix(4)) + digits + String(service.dropFirst(8))
  }

  /// The endpoint that a device without user descriptions means by a UUID; nil for any other one.
  static func name(_ uuid: String) -> String? {
    guard uuid.count == 36, let number = Int(uuid.dropFirst(4).prefix(4), radix: 16) else { return nil }
    let index = number - firstNumber
    return standard.indices.contains(index) ? standard[index] : nil
  }
}
