// modules: LatchkeySystem LatchkeyByteCoding
import LatchkeySystem

/// Text from outside, as it goes to a terminal: nothing in it steers one, a line is one line and has its maximum, and an escaped text
/// is made of printable characters alone and changes no more.
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
  guard PrintableText.escaped(escaped) == escaped else { fatalError("an escaped text that changes again") }
  if let quoted = PrintableText.quoted(input), quoted != "\"\(escaped)\"" {
    fatalError("another text in quotation marks")
  }
  return 0
}

/// By the numbers of Unicode's list: C0, DEL and C1, the line separators, and the marks of direction.
private func steers(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x00...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
  default: false
  }
}
