#if TPM
  import CLatchkeyTSS2
  import Glibc
  import LatchkeyByteCoding

  /// Bytes in and out of the structures of the TPM that begin with a size of 16 bits and go on with bytes (TPM2B_…).
  enum TPMBuffer {
    /// Writes the size and the bytes; false, and nothing written, if they do not fit.
    static func fill<Buffer>(_ buffer: inout Buffer, with bytes: [UInt8]) -> Bool {
      withUnsafeMutableBytes(of: &buffer) { raw in
        guard bytes.count <= min(raw.count - 2, Int(UInt16.max)) else { return false }
        raw.storeBytes(of: UInt16(bytes.count), as: UInt16.self)
        UnsafeMutableRawBufferPointer(rebasing: raw[2...]).copyBytes(from: bytes)
        return true
      }
    }

    /// The bytes.
    static func bytes<Buffer>(of buffer: Buffer) -> [UInt8] {
      withUnsafeBytes(of: buffer) { raw in
        let count = min(Int(raw.load(as: UInt16.self)), raw.count - 2)
        return Array(raw[2..<2 + count])
      }
    }

    /// A number of the TPM's, most significant byte first, in 32 bytes: leading zeros may be missing.
    static func number(_ bytes: [UInt8]) -> [UInt8] {
      Array(repeating: 0, count: max(0, 32 - bytes.count)) + bytes.suffix(32)
    }
  }

  /// A structure that ESAPI has allocated: wiped and given back when it goes.
  struct TPMAnswer<Structure>: ~Copyable {
    private let pointer: UnsafeMutablePointer<Structure>

    /// The structure at `pointer`; nil without one.
    init?(_ pointer: UnsafeMutablePointer<Structure>?) {
      guard let pointer else { return nil }
      self.pointer = pointer
    }

    /// The structure, in its place.
    var value: Structure {
      unsafeAddress { UnsafePointer(pointer) }
    }

    deinit {
      UnsafeMutableRawBufferPointer(start: pointer, count: MemoryLayout<Structure>.size).wipe()
      Esys_Free(pointer)
    }
  }
#endif
