import LatchkeyPorting
import Testing

/// A text after the port of a package in which it is the first file.
struct Ported {
  let text: String
  /// What is left for a person, each as `line: text`.
  let remarks: [String]

  /// Ports `text`, and ports the result once more, which must change nothing.
  init(_ text: String, beside others: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
    let files = [text] + others
    let first = try Self.ports(files)
    self.text = first[0].text
    remarks = first[0].port.remarks.map { "\($0.line): \($0.text)" }
    let second = try Self.ports(first.map(\.text))
    #expect(
      second.allSatisfy { $0.port.edits.isEmpty }, "the second port changes something", sourceLocation: sourceLocation)
  }

  private static func ports(_ files: [String]) throws -> [(port: Port, text: String)] {
    let sources = try files.map { try SourceText(Array($0.utf8)) }
    var survey = Survey()
    for source in sources { survey.add(source) }
    return try sources.map { source in
      let port = try survey.port(source)
      return (port, String(decoding: port.edits.applied(to: source.bytes), as: UTF8.self))
    }
  }
}

/// Expects that a text becomes another one, and that nothing is left.
func expectPort(
  _ before: String, _ after: String, beside others: String = "", sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let ported = try Ported(before, beside: others, sourceLocation: sourceLocation)
  #expect(ported.text == after, sourceLocation: sourceLocation)
  #expect(ported.remarks.isEmpty, sourceLocation: sourceLocation)
}

/// Expects that a text stays as it is, with one remark a line that contains each of these texts.
func expectUnchanged(
  _ text: String, _ remarks: String..., beside others: String = "", sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let ported = try Ported(text, beside: others, sourceLocation: sourceLocation)
  #expect(ported.text == text, sourceLocation: sourceLocation)
  #expect(ported.remarks.count == remarks.count, "\(ported.remarks)", sourceLocation: sourceLocation)
  for (remark, part) in zip(ported.remarks, remarks) {
    #expect(remark.contains(part), "\(remark)", sourceLocation: sourceLocation)
  }
}
