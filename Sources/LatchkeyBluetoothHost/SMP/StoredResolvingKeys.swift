import LatchkeyByteCoding

/// The IRKs of a computer's hosts as the content of one file, one for each own address: a host that changed its IRK would be
/// another device to those that it paired with.
///
/// The form: "LKRK", the version, the number of entries, the entries, and the SHA-256 of all that (`StoredFrame`).
package enum StoredResolvingKeys {
  /// An own address, which is the identity address of its host, and the IRK.
  package typealias Entry = PairingIdentity

  /// The most entries of a file.
  package static let capacity = 1024

  private static let signature: [UInt8] = [0x4C, 0x4B, 0x52, 0x4B]  // "LKRK"
  private static let version: UInt8 = 1
  private static let entrySize = 7 + SecurityKey.byteCount

  /// Reads a file. Anything but what `encode` wrote is refused as a whole.
  package static func decode(_ bytes: [UInt8]) throws(StoredFileError) -> [Entry] {
    var reader = try StoredFrame.content(of: bytes, signature, version: version)
    do throws(ByteCodingError) { return try entries(from: &reader) } catch { throw .damaged(error) }
  }

  private static func entries(from reader: inout ByteReader) throws(ByteCodingError) -> [Entry] {
    let count = Int(try reader.uint16("number of keys"))
    guard count <= capacity else { throw .invalidValue(field: "number of keys") }
    var entries: [Entry] = []
    for _ in 0..<count {
      let address = try BluetoothAddress(stored: &reader)
      let key = try SecurityKey(from: &reader, "IRK")
      guard !key.isZero else { throw .invalidValue(field: "IRK") }
      entries.append(Entry(address: address, resolvingKey: key))
    }
    try reader.finish("keys")
    return entries
  }

  /// The content of a file. The caller wipes it. Entries beyond `capacity` are left out.
  package static func encode(_ entries: [Entry]) -> [UInt8] {
    var writer = StoredFrame.begin(
      signature, version: version, capacity: 2 + min(entries.count, capacity) * entrySize)
    writer.uint16(UInt16(min(entries.count, capacity)))
    for entry in entries.prefix(capacity) {
      entry.address.store(into: &writer)
      entry.resolvingKey.encode(into: &writer)
    }
    StoredFrame.finish(&writer)
    return writer.bytes
  }
}
