package import Crypto
import Glibc
import LatchkeyByteCoding

extension SymmetricKey {
  /// This key's bytes and then another's, in an array without a copy elsewhere: to be wiped at once.
  func exposedBytes(and other: SymmetricKey) -> [UInt8] {
    withUnsafeBytes { own in
      other.withUnsafeBytes { others in
        [UInt8](unsafeUninitializedCapacity: own.count + others.count) { buffer, count in
          let room = UnsafeMutableRawBufferPointer(buffer)
          room.copyMemory(from: own)
          UnsafeMutableRawBufferPointer(rebasing: room[own.count...]).copyMemory(from: others)
          count = own.count + others.count
        }
      }
    }
  }

  /// A key of these bytes, which are wiped.
  package init(consuming bytes: inout [UInt8]) {
    self.init(data: bytes)
    bytes.wipe()
  }

  /// Asks the system to keep the key's page out of the swap and out of core dumps. It may refuse (containers do): nothing
  /// depends on it. The page stays so for as long as the process lives, since other keys may lie on it.
  package func keepInMemory() {
    withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      _ = mlock(start, bytes.count)
      let page = sysconf(Int32(_SC_PAGESIZE))
      let begin = Int(bitPattern: start) / page * page
      let end = Int(bitPattern: start) + bytes.count
      _ = madvise(UnsafeMutableRawPointer(bitPattern: begin), end - begin, CInt(MADV_DONTDUMP))
    }
  }
}
