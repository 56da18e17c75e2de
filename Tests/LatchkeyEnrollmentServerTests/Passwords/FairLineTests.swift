import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Fair lines")
struct FairLineTests {
  private func line(_ pieces: [(Int, [String])]) -> FairLine<String, Int> {
    var line = FairLine<String, Int>()
    for (piece, source) in pieces { line.append(piece, of: source) }
    return line
  }

  private func order(_ line: FairLine<String, Int>) -> [Int] {
    var line = line
    var order: [Int] = []
    while let next = line.next() { order.append(next) }
    #expect(line.count == 0)
    return order
  }

  @Test("Sources take turns, and so do the subsources within each")
  func turns() {
    #expect(order(line([])) == [])
    #expect(order(line([(1, ["a"]), (2, ["a"]), (3, ["b"])])) == [1, 3, 2])
    let nested = line([(1, ["a", "x"]), (2, ["a", "x"]), (3, ["a", "y"]), (4, ["b", "x"]), (5, ["b", "x"])])
    #expect(nested.count == 5)
    #expect(order(nested) == [1, 4, 3, 5, 2])
  }

  @Test("A source that comes again stands behind those that are there")
  func again() {
    var line = line([(1, ["a"]), (2, ["b"])])
    #expect(line.next() == 1)
    line.append(3, of: ["a"])
    #expect(order(line) == [2, 3])
  }

  @Test("The last piece of the source with the most pieces is dropped; among equals, the newest")
  func drop() {
    var line = line([(1, ["a"]), (2, ["a"]), (3, ["b"])])
    #expect(line.dropLast(newest: ["b"]) == 2)
    #expect(line.dropLast(newest: ["b"]) == 3)
    #expect(line.dropLast(newest: ["c"]) == 1)
    #expect(line.dropLast(newest: ["c"]) == nil)
    var nested = self.line([(1, ["a", "x"]), (2, ["a", "y"]), (3, ["a", "y"]), (4, ["b", "x"])])
    #expect(nested.dropLast(newest: ["b", "x"]) == 3)
    #expect(nested.dropLast(newest: ["a", "x"]) == 1)
    #expect(order(nested) == [2, 4])
  }

  @Test("A removed entry leaves no turn behind")
  func remove() {
    var line = line([(1, ["a", "x"]), (2, ["a", "y"]), (3, ["b", "x"]), (4, ["b", "x"])])
    #expect(line.removeAll { $0 < 4 } == [1, 2, 3])
    #expect(line.count == 1)
    line.append(5, of: ["a", "x"])
    #expect(order(line) == [4, 5])
    #expect(line.removeAll { _ in false } == [])
  }
}
