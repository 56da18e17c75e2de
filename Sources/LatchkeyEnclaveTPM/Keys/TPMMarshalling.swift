#if TPM
  import CLatchkeyTSS2
  import LatchkeyKeychainModel

  /// The TPM's structures in wire form (Part 2), by tpm2-tss's own marshaling.
  enum TPMMarshalling {
    /// Returns the bytes that `write` produces; its arguments are the buffer, its size and the offset to advance.
    static func bytes(
      _ name: String, _ write: (UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<Int>) -> UInt32
    ) throws(TPMFailure) -> [UInt8] {
      var buffer = [UInt8](repeating: 0, count: 4096)
      var count = 0
      let code = buffer.withUnsafeMutableBufferPointer { write($0.baseAddress, $0.count, &count) }
      guard code == 0 else { throw .response(TPMResponse(code, name)) }
      return Array(buffer.prefix(count))
    }

    /// Parses untrusted bytes as a structure; throws `.damaged` unless it consumes all of them.
    static func structure<Structure>(
      _ start: Structure, of bytes: [UInt8], _ name: String,
      _ read: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int>, UnsafeMutablePointer<Structure>) -> UInt32
    ) throws(TPMFailure) -> Structure {
      var structure = start
      var count = 0
      let code = bytes.withUnsafeBufferPointer { read($0.baseAddress, $0.count, &count, &structure) }
      guard code == 0, count == bytes.count else {
        throw .store(.damaged("the \(name) of a TPM's blob is malformed (0x\(String(code, radix: 16)))"))
      }
      return structure
    }

    /// TPM2B_PUBLIC.
    static func bytes(of area: TPM2B_PUBLIC) throws(TPMFailure) -> [UInt8] {
      var area = area
      // Marshaling computes the size again.
      area.size = 0
      return try bytes("TPM2B_PUBLIC") { Tss2_MU_TPM2B_PUBLIC_Marshal(&area, $0, $1, $2) }
    }

    /// TPM2B_PRIVATE.
    static func bytes(of area: TPM2B_PRIVATE) throws(TPMFailure) -> [UInt8] {
      var area = area
      return try bytes("TPM2B_PRIVATE") { Tss2_MU_TPM2B_PRIVATE_Marshal(&area, $0, $1, $2) }
    }

    /// TPMT_SIGNATURE.
    static func bytes(of signature: TPMT_SIGNATURE) throws(TPMFailure) -> [UInt8] {
      var signature = signature
      return try bytes("TPMT_SIGNATURE") { Tss2_MU_TPMT_SIGNATURE_Marshal(&signature, $0, $1, $2) }
    }

    /// Parses a TPM2B_PUBLIC.
    static func publicArea(_ bytes: [UInt8]) throws(TPMFailure) -> TPM2B_PUBLIC {
      try structure(TPM2B_PUBLIC(), of: bytes, "public area") { Tss2_MU_TPM2B_PUBLIC_Unmarshal($0, $1, $2, $3) }
    }

    /// Parses a TPM2B_PRIVATE.
    static func privateArea(_ bytes: [UInt8]) throws(TPMFailure) -> TPM2B_PRIVATE {
      try structure(TPM2B_PRIVATE(), of: bytes, "private area") { Tss2_MU_TPM2B_PRIVATE_Unmarshal($0, $1, $2, $3) }
    }
  }

  extension TPM2B_PUBLIC {
    /// The point of a key on P-256 in X9.63 form.
    var point: [UInt8]? {
      guard publicArea.type == TPM2.Algorithm.ecc, publicArea.parameters.eccDetail.curveID == TPM2.curveP256 else {
        return nil
      }
      let x = TPMBuffer.bytes(of: publicArea.unique.ecc.x)
      let y = TPMBuffer.bytes(of: publicArea.unique.ecc.y)
      guard x.count <= 32, y.count <= 32 else { return nil }
      return [0x04] + TPMBuffer.number(x) + TPMBuffer.number(y)
    }
  }
#endif
