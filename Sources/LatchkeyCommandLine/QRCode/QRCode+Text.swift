extension QRCode {
  /// How wide the light margin is, in modules: a reader needs it (ISO/IEC 18004:2015 6.3.8).
  package static let quietZone = 4

  /// The code as lines of half blocks, two rows of modules in each line.
  ///
  /// - Parameter hasColors: whether each line sets black on white itself: then the code is right on terminals of any colors. Without,
  ///   light modules are drawn, as is right where letters are lighter than the ground; elsewhere the code is inverted, which phones
  ///   read mostly, other readers seldom.
  package func lines(hasColors: Bool) -> [String] {
    let range = -Self.quietZone..<size + Self.quietZone
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let blocks = range.map { column in
        let upper = isDark(row: row, column: column) == hasColors
        // Below the last line lies the quiet zone's end, which the ground of the line fills.
        let lower = isDark(row: row + 1, column: column) == hasColors
        return switch (upper, lower) {
        case (true, true): "\u{2588}"
        case (true, false): "\u{2580}"
        case (false, true): "\u{2584}"
        case (false, false): " "
        }
      }.joined()
      // Colors of the cube, which themes leave alone, unlike the first sixteen.
      return hasColors ? "\u{1B}[38;5;16;48;5;231m\(blocks)\u{1B}[0m" : blocks
    }
  }
}
