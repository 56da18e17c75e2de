import Crypto
import CryptoExtras
import LatchkeyByteCoding

/// The Database Hash (Core 6.0 Vol 3 Part G 7.3): by it a client knows whether a database is the one that it has
/// discovered. It proves nothing: its key is known to all.
package struct DatabaseHash: Hashable, Sendable {
  /// The length of the value in bytes.
  package static let size = 16

  /// The value as the air carries it, least significant byte first.
  package let bytes: [UInt8]

  /// A hash that was read or stored; nil for bytes of another length.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
  }

  /// The hash of what `GATTDatabase.hashedBytes` contains: AES-CMAC with a key of zeros (7.3.1).
  init(of message: [UInt8]) {
    let zeros = [UInt8](repeating: 0, count: Self.size)
    do {
      var mac = try AES.CMAC(key: SymmetricKey(data: zeros))
      message.withUnsafeBytes { mac.update(bufferPointer: $0) }
      bytes = mac.finalize().withUnsafeBytes { Array($0.reversed()) }
    } catch {
      // Only a key of a wrong length is refused.
      bytes = zeros
    }
  }
}

extension GATTDatabase {
  /// What the hash covers, in the order of the handles (7.3.1): declarations and extended properties with their values,
  /// the other descriptors of the specification without.
  var hashedBytes: [UInt8] {
    var message = ByteWriter(capacity: attributes.count * 12)
    for (index, attribute) in attributes.enumerated() {
      switch attribute.type.short {
      case 0x2800, 0x2801, 0x2802, 0x2803, 0x2900:
        message.uint16(AttributeHandle(truncatingIfNeeded: index))
        attribute.type.encode(into: &message)
        if case .fixed(let value) = attribute.content { message.append(value) }
      case 0x2901, 0x2902, 0x2903, 0x2904, 0x2905:
        message.uint16(AttributeHandle(truncatingIfNeeded: index))
        attribute.type.encode(into: &message)
      default: break
      }
    }
    return message.bytes
  }
}
