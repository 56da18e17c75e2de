/// The modules of a QR code, and which of them belong to function patterns (ISO/IEC 18004:2015 6.3).
struct QRCodeSquare: Sendable {
  let form: QRCodeForm
  private var dark: [Bool]
  private var isFunction: [Bool]

  /// The function patterns; format information is reserved, and light.
  init(form: QRCodeForm) {
    self.form = form
    dark = [Bool](repeating: false, count: form.size * form.size)
    isFunction = dark
    drawFunctionPatterns()
  }

  var size: Int { form.size }

  func isDark(row: Int, column: Int) -> Bool { dark[row * size + column] }

  private mutating func drawFunctionPatterns() {
    let last = size - 1
    for place in 0..<size {
      set(row: 6, column: place, place.isMultiple(of: 2))
      set(row: place, column: 6, place.isMultiple(of: 2))
    }
    for (row, column) in [(3, 3), (3, last - 3), (last - 3, 3)] { drawRings(row: row, column: column, radius: 4) }
    let positions = form.alignmentPositions
    for row in positions {
      for column in positions where !isUnderFinder(row: row, column: column) {
        drawRings(row: row, column: column, radius: 2)
      }
    }
    drawFormat(bits: 0)
    if form.hasVersionInformation { drawVersion() }
  }

  /// A finder pattern with its separator (radius 4), or an alignment pattern (radius 2).
  private mutating func drawRings(row: Int, column: Int, radius: Int) {
    for down in -radius...radius {
      for right in -radius...radius {
        let ring = max(abs(down), abs(right))
        let (row, column) = (row + down, column + right)
        guard (0..<size).contains(row), (0..<size).contains(column) else { continue }
        set(row: row, column: column, radius == 4 ? ring != 2 && ring != 4 : ring != 1)
      }
    }
  }

  private func isUnderFinder(row: Int, column: Int) -> Bool {
    let end = size - 7
    return (row == 6 && column == 6) || (row == 6 && column == end) || (row == end && column == 6)
  }

  /// Six rows of three beside the upper right finder pattern, and mirrored above the lower left one (7.10).
  private mutating func drawVersion() {
    let bits = form.version << 12 | Self.remainder(of: form.version << 12, generator: 0x1F25, bits: 12)
    for bit in 0..<18 {
      let (long, short) = (bit / 3, size - 11 + bit % 3)
      set(row: long, column: short, bits >> bit & 1 == 1)
      set(row: short, column: long, bits >> bit & 1 == 1)
    }
  }

  /// Level of error correction and mask, twice (7.9).
  mutating func drawFormat(mask: Int) {
    let data = form.correction.formatBits << 3 | mask
    drawFormat(bits: (data << 10 | Self.remainder(of: data << 10, generator: 0x537, bits: 10)) ^ 0x5412)
  }

  private mutating func drawFormat(bits: Int) {
    for bit in 0..<15 {
      let isDark = bits >> bit & 1 == 1
      switch bit {
      case 0..<6: set(row: bit, column: 8, isDark)
      case 6, 7: set(row: bit + 1, column: 8, isDark)
      case 8: set(row: 8, column: 7, isDark)
      default: set(row: 8, column: 14 - bit, isDark)
      }
      if bit < 8 {
        set(row: 8, column: size - 1 - bit, isDark)
      } else {
        set(row: size - 15 + bit, column: 8, isDark)
      }
    }
    set(row: size - 8, column: 8, true)
  }

  /// What is left of the division by a generator of degree `bits`.
  private static func remainder(of value: Int, generator: Int, bits: Int) -> Int {
    var rest = value
    for bit in (bits..<18).reversed() where rest >> bit & 1 == 1 { rest ^= generator << (bit - bits) }
    return rest
  }

  private mutating func set(row: Int, column: Int, _ isDark: Bool) {
    dark[row * size + column] = isDark
    isFunction[row * size + column] = true
  }
}

extension QRCodeSquare {
  /// Places the codewords in columns of two, up and down in turn from the lower right corner; modules that remain are light (7.7.3).
  mutating func place(_ codewords: [UInt8]) {
    var next = 0
    var isUpward = true
    // The column of the vertical timing pattern is left out.
    for right in Array(stride(from: size - 1, to: 6, by: -2)) + [5, 3, 1] {
      for row in isUpward ? Array((0..<size).reversed()) : Array(0..<size) {
        for column in [right, right - 1] where !isFunction[row * size + column] {
          guard next < codewords.count * 8 else { continue }
          dark[row * size + column] = codewords[next / 8] >> (7 - next % 8) & 1 == 1
          next += 1
        }
      }
      isUpward.toggle()
    }
  }

  /// Inverts the modules that the mask's condition names and no function pattern has (7.8.2).
  mutating func apply(mask: Int) {
    for row in 0..<size {
      for column in 0..<size where !isFunction[row * size + column] {
        if QRCodeMask.inverts(mask, row: row, column: column) { dark[row * size + column].toggle() }
      }
    }
  }
}
