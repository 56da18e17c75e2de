// modules: LatchkeyByteCoding LatchkeySealedMessages
import LatchkeySealedMessages

/// Takes the input as a body, as the plaintext of a request with the right keys, and as that of a response: nothing that was not
/// sealed is opened, what is opened seals and opens as the same, and a response comes back as it went in.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLegacyEnvelopes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard
    let keys = try? LegacyEnvelopeKeys(
      encryption: "0123456789abcdef0123456789abcdef", authentication: "fedcba9876543210fedcba9876543210")
  else { return 0 }
  _ = try? LegacyEnvelope.openTransfer(input, keys: keys)
  _ = try? LegacyEnvelope.openResponse(input, keys: keys)
  let text = String(decoding: input, as: UTF8.self)
  _ = try? LegacyPIN.open(text, keys: keys)
  if let seconds = LegacyDate.seconds(text), let again = try? LegacyDate.text(seconds) {
    guard again == text || again == text + " 00:00:00 +0000" else { fatalError("another date") }
  }
  if let accounts = try? LegacyAccount.accounts(in: input) {
    guard let again = try? LegacyAccount.accounts(in: LegacyAccount.plaintext(of: accounts)), again == accounts
    else { fatalError("other accounts") }
  }

  // The right keys over any plaintext: with every text that its MAC could be of, since that is read from it.
  if let transfer = LegacyTransfer(plaintext: input) {
    guard let body = try? LegacyEnvelope.seal(transfer, keys: keys, random: { [UInt8](repeating: 7, count: $0) })
    else {
      return 0
    }
    guard let opened = try? LegacyEnvelope.openTransfer(body, keys: keys), opened.transfer == transfer else {
      fatalError("another transfer")
    }
    _ = transfer.isUnambiguous(accountDigits: 12)
  }
  if input.count < 16_384, text.utf8.elementsEqual(input),
    let body = try? LegacyEnvelope.sealResponse(input, keys: keys, random: { [UInt8](repeating: 7, count: $0) })
  {
    guard (try? LegacyEnvelope.openResponse(body, keys: keys)) == input else { fatalError("another response") }
  }
  return 0
}
