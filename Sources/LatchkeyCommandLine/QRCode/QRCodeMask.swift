/// The masks of QR codes (ISO/IEC 18004:2015 table 10).
enum QRCodeMask {
  /// Whether the mask inverts this module.
  static func inverts(_ mask: Int, row: Int, column: Int) -> Bool {
    let value =
      switch mask {
      case 0: (row + column) % 2
      case 1: row % 2
      case 2: column % 3
      case 3: (row + column) % 3
      case 4: (row / 2 + column / 3) % 2
      case 5: row * column % 2 + row * column % 3
      case 6: (row * column % 2 + row * column % 3) % 2
      default: ((row + column) % 2 + row * column % 3) % 2
      }
    return value == 0
  }
}

extension QRCodeSquare {
  /// How hard the square would be to read: the mask with the least of it is taken (7.8.3).
  var penalty: Int {
    let rows = (0..<size).map { row in (0..<size).map { isDark(row: row, column: $0) } }
    let columns = (0..<size).map { column in (0..<size).map { isDark(row: $0, column: column) } }
    let lines = (rows + columns).reduce(0) { $0 + Self.runPenalty($1) + Self.finderPenalty($1) }
    return lines + blockPenalty(rows) + balancePenalty(rows)
  }

  /// Runs of five or more of one color.
  private static func runPenalty(_ line: [Bool]) -> Int {
    var (penalty, run) = (0, 0)
    for (place, isDark) in line.enumerated() {
      run = place > 0 && line[place - 1] == isDark ? run + 1 : 1
      if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
    }
    return penalty
  }

  /// What looks like a finder pattern: dark and light by 1 : 1 : 3 : 1 : 1, with four light modules before or behind it.
  private static func finderPenalty(_ line: [Bool]) -> Int {
    let pattern = [true, false, true, true, true, false, true]
    var penalty = 0
    for start in 0...line.count - pattern.count where line[start..<start + pattern.count].elementsEqual(pattern) {
      // The quiet zone is light.
      let isLight = { (places: Range<Int>) in places.allSatisfy { !line.indices.contains($0) || !line[$0] } }
      if isLight(start - 4..<start) || isLight(start + pattern.count..<start + pattern.count + 4) { penalty += 40 }
    }
    return penalty
  }

  /// Squares of two by two in one color.
  private func blockPenalty(_ rows: [[Bool]]) -> Int {
    var penalty = 0
    for row in 1..<size {
      for column in 1..<size {
        let color = rows[row][column]
        if rows[row - 1][column] == color, rows[row][column - 1] == color, rows[row - 1][column - 1] == color {
          penalty += 3
        }
      }
    }
    return penalty
  }

  /// Each five percent by which the dark modules miss a half.
  private func balancePenalty(_ rows: [[Bool]]) -> Int {
    let dark = rows.reduce(0) { $0 + $1.count(where: \.self) }
    return abs(dark * 20 - size * size * 10) / (size * size) * 10
  }
}
