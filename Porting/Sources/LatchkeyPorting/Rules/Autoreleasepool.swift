/// `autoreleasepool`: a function of the file that calls its argument, where Objective-C is not there.
extension PortingRules {
  mutating func addAutoreleasepool() {
    guard usesAutoreleasepool && !declaresAutoreleasepool && !survey.hasAutoreleasepool else { return }
    let newline = source.newline
    let isLineEnded = source.bytes.last == UInt8(ascii: "\n")
    let lines = [
      "", "#if !canImport(ObjectiveC)",
      "/// Nothing is autoreleased on Linux.",
      "private func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }",
      "#endif", "",
    ]
    edit(Edit(at: source.bytes.count, insert: (isLineEnded ? "" : newline) + lines.joined(separator: newline)))
  }
}
