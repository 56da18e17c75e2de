package import Foundation
package import LatchkeyByteCoding

/// swift-crypto gives secrets out as `Data`.
extension Data {
  /// Overwrites the bytes with zeros, in a way that no optimizer removes. Data that share the storage keep their bytes: wipe what
  /// is not shared.
  package mutating func wipe() { withUnsafeMutableBytes { $0.wipe() } }

  /// The bytes in an array; these here, which nothing else must share, are overwritten. In place: what is moved by value
  /// may have been copied on the way.
  package mutating func movedOut() -> [UInt8] {
    defer { wipe() }
    return [UInt8](self)
  }
}

extension SecretBytes {
  /// The bytes of `data`, which nothing else must share, and which are overwritten there.
  package convenience init(movingOutOf data: inout Data) {
    self.init(data)
    data.wipe()
  }
}
