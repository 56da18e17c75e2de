import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// The address of a peer in a file.
struct StoredAddress: Codable, Equatable {
  private var address: String
  private var kind: UInt8

  init(_ address: BluetoothAddress) {
    self.address = address.description
    kind = address.kind.rawValue
  }

  /// The address; nil if the text or the kind is malformed.
  var value: BluetoothAddress? {
    guard let kind = BluetoothAddress.Kind(rawValue: kind),
      let bytes = try? Hexadecimal.decode(address.filter { $0 != ":" }), bytes.count == 6
    else { return nil }
    return BluetoothAddress(bytes.reduce(0) { $0 << 8 | UInt64($1) }, kind: kind)
  }
}
