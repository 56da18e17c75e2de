package import Crypto
import Glibc
import LatchkeyByteCoding

extension SymmetricKey {
  /// The bytes of this key and then another's, in one array without other copies; the caller wipes it at once.
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

  /// Creates a key from these bytes, and wipes them.
  package init(consuming bytes: inout [UInt8]) {
    self.init(data: bytes)
    bytes.wipe()
  }

  /// Asks the system to exclude the key's page from swap and core dumps. It may refuse (containers do), and nothing depends on
  /// it. The page stays locked for the life of the process, since it may hold other keys.
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
