import Foundation
import Testing

/// What the page *Writing a service* shows stands in `Examples/006-meter`, to the letter but for the indentation.
@Suite("The page of services") struct WritingAServicePageTests {
  private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

  private static func lines(of text: some StringProtocol) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static func blocks() throws -> [[String]] {
    let page = try String(
      contentsOf: root.appending(
        path: "Sources/LatchkeyEnrollmentServer/LatchkeyEnrollmentServer.docc/WritingAService.md"), encoding: .utf8)
    return page.components(separatedBy: "```swift\n").dropFirst().map { part in
      lines(of: part.components(separatedBy: "\n```")[0])
    }
  }

  private static func sources() throws -> [[String]] {
    try [
      "Sources/MeterReadings/MeterReadings.swift", "Sources/MeterReadings/TrialServer.swift", "Package.swift",
      "Tests/MeterReadingsTests/MeterReadingsTests.swift",
    ].map { name in
      lines(of: try String(contentsOf: root.appending(path: "Examples/006-meter/\(name)"), encoding: .utf8))
    }
  }

  private static func holds(_ source: [String], _ block: [String]) -> Bool {
    guard block.count <= source.count else { return false }
    return (0...source.count - block.count).contains { source[$0..<$0 + block.count].elementsEqual(block) }
  }

  @Test("Each block of Swift is a part of the example's source") func shown() throws {
    let (blocks, sources) = (try Self.blocks(), try Self.sources())
    #expect(blocks.count == 9)
    for block in blocks {
      let isThere = sources.contains { Self.holds($0, block) }
      #expect(isThere, "no source of Examples/006-meter has these lines: \(block.joined(separator: "\n"))")
    }
  }

  @Test("A block that differs by a word is found") func differing() throws {
    let (blocks, sources) = (try Self.blocks(), try Self.sources())
    for block in blocks {
      var changed = block
      changed[changed.count / 2] += "x"
      let isThere = sources.contains { Self.holds($0, changed) }
      #expect(!isThere)
    }
  }
}
