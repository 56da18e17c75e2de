import LatchkeyByteCoding

/// The advertising that a client requests.
public struct AdvertisingParameters: Sendable, Hashable {
  /// The name to advertise; nil for none. It is shortened if it does not fit.
  public var localName: String?
  /// The services to advertise, in order of importance; those that do not fit are left out.
  public var services: [BluetoothUUID]
  /// The interval in units of 0.625 ms, 0x0020...0x4000 (Core 6.0 Vol 4 Part E 7.8.5).
  public var interval: UInt16
  /// The packets on the air.
  public var packets: Packets
  /// Further structures, such as manufacturer data, in order of importance: each as a whole, after the services and before
  /// the name. Those that do not fit are left out.
  public var structures: [AdvertisingData.Structure] = []
  /// The bytes of both payloads, in place of a layout of name, services and structures; nil for the layout.
  public var payloads: Payloads?
  /// Whether centrals can connect.
  public var isConnectable = true

  /// The bytes of an advertisement and of its scan response, sent as they are.
  public struct Payloads: Sendable, Hashable {
    /// The advertisement: 31 bytes at most, or as many as extended packets have.
    public var advertisement: [UInt8]
    /// The scan response: 31 bytes at most, and none with extended packets.
    public var scanResponse: [UInt8]

    /// Two payloads.
    public init(advertisement: [UInt8], scanResponse: [UInt8] = []) {
      self.advertisement = advertisement
      self.scanResponse = scanResponse
    }
  }

  /// The packets by which an advertisement is sent (Core 6.0 Vol 6 Part B 2.3).
  public enum Packets: Sendable, Hashable {
    /// An advertisement and a scan response of 31 bytes each, which every scanner receives.
    case legacy
    /// One advertisement of 229 bytes at most, or of what the controller holds, for scanners that have extended
    /// advertising. The primary layer is LE 1M or LE Coded. The controller must have both layers.
    case extended(primary: LEPHY, secondary: LEPHY)
  }

  /// Advertising parameters; the default interval is 100 ms, with legacy packets.
  public init(
    localName: String? = nil, services: [BluetoothUUID] = [], interval: UInt16 = 0x00A0, packets: Packets = .legacy
  ) {
    self.localName = localName
    self.services = services
    self.interval = interval
    self.packets = packets
  }
}

/// The two payloads of advertising, laid out from a client's parameters (Core 6.0 Vol 3 Part C 11).
///
/// Services come first, since scanners filter by them; then further structures, and the name, each in the first payload
/// with space for all of it. Extended packets have one payload.
package struct AdvertisingPayload: Sendable {
  /// The capacity of a legacy payload, in bytes.
  package static let capacity = 31
  /// The most in the one payload of extended packets, in bytes: what connectable advertising sends in one packet, and what
  /// a scanner's controller reports at once.
  package static let extendedCapacity = LEAdvertisingReport.extendedDataCapacity

  /// The advertisement.
  package let advertisement: AdvertisingData
  /// The scan response; may be empty, as it is with extended packets.
  package let scanResponse: AdvertisingData
  /// The services that did not fit.
  package let omittedServices: [BluetoothUUID]
  /// The further structures that did not fit.
  package let omittedStructures: [AdvertisingData.Structure]
  /// The bytes that a client gave, if it gave them.
  private let given: AdvertisingParameters.Payloads?

  /// The bytes of the advertisement.
  package var advertisementBytes: [UInt8] { given?.advertisement ?? advertisement.encode() }
  /// The bytes of the scan response.
  package var scanResponseBytes: [UInt8] { given?.scanResponse ?? scanResponse.encode() }

  /// Lays out `parameters`.
  ///
  /// - Parameter extended: the most data that the controller holds, for extended packets; nil for legacy ones.
  package init(_ parameters: AdvertisingParameters, extended: Int? = nil) {
    given = parameters.payloads
    if let given {
      advertisement = AdvertisingData(decoding: given.advertisement)
      scanResponse = AdvertisingData(decoding: given.scanResponse)
      (omittedServices, omittedStructures) = ([], [])
      return
    }
    let capacity = extended.map { min($0, Self.extendedCapacity) } ?? Self.capacity
    // LE General Discoverable, BR/EDR Not Supported (CSS Part A 1.3).
    var first = Payload([AdvertisingData.Structure(.flags, [0x06])], capacity: capacity)
    var second = Payload([], capacity: extended == nil ? Self.capacity : 0)
    var left = first.appendServices(parameters.services)
    omittedStructures = parameters.structures.filter {
      !first.append($0.kind, $0.data) && !second.append($0.kind, $0.data)
    }
    if let name = parameters.localName.map({ Array($0.utf8) }), !name.isEmpty {
      if !first.append(.completeLocalName, name), !second.append(.completeLocalName, name) {
        if extended == nil {
          second.appendShortened(name)
        } else {
          first.appendShortened(name)
        }
      }
    }
    left = second.appendServices(left)
    advertisement = AdvertisingData(first.structures)
    scanResponse = AdvertisingData(second.structures)
    omittedServices = left
  }

  /// The longest prefix of at most `count` bytes that ends between two characters.
  fileprivate static func cut(_ utf8: [UInt8], to count: Int) -> [UInt8] {
    guard utf8.count > count else { return utf8 }
    guard count > 0 else { return [] }
    var end = count
    while end > 0, utf8[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(utf8[..<end])
  }

  private struct Payload {
    var structures: [AdvertisingData.Structure]
    var space: Int

    init(_ structures: [AdvertisingData.Structure], capacity: Int) {
      self.structures = structures
      space = capacity - structures.reduce(0) { $0 + 2 + $1.data.count }
    }

    mutating func append(_ kind: AdvertisingData.Kind, _ data: [UInt8]) -> Bool {
      guard 2 + data.count <= space, data.count <= AdvertisingData.Structure.capacity else { return false }
      structures.append(AdvertisingData.Structure(kind, data))
      space -= 2 + data.count
      return true
    }

    /// Appends as much of a name as fits, if anything does.
    mutating func appendShortened(_ name: [UInt8]) {
      let prefix = AdvertisingPayload.cut(name, to: min(space - 2, AdvertisingData.Structure.capacity))
      if !prefix.isEmpty { _ = append(.shortenedLocalName, prefix) }
    }

    /// Appends as many services as fit, the short ones in one list and the long ones in another; returns the others.
    mutating func appendServices(_ services: [BluetoothUUID]) -> [BluetoothUUID] {
      let short = services.filter { $0.short != nil }
      let long = services.filter { $0.short == nil }
      let shortLeft = append(short, of: 2, complete: .completeServices16, incomplete: .incompleteServices16)
      let longLeft = append(long, of: 16, complete: .completeServices128, incomplete: .incompleteServices128)
      return shortLeft + longLeft
    }

    private mutating func append(
      _ services: [BluetoothUUID], of width: Int, complete: AdvertisingData.Kind, incomplete: AdvertisingData.Kind
    ) -> [BluetoothUUID] {
      let count = min(services.count, max(0, min(space - 2, AdvertisingData.Structure.capacity)) / width)
      guard count > 0 else { return services }
      // A UUID made from 32 bits fits either list only in its 128-bit form.
      var data = ByteWriter(capacity: count * width)
      for service in services[..<count] { service.encode(into: &data) }
      _ = append(count == services.count ? complete : incomplete, data.bytes)
      return Array(services[count...])
    }
  }
}
