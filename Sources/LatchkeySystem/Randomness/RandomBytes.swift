internal import Glibc

/// Bytes of the system's random source (getentropy(3)): one system call for up to 256, where the standard library's generator makes one
/// for each eight.
package enum RandomBytes {
  /// So many fresh bytes.
  package static func fresh(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    for start in stride(from: 0, to: count, by: 256) {
      let end = min(start + 256, count)
      let status = bytes[start..<end].withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
      // Fails on systems without the call alone.
      guard status != 0 else { continue }
      var generator = SystemRandomNumberGenerator()
      for index in start..<end { bytes[index] = UInt8.random(in: .min ... .max, using: &generator) }
    }
    return bytes
  }
}
