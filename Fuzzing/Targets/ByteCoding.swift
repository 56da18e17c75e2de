// modules: LatchkeyByteCoding
import LatchkeyByteCoding

/// Reads the input with a `ByteReader` in steps that the input selects, compares it with slices of a plain array, and converts
/// it to hexadecimal and back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzByteCoding(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  checkReader(input)
  checkHexadecimal(input)
  return 0
}

/// Each byte of the first half selects the next read from the second half.
private func checkReader(_ input: [UInt8]) {
  let script = input.prefix(input.count / 2)
  var model = Array(input.dropFirst(input.count / 2))
  var reader = ByteReader(model)
  for choice in script {
    let width = widths[Int(choice & 0x07)]
    let count = width == 0 ? Int(choice >> 3) : width
    let expected = count <= model.count ? Array(model.prefix(count)) : nil
    let got = try? read(&reader, choice: choice, count: count)
    guard got == expected else { fatalError("read \(count) of \(model.count): \(String(describing: got))") }
    guard expected != nil else { return }
    model.removeFirst(count)
    guard reader.remaining == model.count, reader.peek() == model.first else { fatalError("the position is wrong") }
  }
  let finished = (try? reader.finish("script")) != nil
  guard finished == model.isEmpty, reader.remainingBytes() == model, reader.isEmpty else {
    fatalError("the end is wrong")
  }
}

/// How many bytes each choice reads; 0 where the choice's upper bits are the count.
private let widths = [1, 2, 3, 4, 8, 0, 0, 0]

/// One read, written back to bytes by a `ByteWriter`, so that both directions are compared with the plain array.
private func read(_ reader: inout ByteReader, choice: UInt8, count: Int) throws -> [UInt8] {
  var writer = ByteWriter()
  switch choice & 0x07 {
  case 0: writer.uint8(try reader.uint8("one"))
  case 1: writer.uint16(try reader.uint16("two"))
  case 2: writer.uint24(try reader.uint24("three"))
  // A failed 4- or 8-byte read may have consumed its first half: the script ends there, as a decoder would.
  case 3: choice & 0x80 == 0 ? writer.uint32(try reader.uint32("four")) : try bigEndian4(&writer, &reader)
  case 4: choice & 0x80 == 0 ? writer.uint64(try reader.uint64("eight")) : try bigEndian8(&writer, &reader)
  case 5: writer.append(try reader.bytes(count, "some"))
  case 6:
    var inner = try reader.subReader(count, "inner")
    writer.append(inner.remainingBytes())
  default:
    let ahead = reader
    try reader.skip(count, "skipped")
    var copy = ahead
    writer.append(try copy.bytes(count, "skipped"))
  }
  return writer.bytes
}

private func bigEndian4(_ writer: inout ByteWriter, _ reader: inout ByteReader) throws {
  writer.uint32BigEndian(try reader.uint32BigEndian("four"))
}

private func bigEndian8(_ writer: inout ByteWriter, _ reader: inout ByteReader) throws {
  writer.uint64BigEndian(try reader.uint64BigEndian("eight"))
}

private func checkHexadecimal(_ input: [UInt8]) {
  guard let back = try? Hexadecimal.decode(Hexadecimal.encode(input)), back == input else {
    fatalError("hexadecimal reads differently")
  }
  let text = String(decoding: input, as: UTF8.self)
  guard let bytes = try? Hexadecimal.decode(text) else { return }
  guard Hexadecimal.encode(bytes) == text.filter({ $0 != " " }).lowercased() else {
    fatalError("decoded text encodes differently")
  }
}
