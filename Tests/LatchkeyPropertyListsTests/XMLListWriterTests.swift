import Foundation
import LatchkeyPropertyLists
import Testing

@Suite struct XMLListWriterTests {
  @Test("Each value is written as Apple's tools do") func eachValueIsWrittenAsApplesToolsDo() throws {
    let list = PropertyList.dictionary([
      "b": .array([
        .integer(-5), .unsigned(.max), .real(2.5), .real(.infinity), .boolean(true), .boolean(false), .data([1, 2, 3]),
        .string("<&>\r\n\"'é"), .date(816_982_200.9), .dictionary([:]), .array([]), .uid(7),
      ]), "a": .string(""),
    ])
    let expected = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>a</key>
      \t<string></string>
      \t<key>b</key>
      \t<array>
      \t\t<integer>-5</integer>
      \t\t<integer>18446744073709551615</integer>
      \t\t<real>2.5</real>
      \t\t<real>+infinity</real>
      \t\t<true/>
      \t\t<false/>
      \t\t<data>AQID</data>
      \t\t<string>&lt;&amp;&gt;&#13;
      "'é</string>
      \t\t<date>2026-11-21T19:30:00Z</date>
      \t\t<dict/>
      \t\t<array/>
      \t\t<dict>
      \t\t\t<key>CF$UID</key>
      \t\t\t<integer>7</integer>
      \t\t</dict>
      \t</array>
      </dict>
      </plist>

      """
    #expect(String(decoding: try list.xml(), as: UTF8.self) == expected)
  }

  @Test("Foundation reads what is written, and its writing is read")
  func foundationReadsWhatIsWrittenAndItsWritingIsRead() throws {
    for list in [Golden.texts, Golden.mixture, Golden.longValues] {
      let theirs = try PropertyListSerialization.propertyList(from: Data(try list.xml()), format: nil)
      let back = try PropertyListSerialization.data(fromPropertyList: theirs, format: .xml, options: 0)
      #expect(try PropertyList(parsing: Array(back)) == list)
      #expect(try PropertyList(parsing: list.xml()) == list)
    }
  }

  @Test("Dates of all centuries come back to the second") func datesOfAllCenturiesComeBackToTheSecond() throws {
    for day in stride(from: -730_000, through: 2_900_000, by: 977) {
      let date = PropertyList.date(Double(day) * 86400 + 86399)
      #expect(try PropertyList(parsing: date.xml()) == date)
    }
    #expect(String(decoding: try PropertyList.date(-0.5).xml(), as: UTF8.self).contains("2000-12-31T23:59:59Z"))
  }

  @Test("A value that XML cannot hold is refused") func aValueThatXMLCannotHoldIsRefused() throws {
    let refusal = PropertyListError(.notRepresentable, at: .whole)
    for text in ["\u{0}", "a\u{1B}", "\u{FFFE}", "\u{FFFF}"] {
      #expect(throws: refusal) { try PropertyList.string(text).xml() }
      #expect(throws: refusal) { try PropertyList.dictionary([text: .boolean(true)]).xml() }
    }
    for date in [Double.nan, .infinity, -.infinity, 1e300, 252_423_993_600, -63_145_526_401] {
      #expect(throws: refusal) { try PropertyList.date(date).xml() }
    }
    #expect(throws: Never.self) { try PropertyList.date(252_423_993_599).xml() }
    #expect(throws: Never.self) { try PropertyList.date(-63_145_526_400).xml() }
  }

  @Test("Input that exceeds a limit is refused") func inputThatExceedsALimitIsRefused() throws {
    #expect(throws: PropertyListError(.tooDeep(limit: 64), at: .whole)) { try nested(65).xml() }
    #expect(try PropertyList(parsing: nested(64).xml()) == nested(64))
    #expect(throws: PropertyListError(.tooLarge(limit: 300), at: .whole)) {
      try PropertyList.data(Array(repeating: 0, count: 300)).xml(limits: PropertyListLimits(bytes: 300))
    }
    #expect(throws: PropertyListError(.tooManyObjects(limit: 2), at: .whole)) {
      try PropertyList.array([.integer(1), .integer(1)]).xml(limits: PropertyListLimits(objects: 2))
    }
  }
}
