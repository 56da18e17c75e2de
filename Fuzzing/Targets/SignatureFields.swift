// modules: LatchkeyByteCoding LatchkeySealedMessages
import LatchkeySealedMessages

/// Reads the input as a message's `Signature-Input`, `Signature`, `Content-Digest` and another field, a line each: accepted
/// fields have one encoding that reads the same, the base has one line for each component, nothing verifies without the key, and what
/// is read without the parser of structured fields is what that parser reads.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSignatureFields(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let lines = input.split(separator: 0x0A, maxSplits: 4, omittingEmptySubsequences: false).map {
    String(decoding: $0, as: UTF8.self)
  }
  let names = ["signature-input", "signature", "content-digest", "x"]
  let fields = HTTPFields(Array(zip(names, lines).map { (name: $0, value: $1) }))
  let request = HTTPRequestMessage(
    method: "POST", targetURI: lines.count > 4 ? lines[4] : "https://example.com/path?a=1&b=%20", fields: fields)
  let response = HTTPResponseMessage(status: 200, fields: fields)
  if let digest = fields["content-digest"] {
    let (sha256, sha512) = ({ [UInt8](repeating: 0, count: 32) }, { [UInt8](repeating: 0, count: 64) })
    guard
      outcome({ try ContentDigest.verify(digest, sha256: sha256, sha512: sha512) })
        == outcome({ try ContentDigest.verifyParsed(digest, sha256: sha256, sha512: sha512) })
    else { fatalError("the digest reads differently") }
  }
  if let inputs = fields["signature-input"], let signatures = fields["signature"] {
    guard
      outcome({ try SignatureFields(fields).entries })
        == outcome({ try SignatureFields.parsed(inputs, signatures) })
    else { fatalError("the fields read differently") }
  }

  let noKey: (String) throws(SealedMessageError) -> [UInt8]? = { _ in nil }
  if (try? SealedProfile.verify(request, body: [], now: 0, publicKey: noKey)) != nil {
    fatalError("verified without a key")
  }
  if (try? SealedProfile.verify(response, body: [], to: request, now: 0, publicKey: noKey)) != nil {
    fatalError("verified without a key")
  }

  guard let signatures = try? SignatureFields(fields) else { return 0 }
  guard signatures.entries.count <= SignatureLimits.signatures else { fatalError("too many") }
  for entry in signatures.entries {
    let again = HTTPFields([
      ("signature-input", "\(entry.label)=\(entry.input.text)"), ("signature", "\(entry.label)=::"),
    ])
    guard let same = try? SignatureFields(again).entries.first, same.input == entry.input, same.isCanonical else {
      fatalError("the signature reads differently")
    }
    for subject in [
      SignatureBase.Subject.request(request), .response(response, to: request), .response(response, to: nil),
    ] {
      guard let base = try? SignatureBase.bytes(entry.input, over: subject) else { continue }
      let count = base.split(separator: 0x0A, omittingEmptySubsequences: false).count
      guard count == entry.input.components.count + 1 else { fatalError("the base has a wrong number of lines") }
      guard base.count <= SignatureLimits.baseSize + SignatureLimits.fieldSize * 2 else { fatalError("too large") }
    }
  }
  return 0
}

/// What a body gives, or throws.
private func outcome<Value>(_ body: () throws -> Value) -> String {
  do { return "\(try body())" } catch { return "\(error)" }
}
