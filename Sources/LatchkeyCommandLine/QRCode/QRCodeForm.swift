/// The version of a QR code and its level of error correction: they decide how many bytes it has, and how (ISO/IEC 18004:2015 7.5.1).
package struct QRCodeForm: Hashable, Sendable {
  /// How much of a code may be unreadable.
  package enum Correction: Sendable {
    /// Level L: 7 percent.
    case low
    /// Level M: 15 percent.
    case medium

    /// The two bits of the format information (7.9.1).
    var formatBits: Int {
      switch self {
      case .low: 0b01
      case .medium: 0b00
      }
    }
  }

  /// Greater codes do not fit in a terminal.
  package static let versions = 1...20

  package let version: Int
  package let correction: Correction

  package init(version: Int, correction: Correction) {
    precondition(Self.versions.contains(version))
    self.version = version
    self.correction = correction
  }

  /// The number of modules in a row.
  package var size: Int { version * 4 + 17 }

  /// How many bytes fit: mode and length take 12 bits, from version 10 on 20 (7.4.1).
  package var byteCapacity: Int { (dataCodewords * 8 - 4 - lengthBits) / 8 }

  /// The bits of the length in byte mode (table 3).
  var lengthBits: Int { version < 10 ? 8 : 16 }

  /// The codewords of data, of all blocks together.
  var dataCodewords: Int { codewords - blocks * correctionCodewords }

  /// All codewords: the modules that no function pattern takes, by eight.
  var codewords: Int {
    let positions = alignmentPositions.count
    // Three finder patterns with separators and format information, two timing patterns, the dark module.
    var modules = size * size - 3 * 64 - 31 - 2 * (size - 16)
    if positions > 0 {
      // Alignment patterns but for those under the finder patterns; two rows of them share five modules each with a timing pattern.
      modules -= 25 * (positions * positions - 3) - 5 * 2 * (positions - 2)
    }
    if hasVersionInformation { modules -= 36 }
    return modules / 8
  }

  /// Rows and columns of the centers of alignment patterns (annex E).
  var alignmentPositions: [Int] {
    guard version > 1 else { return [] }
    let count = version / 7 + 2
    let step = (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
    return [6] + (0..<count - 1).reversed().map { size - 7 - $0 * step }
  }

  /// From version 7 on a code names its version (7.10).
  var hasVersionInformation: Bool { version >= 7 }

  /// The number of blocks (table 9).
  var blocks: Int {
    switch correction {
    case .low: [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8][version - 1]
    case .medium: [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16][version - 1]
    }
  }

  /// The codewords of error correction in each block (table 9).
  var correctionCodewords: Int {
    switch correction {
    case .low: [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28][version - 1]
    case .medium: [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26][version - 1]
    }
  }
}
