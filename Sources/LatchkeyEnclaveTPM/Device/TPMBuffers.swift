#if TPM
  import CLatchkeyTSS2
  import Glibc
  import LatchkeyByteCoding

  /// Copies bytes into and out of the TPM's sized buffers (TPM2B_…): a size of 16 bits, then the bytes.
  enum TPMBuffer {
    /// Writes the size and the bytes; returns false and writes nothing if they do not fit.
    static func fill<Buffer>(_ buffer: inout Buffer, with bytes: [UInt8]) -> Bool {
      withUnsafeMutableBytes(of: &buffer) { raw in
        guard bytes.count <= min(raw.count - 2, Int(UInt16.max)) else { return false }
        raw.storeBytes(of: UInt16(bytes.count), as: UInt16.self)
        UnsafeMutableRawBufferPointer(rebasing: raw[2...]).copyBytes(from: bytes)
        return true
      }
    }

    /// Returns the buffer's bytes.
    static func bytes<Buffer>(of buffer: Buffer) -> [UInt8] {
      withUnsafeBytes(of: buffer) { raw in
        let count = min(Int(raw.load(as: UInt16.self)), raw.count - 2)
        return Array(raw[2..<2 + count])
      }
    }

    /// A number of the TPM, most significant byte first, padded to 32 bytes: leading zeros may be missing.
    static func number(_ bytes: [UInt8]) -> [UInt8] {
      Array(repeating: 0, count: max(0, 32 - bytes.count)) + bytes.suffix(32)
    }
  }

  /// A structure that ESAPI allocated; wiped and freed at the end of its life.
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
