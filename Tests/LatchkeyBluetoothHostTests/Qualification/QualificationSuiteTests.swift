import Testing

/// The tables against the suite: what they hold, and what they leave out.
@Suite("The tables of qualification tests") struct QualificationSuiteTests {
  private static let omitted = QualificationSuite.omissions.reduce(into: Set<String>()) { $0.formUnion($1.names) }

  @Test("Each test of the suite has a case, or a reason why not")
  func complete() {
    for (cases, suite) in [
      (QualificationServerTests.cases, QualificationSuite.server),
      (QualificationClientTests.cases, QualificationSuite.client),
    ] {
      let names = Set(cases.map(\.name).filter { $0.hasSuffix("-C") })
      #expect(names.subtracting(suite).sorted() == [])
      #expect(suite.subtracting(names).subtracting(Self.omitted).sorted() == [])
      #expect(names.intersection(Self.omitted).sorted() == [])
    }
    #expect(Self.omitted.subtracting(QualificationSuite.server).subtracting(QualificationSuite.client).sorted() == [])
  }

  @Test("There are 120 cases of a server and 90 of a client at least, most of them of invalid behavior")
  func counts() {
    #expect(QualificationServerTests.cases.count >= 120)
    #expect(QualificationClientTests.cases.count >= 90)
    for cases in [QualificationServerTests.cases, QualificationClientTests.cases] {
      let invalid = cases.filter { $0.isInvalidBehavior }.count
      #expect(2 * invalid > cases.count)
    }
  }

  @Test("No two cases have one name and one purpose, and each expects something")
  func distinct() {
    let cases = QualificationServerTests.cases + QualificationClientTests.cases
    #expect(Set(cases.map(\.testDescription)).count == cases.count)
    for test in cases {
      #expect(!test.purpose.isEmpty && test.script.contains { "<?=*".contains($0) })
    }
  }

  @Test("A table is cut at its names") func table() {
    let cases = QualificationCase.table(
      """
      GATT/SR/GAR/BV-01-C a purpose
      > 0a
      < 0b
      GATT/SR/GAR another one
      > 0c
      """)
    #expect(cases.map(\.name) == ["GATT/SR/GAR/BV-01-C", "GATT/SR/GAR"])
    #expect(cases.map(\.purpose) == ["a purpose", "another one"])
    #expect(cases.map(\.script) == ["> 0a\n< 0b\n", "> 0c\n"])
    #expect(cases.map(\.isInvalidBehavior) == [false, true])
    #expect(cases[1].location.line == cases[0].location.line + 3)
  }
}
