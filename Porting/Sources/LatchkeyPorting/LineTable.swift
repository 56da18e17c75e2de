/// Where the lines of a text begin. A line ends with LF, alone or after CR, as in what `diff` and `patch` call a line.
struct LineTable: Sendable {
  /// The offset of the first byte of each line.
  let starts: [Int]
  /// Whether more lines end with CR LF than with LF alone.
  let usesCarriageReturns: Bool

  init(_ bytes: [UInt8]) {
    var starts = [0]
    var returns = 0
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      starts.append(offset + 1)
      if offset > 0 && bytes[offset - 1] == UInt8(ascii: "\r") { returns += 1 }
    }
    self.starts = starts
    usesCarriageReturns = returns * 2 > starts.count - 1
  }

  /// The line, from 1 on, of a byte.
  func line(at offset: Int) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// The offset of a line's first byte.
  func start(ofLine line: Int) -> Int { starts[line - 1] }
}
