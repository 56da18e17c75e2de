// modules: LatchkeyByteCoding LatchkeySealedMessages
import LatchkeySealedMessages

/// Opens the input as a body, then seals it as the plaintext of a request and of a response: an unsealed body does not open, an
/// opened one seals and opens to the same content, and a response is unchanged.
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
    guard again == text || again == text + " 00:00:00 +0000" else { fatalError("the date differs") }
  }
  if let accounts = try? LegacyAccount.accounts(in: input) {
    guard let again = try? LegacyAccount.accounts(in: LegacyAccount.plaintext(of: accounts)), again == accounts
    else { fatalError("the accounts differ") }
  }

  // The right keys over any plaintext, with the MAC of every text that the reader could find in it.
  if let transfer = LegacyTransfer(plaintext: input) {
    guard let body = try? LegacyEnvelope.seal(transfer, keys: keys, random: { [UInt8](repeating: 7, count: $0) })
    else {
      return 0
    }
    guard let opened = try? LegacyEnvelope.openTransfer(body, keys: keys), opened.transfer == transfer else {
      fatalError("the transfer differs")
    }
    _ = transfer.isUnambiguous(accountDigits: 12)
  }
  if input.count < 16_384, text.utf8.elementsEqual(input),
    let body = try? LegacyEnvelope.sealResponse(input, keys: keys, random: { [UInt8](repeating: 7, count: $0) })
  {
    guard (try? LegacyEnvelope.openResponse(body, keys: keys)) == input else { fatalError("the response differs") }
  }
  return 0
}
