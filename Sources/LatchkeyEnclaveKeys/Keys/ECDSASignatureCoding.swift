import LatchkeyByteCoding

/// ECDSA signatures as bytes: r and s one after the other, each as long as the curve's order (RFC 4754), or a DER SEQUENCE
/// of two INTEGERs (X9.62, RFC 3279 2.2.3).
///
/// s is left as it comes: neither form asks for the lower of its two values, and Apple does not choose it.
package enum ECDSASignatureCoding {
  /// The form of `signature`, which is r and s, each as long as the other.
  package static func encode(_ signature: [UInt8], as format: SignatureFormat) -> [UInt8] {
    switch format {
    case .rfc4754: return signature
    case .x962:
      let half = signature.count / 2
      var content = DERWriter()
      content.unsignedInteger(signature[..<half])
      content.unsignedInteger(signature[half...])
      var whole = DERWriter()
      whole.item(.sequence, content.bytes)
      return whole.bytes
    }
  }

  /// r and s of a signature on `curve`; nil for bytes that are no signature of this form. DER is held to its rules: the
  /// shortest lengths and integers, no sign, nothing after the end.
  static func decode(_ signature: [UInt8], as format: SignatureFormat, on curve: Curve) -> [UInt8]? {
    switch format {
    case .rfc4754: return signature.count == 2 * curve.byteCount ? signature : nil
    case .x962:
      // A tag and a length before each of three things, and a byte that keeps an integer positive.
      guard signature.count <= 2 * curve.byteCount + 9 else { return nil }
      do throws(KeyError) {
        var whole = DERReader(signature)
        var parts = try whole.item(.sequence)
        try whole.finish()
        let r = try parts.unsignedInteger()
        let s = try parts.unsignedInteger()
        try parts.finish()
        guard r.count <= curve.byteCount, s.count <= curve.byteCount else { return nil }
        return [UInt8](repeating: 0, count: curve.byteCount - r.count) + r
          + [UInt8](repeating: 0, count: curve.byteCount - s.count) + s
      } catch {
        return nil
      }
    }
  }
}
