/// The codewords of a QR code, in the order in which they are placed.
enum QRCodeCodewords {
  /// Data and error correction of all blocks, interleaved (ISO/IEC 18004:2015 7.6).
  static func sequence(of bytes: [UInt8], form: QRCodeForm) -> [UInt8] {
    let data = self.data(of: bytes, form: form)
    let code = QRCodeReedSolomon(correctionCodewords: form.correctionCodewords)
    // The last blocks are longer by one where the codewords do not divide.
    let (short, longer) = data.count.quotientAndRemainder(dividingBy: form.blocks)
    var blocks: [ArraySlice<UInt8>] = []
    var rest = data[...]
    for block in 0..<form.blocks {
      let length = block < form.blocks - longer ? short : short + 1
      blocks.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return interleaved(blocks) + interleaved(blocks.map { code.remainder(of: $0)[...] })
  }

  /// Mode, length, bytes, terminator and padding (7.4.5, 7.4.9, 7.4.10).
  static func data(of bytes: [UInt8], form: QRCodeForm) -> [UInt8] {
    // In byte mode all that follows is shifted by four bits.
    var nibbles: [UInt8] = [0b0100]
    for shift in stride(from: form.lengthBits - 4, through: 0, by: -4) {
      nibbles.append(UInt8(bytes.count >> shift & 0xF))
    }
    for byte in bytes { nibbles += [byte >> 4, byte & 0xF] }
    // The terminator always fits: mode and length leave four bits free of the last byte.
    nibbles.append(0)
    var data = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    let isFilled = data.count
    for index in isFilled..<form.dataCodewords { data.append((index - isFilled).isMultiple(of: 2) ? 0xEC : 0x11) }
    return data
  }

  private static func interleaved(_ blocks: [ArraySlice<UInt8>]) -> [UInt8] {
    (0..<(blocks.map(\.count).max() ?? 0)).flatMap { place in
      blocks.filter { place < $0.count }.map { $0[$0.startIndex + place] }
    }
  }
}
