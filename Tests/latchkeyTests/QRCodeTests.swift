import Crypto
import Foundation
import Testing

@testable import LatchkeyCommandLine

/// QR codes against the standard's example and against those of another encoder (qrcodegen 1.8.0).
@Suite("QR codes") struct QRCodeTests {
  /// The rows, `#` for a dark module.
  private static func rows(_ code: QRCode, dark: Character = "#", light: Character = ".") -> [String] {
    (0..<code.size).map { row in
      String((0..<code.size).map { code.isDark(row: row, column: $0) ? dark : light })
    }
  }

  @Test("Error correction is that of the standard's example, 01234567 (ISO/IEC 18004 annex I)") func worked() {
    let data: [UInt8] = [
      0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11,
    ]
    #expect(
      QRCodeReedSolomon(correctionCodewords: 10).remainder(of: data)
        == [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55])
  }

  @Test("Data begin with mode and length and end with the two padding codewords in turn") func data() {
    let form = QRCodeForm(version: 1, correction: .low)
    #expect(
      QRCodeCodewords.data(of: Array("hi".utf8), form: form)
        == [0x40, 0x26, 0x86, 0x90] + [
          0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC,
        ])
    #expect(QRCodeCodewords.data(of: [UInt8](repeating: 0xFF, count: 17), form: form).last == 0xF0)
    let long = QRCodeForm(version: 10, correction: .low)
    #expect(QRCodeCodewords.data(of: [UInt8](repeating: 0, count: 258), form: long).prefix(3) == [0x40, 0x10, 0x20])
  }

  @Test("A small code is the other encoder's, module by module") func small() throws {
    let code = try QRCode(Array("latchkey".utf8), mask: 2)
    #expect(code.form == QRCodeForm(version: 1, correction: .medium))
    #expect(
      Self.rows(code) == [
        "#######..#..#.#######",
        "#.....#...#.#.#.....#",
        "#.###.#.#####.#.###.#",
        "#.###.#.##.#..#.###.#",
        "#.###.#.#..##.#.###.#",
        "#.....#.##..#.#.....#",
        "#######.#.#.#.#######",
        "........##.##........",
        "#.#####.....#.#####..",
        "...#....##..#.#.#.#.#",
        "#########..#.#...###.",
        "#####...###......##..",
        ".#.####.####.....#.##",
        "........#.#########.#",
        "#######...#.#.#...##.",
        "#.....#.#######.###..",
        "#.###.#.##..#..##...#",
        "#.###.#.#.#.#..##.#..",
        "#.###.#.##.#.#...#...",
        "#.....#..#.....#.##..",
        "#######.##.#.#.##..#.",
      ])
  }

  /// Each line of the file: version, level, mask, number of bytes, SHA-256 of the rows as digits.
  @Test("Codes of all versions and both levels, full and half full, are the other encoder's") func all() throws {
    let url = Bundle.module.bundleURL.appendingPathComponent("Golden/qr-codes.txt")
    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 80)
    for line in lines {
      let fields = line.split(separator: " ")
      try #require(fields.count == 5)
      let form = QRCodeForm(
        version: try #require(Int(fields[0])), correction: fields[1] == "L" ? .low : .medium)
      let bytes = (0..<(try #require(Int(fields[3])))).map { UInt8(0x30 + $0 * 7 % 10) }
      try #require(bytes.count <= form.byteCapacity, "\(line)")
      let mask: Int = try #require(Int(fields[2]))
      let code = QRCode(bytes, form: form, mask: mask)
      let text = Self.rows(code, dark: "1", light: "0").joined(separator: "\n")
      let digest = SHA256.hash(data: Data(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      #expect(digest.joined() == fields[4], "\(line)")
    }
  }

  @Test("A code takes the least version of level M, and level L where no version of M is enough") func forms() throws {
    #expect(try QRCode([]).form == QRCodeForm(version: 1, correction: .medium))
    for (count, version, correction) in [
      (14, 1, .medium), (15, 2, .medium), (180, 9, .medium), (181, 10, .medium), (213, 10, .medium),
      (666, 20, .medium), (667, 18, .low), (858, 20, .low),
    ] as [(Int, Int, QRCodeForm.Correction)] {
      let code = try QRCode([UInt8](repeating: 0x61, count: count), mask: 0)
      #expect(code.form == QRCodeForm(version: version, correction: correction), "\(count) bytes")
    }
  }

  @Test("Too many bytes are refused with their number and the limit") func tooLong() {
    #expect(throws: QRCodeError.tooLong(859)) { try QRCode([UInt8](repeating: 0, count: 859)) }
    #expect("\(QRCodeError.tooLong(859))" == "859 bytes do not fit in a QR code: it has 858 at most")
  }

  @Test("The mask is the one with the least penalty") func mask() throws {
    let bytes = Array("01234567 the mask of this text is chosen".utf8)
    let chosen = try QRCode(bytes)
    let penalties = (0..<8).map { mask in
      var square = QRCodeSquare(form: chosen.form)
      square.place(QRCodeCodewords.sequence(of: bytes, form: chosen.form))
      square.apply(mask: mask)
      square.drawFormat(mask: mask)
      return square.penalty
    }
    #expect(penalties.min() == penalties[chosen.mask])
    #expect(Set(penalties).count > 1)
    #expect(Self.rows(chosen) == Self.rows(try QRCode(bytes, mask: chosen.mask)))
  }

  @Test("What is outside of the square is light") func outside() throws {
    let code = try QRCode(Array("x".utf8))
    #expect(code.isDark(row: 0, column: 0))
    for place in [-1, 21, Int.min, Int.max] {
      #expect(!code.isDark(row: place, column: 0))
      #expect(!code.isDark(row: 0, column: place))
    }
  }
}
