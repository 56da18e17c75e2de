import Testing

/// A case of a test of the Bluetooth SIG's suite for the Generic Attribute Profile (GATT.TS), as a transcript.
///
/// The names are the suite's, the bytes follow from Core 6.0 Vol 3 Part F and G. A test may have several cases; a case
/// without a number, such as `GATT/SR/GAR`, belongs to a group and to no test of the suite: what Core demands beyond it.
struct QualificationCase: Sendable, CustomTestStringConvertible {
  /// The test's name, such as `GATT/SR/GAR/BI-01-C`.
  var name: String
  /// What the case shows.
  var purpose: String
  /// The transcript (`ATTBench`).
  var script: String
  /// The line of the name.
  var location: SourceLocation

  var testDescription: String { "\(name) \(purpose)" }

  /// Whether the peer, or the application, does what it must not do.
  var isInvalidBehavior: Bool { !name.contains("/BV-") }

  /// The cases of a table: each begins with a line that is its name and its purpose.
  static func table(
    _ text: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
  ) -> [QualificationCase] {
    var cases: [QualificationCase] = []
    // The text begins on the second line after the call's.
    var place = SourceLocation(fileID: fileID, filePath: filePath, line: line + 1, column: 1)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      place.line += 1
      if line.hasPrefix("GATT/") {
        let name = line.prefix { $0 != " " }
        let purpose = line.dropFirst(name.count + 1)
        cases.append(QualificationCase(name: String(name), purpose: String(purpose), script: "", location: place))
      } else if let last = cases.indices.last {
        cases[last].script += line + "\n"
      }
    }
    return cases
  }
}
