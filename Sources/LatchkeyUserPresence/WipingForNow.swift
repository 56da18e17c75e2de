import Crypto
import Glibc

extension [UInt8] {
  mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      explicit_bzero(start, bytes.count)
    }
  }
}

extension SymmetricKey {
  var exposedBytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
