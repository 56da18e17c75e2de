import LatchkeyByteCoding

/// The bonds of a computer as the content of one file, for every address that a host of it has.
///
/// A bond holds for both ends' addresses: a host under another address is another device to the peer. The form: "LKBD", the
/// version, the number of entries, the entries, and the SHA-256 of all that (`StoredFrame`). Numbers are little-endian.
package enum StoredBonds {
  /// A bond, and the own address of the host that has it.
  package struct Entry: Equatable, Sendable {
    package var local: BluetoothAddress
    package var bond: Bond

    package init(local: BluetoothAddress, bond: Bond) {
      self.local = local
      self.bond = bond
    }
  }

  /// The most entries of a file.
  package static let capacity = 1024

  private static let signature: [UInt8] = [0x4C, 0x4B, 0x42, 0x44]  // "LKBD"
  private static let version: UInt8 = 1

  /// Reads a file. Anything but what `encode` wrote is refused as a whole.
  package static func decode(_ bytes: [UInt8]) throws(StoredFileError) -> [Entry] {
    var reader = try StoredFrame.content(of: bytes, signature, version: version)
    do throws(ByteCodingError) { return try entries(from: &reader) } catch { throw .damaged(error) }
  }

  private static func entries(from reader: inout ByteReader) throws(ByteCodingError) -> [Entry] {
    let count = Int(try reader.uint16("number of bonds"))
    guard count <= capacity else { throw .invalidValue(field: "number of bonds") }
    var entries: [Entry] = []
    for _ in 0..<count {
      let local = try BluetoothAddress(stored: &reader)
      entries.append(Entry(local: local, bond: try Bond(stored: &reader)))
    }
    try reader.finish("bonds")
    return entries
  }

  /// The content of a file. The caller wipes it. Entries beyond `capacity` are left out.
  package static func encode(_ entries: [Entry]) -> [UInt8] {
    let stored = entries.prefix(capacity)
    var writer = StoredFrame.begin(
      signature, version: version, capacity: stored.reduce(2) { $0 + $1.bond.mostStoredBytes })
    writer.uint16(UInt16(stored.count))
    for entry in stored {
      entry.local.store(into: &writer)
      entry.bond.store(into: &writer)
    }
    StoredFrame.finish(&writer)
    return writer.bytes
  }
}

extension BluetoothAddress {
  init(stored reader: inout ByteReader) throws(ByteCodingError) {
    guard let kind = Kind(rawValue: try reader.uint8("kind of address")) else {
      throw .invalidValue(field: "kind of address")
    }
    try self.init(from: &reader, kind: kind)
  }

  func store(into writer: inout ByteWriter) {
    writer.uint8(kind.rawValue)
    encode(into: &writer)
  }
}

extension LongTermKey {
  fileprivate init(stored reader: inout ByteReader) throws(ByteCodingError) {
    let key = try SecurityKey(from: &reader, "Long Term Key")
    let size = Int(try reader.uint8("key size"))
    let flags = try reader.uint8("kind of key")
    guard LinkSecurity.keySizes.contains(size), key == key.masked(toSize: size), !key.isZero else {
      throw .invalidValue(field: "key size")
    }
    guard flags & ~3 == 0 else { throw .invalidValue(field: "kind of key") }
    self.init(
      key: key, size: size, isAuthenticated: flags & 1 != 0, isSecureConnections: flags & 2 != 0,
      encryptedDiversifier: try reader.uint16("EDIV"), randomNumber: try reader.uint64("Rand"))
  }

  fileprivate func store(into writer: inout ByteWriter) {
    key.encode(into: &writer)
    writer.uint8(UInt8(clamping: size))
    writer.uint8((isAuthenticated ? 1 : 0) | (isSecureConnections ? 2 : 0))
    writer.uint16(encryptedDiversifier)
    writer.uint64(randomNumber)
  }
}

extension Bond {
  /// More than the bond takes, with the own address.
  fileprivate var mostStoredBytes: Int { 256 + (client?.configurations.count ?? 0) * 20 }

  fileprivate init(stored reader: inout ByteReader) throws(ByteCodingError) {
    self.init(identity: try BluetoothAddress(stored: &reader), isPersistent: true)
    let parts = try reader.uint8("parts of a bond")
    if parts & 0x01 != 0 { keyAsCentral = try LongTermKey(stored: &reader) }
    if parts & 0x02 != 0 { keyAsPeripheral = try LongTermKey(stored: &reader) }
    if parts & 0x04 != 0 { peerResolvingKey = try SecurityKey(from: &reader, "IRK") }
    if parts & 0x08 != 0 { peerSigningKey = try SecurityKey(from: &reader, "CSRK") }
    if parts & 0x10 != 0 {
      let address = try BluetoothAddress(stored: &reader)
      localIdentity = PairingIdentity(address: address, resolvingKey: try SecurityKey(from: &reader, "own IRK"))
    }
    if parts & 0x20 != 0 { localSigningKey = try SecurityKey(from: &reader, "own CSRK") }
    if parts & 0x40 != 0 { client = try BondedClient(stored: &reader) }
    guard parts & 0x80 != 0 else { return }
    knownAddress = try BluetoothAddress(stored: &reader)
    // Left out where it is the identity.
    guard knownAddress != identity else { throw .invalidValue(field: "known address") }
  }

  fileprivate func store(into writer: inout ByteWriter) {
    identity.store(into: &writer)
    let isThere = [
      keyAsCentral != nil, keyAsPeripheral != nil, peerResolvingKey != nil, peerSigningKey != nil,
      localIdentity != nil, localSigningKey != nil, client != nil, knownAddress != identity,
    ]
    writer.uint8(isThere.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
    keyAsCentral?.store(into: &writer)
    keyAsPeripheral?.store(into: &writer)
    peerResolvingKey?.encode(into: &writer)
    peerSigningKey?.encode(into: &writer)
    if let localIdentity {
      localIdentity.address.store(into: &writer)
      localIdentity.resolvingKey.encode(into: &writer)
    }
    localSigningKey?.encode(into: &writer)
    client?.store(into: &writer)
    if knownAddress != identity { knownAddress.store(into: &writer) }
  }
}

extension BondedClient {
  fileprivate init(stored reader: inout ByteReader) throws(ByteCodingError) {
    self.init()
    features = try reader.uint8("client's features")
    let hashes = try reader.uint8("hashes of a client")
    guard hashes & ~3 == 0 else { throw .invalidValue(field: "hashes of a client") }
    if hashes & 1 != 0 { knownHash = try DatabaseHash(stored: &reader) }
    if hashes & 2 != 0 { informedHash = try DatabaseHash(stored: &reader) }
    let count = Int(try reader.uint8("number of configurations"))
    guard count <= Self.mostConfigurations else { throw .invalidValue(field: "number of configurations") }
    for _ in 0..<count {
      let handle = try reader.uint16("configuration's handle")
      let bits = try reader.uint8("configuration")
      guard handle > 0, 1...3 ~= bits else { throw .invalidValue(field: "configuration") }
      let width = Int(try reader.uint8("UUID length"))
      let uuid = try BluetoothUUID(from: &reader, width: width)
      // A short UUID is stored in its short form alone.
      guard uuid.encodedCount == width else { throw .invalidValue(field: "UUID length") }
      configurations.append(Configuration(valueHandle: handle, uuid: uuid, bits: bits))
    }
  }

  fileprivate func store(into writer: inout ByteWriter) {
    writer.uint8(features)
    writer.uint8((knownHash == nil ? 0 : 1) | (informedHash == nil ? 0 : 2))
    for hash in [knownHash, informedHash].compactMap({ $0 }) { writer.append(hash.bytes) }
    let kept = configurations.prefix(Self.mostConfigurations)
    writer.uint8(UInt8(kept.count))
    for configuration in kept {
      writer.uint16(configuration.valueHandle)
      writer.uint8(configuration.bits)
      writer.uint8(UInt8(configuration.uuid.encodedCount))
      configuration.uuid.encode(into: &writer)
    }
  }
}

extension DatabaseHash {
  fileprivate init(stored reader: inout ByteReader) throws(ByteCodingError) {
    guard let hash = DatabaseHash(try reader.bytes(Self.size, "Database Hash")) else {
      throw .invalidValue(field: "Database Hash")
    }
    self = hash
  }
}
