// modules: LatchkeyByteCoding LatchkeySealedMessages
import LatchkeySealedMessages

/// Reads the input as a message's `Signature-Input`, `Signature`, `Content-Digest` and another field, a line each: accepted
/// fields have one encoding that reads the same, the base has one line for each component, and nothing verifies without the key.
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
  _ = try? fields["content-digest"].map { try ContentDigest.verify($0, of: input) }

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
