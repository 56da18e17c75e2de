import LatchkeyByteCoding

/// The body of `status`, in responses and pushes.
enum SecureNetworkState {
  private static let addressLimit = 45
  private static let pageLimit = 200

  static func encode(_ state: NetworkState) -> [UInt8] {
    switch state {
    case .idle: return [0]
    case .connecting: return [1]
    case .failed(let reason): return [3, reason.rawValue]
    case .connected(let network):
      var writer = ByteWriter(capacity: 64)
      writer.uint8(2)
      writer.uint8(network.reach.rawValue)
      writer.uint8(SecureNetworkFields.security(network.security))
      writer.uint8(SecureNetworkFields.channel(network.channel))
      writer.append(SecureNetworkFields.address(network.bssid))
      SecureNetworkFields.append(network.ssid.prefix(NetworkCredentials.greatestNameLength), to: &writer)
      SecureNetworkFields.append(network.address ?? "", limit: addressLimit, to: &writer)
      SecureNetworkFields.append(network.page ?? "", limit: pageLimit, to: &writer)
      return writer.bytes
    }
  }

  static func decode(_ bytes: [UInt8]) throws(ByteCodingError) -> NetworkState {
    var reader = ByteReader(bytes)
    let state: NetworkState
    switch try reader.uint8("a network's state") {
    case 0: state = .idle
    case 1: state = .connecting
    case 2: state = .connected(try joined(&reader))
    case 3: state = .failed(JoinFailure(rawValue: try reader.uint8("a failure's reason")) ?? .other)
    default: throw .invalidValue(field: "a network's state")
    }
    try reader.finish("a network's state")
    return state
  }

  private static func joined(_ reader: inout ByteReader) throws(ByteCodingError) -> JoinedNetwork {
    guard let reach = NetworkReach(rawValue: try reader.uint8("a network's reach")) else {
      throw .invalidValue(field: "a network's reach")
    }
    let security = try reader.uint8("a network's security")
    let channel = Int(try reader.uint8("a network's channel"))
    let bssid = try SecureNetworkFields.address(&reader)
    let ssid = try SecureNetworkFields.counted(&reader, 1...NetworkCredentials.greatestNameLength, "a network's name")
    let address = try SecureNetworkFields.text(&reader, limit: addressLimit, "an address")
    let page = try SecureNetworkFields.text(&reader, limit: pageLimit, "a page")
    return JoinedNetwork(
      ssid: ssid, address: address.isEmpty ? nil : address,
      security: security == SecureNetworkFields.unknownSecurity ? nil : NetworkSecurity(rawValue: Int32(security)),
      bssid: bssid, channel: channel == 0 ? nil : channel, reach: reach, page: page.isEmpty ? nil : page)
  }
}

/// The body of the response of `info`.
enum SecureDeviceInformation {
  private static let limit = 64

  static func encode(_ information: DeviceInformation) -> [UInt8] {
    var writer = ByteWriter(capacity: 128)
    for text in [
      information.firmware, information.version, information.hardware, information.name, information.system ?? "",
      information.systemVersion ?? "",
    ] { SecureNetworkFields.append(text, limit: limit, to: &writer) }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(ByteCodingError) -> DeviceInformation {
    var reader = ByteReader(bytes)
    var texts: [String] = []
    for _ in 0..<6 { texts.append(try SecureNetworkFields.text(&reader, limit: limit, "a text of info")) }
    try reader.finish("info")
    return DeviceInformation(
      firmware: texts[0], version: texts[1], hardware: texts[2], name: texts[3],
      system: texts[4].isEmpty ? nil : texts[4], systemVersion: texts[5].isEmpty ? nil : texts[5])
  }
}

/// The body of `forget`.
struct SecureForget: OptionSet, Sendable {
  let rawValue: UInt8

  static let network = SecureForget(rawValue: 1 << 0)
  static let ticket = SecureForget(rawValue: 1 << 1)
  static let allTickets = SecureForget(rawValue: 1 << 2)
  static let known: SecureForget = [.network, .ticket, .allTickets]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// nil if the body is not allowed.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 1, bytes[0] != 0, bytes[0] & ~Self.known.rawValue == 0 else { return nil }
    self.init(rawValue: bytes[0])
  }
}
