import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel

/// The header row: the keychain's identity and write count, and the sealed state that describes its content.
struct Header: Sendable {
  /// The file format (``StoreFormat``).
  var format: Int64 = StoreFormat.current
  var uuid: [UInt8]
  /// Increases by one with every transaction.
  var counter: Int64
  var state: HeaderState
}

/// Seals the header's state, bound to the store, the format and the counter.
struct HeaderSeal: Sendable {
  let key: SymmetricKey

  func seal(_ header: Header) throws(StoreError) -> [UInt8] {
    try RowSealer.seal(header.state.encode(), key, Self.binding(header.format, header.uuid, header.counter))
  }

  func open(_ sealed: [UInt8], format: Int64, uuid: [UInt8], counter: Int64) throws(StoreError) -> Header {
    let opened = try RowSealer.open(sealed, key, Self.binding(format, uuid, counter), "the header")
    do {
      let state = try HeaderState.decode(opened)
      guard (state.sums != nil) == (format >= StoreFormat.withSums) else {
        throw ByteCodingError.invalidValue(field: "sums of a header")
      }
      guard (state.deviceItemCount != nil) == (format >= StoreFormat.withRoots) else {
        throw ByteCodingError.invalidValue(field: "count of items under the device root")
      }
      return Header(format: format, uuid: uuid, counter: counter, state: state)
    } catch {
      throw .damaged("the header does not read: \(error)")
    }
  }

  private static func binding(_ format: Int64, _ uuid: [UInt8], _ counter: Int64) -> [UInt8] {
    var writer = ByteWriter(capacity: 48)
    writer.append(Array("KC1 header".utf8))
    writer.append(uuid)
    writer.uint64(UInt64(bitPattern: format))
    writer.uint64(UInt64(bitPattern: counter))
    return writer.bytes
  }
}
