import LatchkeyByteCoding

/// Encodings of ECDSA signatures: r and s concatenated, each as long as the curve's order (RFC 4754), or a DER SEQUENCE of two
/// INTEGERs (X9.62, RFC 3279 2.2.3).
///
/// s is not normalized: neither form requires the lower of its two values, and Apple does not choose it.
package enum ECDSASignatureCoding {
  /// Encodes `signature`, which is r and s of equal length.
  package static func encode(_ signature: [UInt8], as format: SignatureFormat) -> [UInt8] {
    switch format {
    case .rfc4754: return signature
    case .x962:
      let half = signature.count / 2
      return DEREncoder.sequence { numbers in
        numbers.unsignedInteger(signature[..<half])
        numbers.unsignedInteger(signature[half...])
      }
    }
  }

  /// Decodes r and s of a signature on `curve`; nil for bytes that are not a signature of this form. DER is strict: shortest
  /// lengths and integers, no sign, no trailing bytes.
  static func decode(_ signature: [UInt8], as format: SignatureFormat, on curve: Curve) -> [UInt8]? {
    switch format {
    case .rfc4754: return signature.count == 2 * curve.byteCount ? signature : nil
    case .x962:
      // A tag and a length before each of three items, and a byte that keeps an integer positive.
      guard signature.count <= 2 * curve.byteCount + 9 else { return nil }
      do throws(KeyError) {
        var whole = KeyReader(signature)
        var parts = try whole.item(.sequence, "a signature")
        try whole.finish("a signature")
        let r = try parts.unsignedInteger("r")
        let s = try parts.unsignedInteger("s")
        try parts.finish("a signature")
        guard r.remaining <= curve.byteCount, s.remaining <= curve.byteCount else { return nil }
        var numbers: [UInt8] = []
        numbers.reserveCapacity(2 * curve.byteCount)
        for _ in r.remaining..<curve.byteCount { numbers.append(0) }
        r.append(to: &numbers)
        for _ in s.remaining..<curve.byteCount { numbers.append(0) }
        s.append(to: &numbers)
        return numbers
      } catch {
        return nil
      }
    }
  }
}
