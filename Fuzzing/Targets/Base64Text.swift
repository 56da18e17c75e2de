// modules: LatchkeyByteCoding
import LatchkeyByteCoding

/// The first byte selects a form. The rest is encoded and decodes to the same bytes; if the rest itself is text of the form, it
/// equals the encoder's, except for white space. After an error the buffer contains zeros alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBase64Text(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let forms = Base64.Form.allCases
  let form = forms[Int(choice) % forms.count]
  let rest = Array(input.dropFirst())
  checkBytes(rest, form)
  checkText(rest, form)
  return 0
}

private func checkBytes(_ bytes: [UInt8], _ form: Base64.Form) {
  let text = Base64.encodeASCII(bytes.span, as: form)
  guard Base64.encode(bytes, as: form).utf8.elementsEqual(text) else { fatalError("the encoders differ") }
  guard (try? Base64.decode(text.span, as: form)) == bytes else { fatalError("the text decodes to other bytes") }
}

private func checkText(_ text: [UInt8], _ form: Base64.Form) {
  var bytes: [UInt8] = [0xFF]
  do throws(ByteCodingError) {
    try Base64.decode(text.span, as: form, into: &bytes)
  } catch {
    guard bytes.allSatisfy({ $0 == 0 }), bytes.count <= text.count else { fatalError("an error leaves bytes") }
    if case .notBase64(let offset) = error, !text.indices.contains(offset) { fatalError("an offset outside") }
    return
  }
  let isSpaced = form == .standardWithWhitespace
  let unbroken = isSpaced ? text.filter { ![0x09, 0x0A, 0x0D, 0x20].contains($0) } : text
  guard Base64.encodeASCII(bytes.span, as: form) == unbroken else { fatalError("a second text for the same bytes") }
}
