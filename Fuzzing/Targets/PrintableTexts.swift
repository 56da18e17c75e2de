// modules: LatchkeySystem LatchkeyByteCoding
import LatchkeySystem

/// Text from outside, as it goes to a terminal: nothing in it steers one, a line is one line and has its maximum, and an escaped text
/// is made of printable characters alone and has one meaning.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPrintableTexts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let text = String(decoding: input, as: UTF8.self)
  for line in [PrintableText.oneLine(input), PrintableText.oneLine(text)] {
    guard line.unicodeScalars.count <= PrintableText.longestLine else { fatalError("a line that is too long") }
    guard !line.unicodeScalars.contains(where: steers) else { fatalError("a line that steers") }
    guard PrintableText.oneLine(line) == line else { fatalError("a line that changes again") }
  }
  let escaped = PrintableText.escaped(text)
  guard escaped.unicodeScalars.allSatisfy(PrintableText.isPrintable) else { fatalError("an escape is missing") }
  guard !escaped.unicodeScalars.contains(where: steers) else { fatalError("an escaped text that steers") }
  guard isUnescaped(escaped.unicodeScalars[...], text) else { fatalError("an escaped text of another meaning") }
  guard PrintableText.message(escaped) == escaped else { fatalError("an escaped text that changes in a message") }
  // Scalars, not characters: a mark at the beginning of the text joins the quotation mark before it.
  if let quoted = PrintableText.quoted(input), !isUnescaped(quoted.unicodeScalars.dropFirst().dropLast(), text) {
    fatalError("another text in quotation marks")
  }
  return 0
}

/// Whether an escaped text means another one, scalar for scalar.
private func isUnescaped(_ escaped: Substring.UnicodeScalarView, _ text: String) -> Bool {
  unescaped(escaped).map { $0.elementsEqual(text.unicodeScalars) } ?? false
}

/// The scalars of a text before it was escaped; nil where an escape is malformed.
private func unescaped(_ text: Substring.UnicodeScalarView) -> [Unicode.Scalar]? {
  var result: [Unicode.Scalar] = []
  var rest = text
  while let scalar = rest.popFirst() {
    guard scalar == "\\" else {
      result.append(scalar)
      continue
    }
    guard let kind = rest.popFirst() else { return nil }
    guard kind == "u" else {
      result.append(kind)
      continue
    }
    guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}"),
      let value = UInt32(String(rest[..<end]), radix: 16), let original = Unicode.Scalar(value)
    else { return nil }
    result.append(original)
    rest = rest[rest.index(after: end)...]
  }
  return result
}

/// By the numbers of Unicode's list: C0, DEL and C1, the line separators, and the marks of direction.
private func steers(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x00...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
  default: false
  }
}
