import LatchkeyByteCoding

/// The attributes of this host's server, shared by all its links (Core 6.0 Vol 3 Part G 2.6).
///
/// It knows no link and no PDU: state per link (configurations, prepared writes) is in `ATTServer`. Handles of a
/// removed service are reused only if it was the last one, or when the handles after it are used up.
package struct GATTDatabase: Sendable {
  /// A service in the database.
  struct Service: Sendable {
    var uuid: BluetoothUUID
    var range: AttributeHandleRange
    var isPrimary: Bool
    var owner: ClientID?
    /// Whether an attribute of it needs an encrypted link.
    var isGuarded = false
  }

  /// Attributes by handle; the first stands for handle 0 and is vacant.
  var attributes: [GATTAttribute] = [.vacant]
  /// The services in the order of their handles.
  var services: [Service] = []
  /// The number of services added so far, which is the number of the last one.
  package internal(set) var additions: UInt64 = 0
  /// The handle of Service Changed, indicated to subscribed links whenever a service is added or removed.
  package private(set) var serviceChangedHandle: AttributeHandle = 0
  /// The hash of the attributes as they are now.
  package private(set) var hash = DatabaseHash(of: [])
  private var deviceNameHandle: AttributeHandle = 0
  private var hashHandle: AttributeHandle = 0

  /// A database without services.
  init() {}

  /// A database with the services that every server has: Generic Access (Core 6.0 Vol 3 Part C 12) and Generic
  /// Attribute (Part G 7). A name of more than 248 bytes of UTF-8 is cut.
  package init(deviceName: String, appearance: UInt16) {
    let access = place(
      GATTServiceDefinition(
        uuid: AttributeType.genericAccess,
        characteristics: [
          GATTCharacteristicDefinition(
            uuid: AttributeType.deviceName, properties: .read, permissions: .readable,
            staticValue: Self.encode(deviceName)),
          GATTCharacteristicDefinition(
            uuid: AttributeType.appearance, properties: .read, permissions: .readable,
            staticValue: [UInt8(truncatingIfNeeded: appearance), UInt8(truncatingIfNeeded: appearance >> 8)]),
        ]), at: 1, owner: nil)
    let attribute = place(
      GATTServiceDefinition(
        uuid: AttributeType.genericAttribute,
        characteristics: [
          GATTCharacteristicDefinition(uuid: AttributeType.serviceChanged, properties: .indicate, permissions: []),
          GATTCharacteristicDefinition(
            uuid: AttributeType.clientFeatures, properties: [.read, .write], permissions: [.readable, .writeable]),
          GATTCharacteristicDefinition(
            uuid: AttributeType.databaseHash, properties: .read, permissions: .readable, staticValue: hash.bytes),
          // 7.4: the one feature that is defined, bearers beside the first, is not there.
          GATTCharacteristicDefinition(
            uuid: AttributeType.serverFeatures, properties: .read, permissions: .readable, staticValue: [0]),
        ]), at: access.range.end + 1, owner: nil)
    deviceNameHandle = access.valueHandles[0]
    serviceChangedHandle = attribute.valueHandles[0]
    attributes[Int(attribute.valueHandles[1])].content = .clientFeatures
    hashHandle = attribute.valueHandles[2]
    updateHash()
  }

  /// Computes the hash anew; called after each change of the services.
  mutating func updateHash() {
    hash = DatabaseHash(of: hashedBytes)
    if hashHandle > 0 { attributes[Int(hashHandle)].content = .fixed(hash.bytes) }
  }

  /// Whether an attribute needs an encrypted link.
  var isGuarded: Bool { services.contains(where: \.isGuarded) }

  /// The name that peers read.
  package mutating func setDeviceName(_ name: String) {
    attributes[Int(deviceNameHandle)].content = .fixed(Self.encode(name))
  }

  /// The attribute at a handle; nil if there is none.
  @inline(__always)
  package func attribute(_ handle: AttributeHandle) -> GATTAttribute? {
    let index = Int(handle)
    guard index < attributes.count else { return nil }
    let attribute = attributes[index]
    return attribute.isVacant ? nil : attribute
  }

  /// The handles of a range that the database reaches, in order; some may be vacant.
  func indices(in range: AttributeHandleRange) -> Range<Int> {
    let start = min(Int(range.start), attributes.count)
    return start..<max(start, min(Int(range.end) + 1, attributes.count))
  }

  /// The value of a Service Changed indication (Core 6.0 Vol 3 Part G 7.1).
  package static func serviceChangedValue(_ range: AttributeHandleRange) -> [UInt8] {
    var writer = ByteWriter(capacity: 4)
    range.encode(into: &writer)
    return writer.bytes
  }

  private static func encode(_ name: String) -> [UInt8] {
    // Core 6.0 Vol 3 Part C 12.1: 248 bytes at most; whole characters only, so that it stays UTF-8.
    var bytes: [UInt8] = []
    for scalar in name.unicodeScalars {
      let more = UTF8.encode(scalar).map(Array.init) ?? []
      guard bytes.count + more.count <= 248 else { break }
      bytes += more
    }
    return bytes
  }
}
