import LatchkeyPropertyLists
import Testing

@Suite struct XMLListReaderTests {
  @Test("An entitlements file is read") func anEntitlementsFileIsRead() throws {
    let file = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <!-- made by hand -->
      <plist version="1.0">
      <dict>
      \t<key>application-identifier</key>
      \t<string>TEAM.com.example.app</string>
      \t<key>keychain-access-groups</key>
      \t<array> <!-- two -->
      \t\t<string>TEAM.com.example.app</string>
      \t\t<string>TEAM.shared</string>
      \t</array>
      \t<key>get-task-allow</key>
      \t<true/>
      </dict>
      </plist>

      """
    #expect(
      outcome(xml: file)
        == .success(
          .dictionary([
            "application-identifier": .string("TEAM.com.example.app"),
            "keychain-access-groups": .array([.string("TEAM.com.example.app"), .string("TEAM.shared")]),
            "get-task-allow": .boolean(true),
          ])))
  }

  private func read(_ element: String) -> Result<PropertyList, PropertyListError> {
    outcome(xml: "<plist version=\"1.0\">\(element)</plist>")
  }

  @Test("Each element is read") func eachElementIsRead() {
    #expect(read("<true/>") == .success(.boolean(true)))
    #expect(read("<false></false>") == .success(.boolean(false)))
    #expect(read("<integer> -42\n</integer>") == .success(.integer(-42)))
    #expect(read("<integer>+7</integer>") == .success(.integer(7)))
    #expect(read("<integer>0x1F</integer>") == .success(.integer(31)))
    #expect(read("<integer>-9223372036854775808</integer>") == .success(.integer(.min)))
    #expect(read("<integer>18446744073709551615</integer>") == .success(.unsigned(.max)))
    #expect(read("<real>1.0000000000000001e+300</real>") == .success(.real(1e300)))
    #expect(read("<real>-infinity</real>") == .success(.real(-.infinity)))
    #expect(read("<date>2026-11-21T19:30:00Z</date>") == .success(.date(816_982_200)))
    #expect(read("<date>2000-02-29T00:00:00Z</date>") == .success(.date(-26_524_800)))
    #expect(read("<date>0001-01-01T00:00:00Z</date>") == .success(.date(-63_113_904_000)))
    #expect(read("<data>\n\tAQ\n\tID BA==\n</data>") == .success(.data([1, 2, 3, 4])))
    #expect(read("<data/>") == .success(.data([])))
    #expect(read("<string/>") == .success(.string("")))
    #expect(read("<string> a  b </string>") == .success(.string(" a  b ")))
    #expect(read("<dict/>") == .success(.dictionary([:])))
    #expect(read("<array></array>") == .success(.array([])))
    #expect(read("<dict><key/><true/></dict>") == .success(.dictionary(["": .boolean(true)])))
    #expect(read("<dict><key>CF$UID</key><integer>7</integer></dict>") == .success(.uid(7)))
    #expect(
      read("<dict><key>CF$UID</key><integer>-7</integer></dict>")
        == .success(.dictionary(["CF$UID": .integer(-7)])))
    #expect(outcome(xml: "<array><true/></array>") == .success(.array([.boolean(true)])))
    #expect(outcome(xml: "\u{FEFF}<plist><true/></plist>") == .success(.boolean(true)))
  }

  @Test("Texts with entities, sections, comments and line ends are read")
  func textsWithEntitiesSectionsCommentsAndLineEndsAreRead() {
    #expect(read("<string>&lt;&amp;&gt;&quot;&apos;</string>") == .success(.string("<&>\"'")))
    #expect(read("<string>&#233;&#xe9;&#x1F600;&#0065;</string>") == .success(.string("éé😀A")))
    #expect(
      read("<string>a<![CDATA[<b>&amp;\r\n]]>c<!-- no -->d<?x y?></string>") == .success(.string("a<b>&amp;\ncd")))
    #expect(read("<string>1\r\n2\r3\n4&#13;5</string>") == .success(.string("1\n2\n3\n4\r5")))
    #expect(read("<key>").problem == .misplacedElement)
    #expect(
      read("<dict><key>a&amp;b</key><string>王尼玛</string></dict>") == .success(.dictionary(["a&b": .string("王尼玛")])))
  }

  @Test("Declarations are refused, so nothing can be included or multiplied")
  func declarationsAreRefusedSoNothingCanBeIncludedOrMultiplied() {
    let bomb = """
      <!DOCTYPE plist [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>
      <plist><string>&b;</string></plist>
      """
    #expect(outcome(xml: bomb).problem == .declarations)
    #expect(outcome(xml: bomb).place == .line(1, column: 17))
    let external = "<!DOCTYPE plist SYSTEM \"file:///etc/passwd\"><plist><string>&x;</string></plist>"
    #expect(outcome(xml: external).problem == .unknownEntity)
    #expect(outcome(xml: "<!DOCTYPE plist PUBLIC \"a>[b\" 'c'><plist><true/></plist>") == .success(.boolean(true)))
  }

  @Test("Entities that are unknown or stand for forbidden characters are refused")
  func entitiesThatAreUnknownOrStandFor() {
    for text in ["&nbsp;", "&;", "&", "&#;", "&#x;", "&#xZ;", "&#-1;", "&#+65;", "&lt", "&ampersand;", "& amp;"] {
      #expect(read("<string>\(text)</string>").problem == .unknownEntity, "\(text)")
    }
    for text in ["&#0;", "&#1;", "&#xD800;", "&#xFFFF;", "&#x110000;"] {
      #expect(read("<string>\(text)</string>").problem == .forbiddenCharacter, "\(text)")
    }
  }

  @Test("Markup that is not well formed is refused") func markupThatIsNotWellFormedIsRefused() {
    let wrong: [(String, PropertyListError.Problem)] = [
      ("<plist><string>a</integer></plist>", .misplacedElement),
      ("<plist><array></dict></plist>", .misplacedElement),
      ("<plist><array><true/></plist>", .misplacedElement),
      ("<plist><true/></array>", .misplacedElement),
      ("<plist><true/><true/></plist>", .misplacedElement),
      ("<plist><plist><true/></plist></plist>", .misplacedElement),
      ("<plist><key>a</key></plist>", .misplacedElement),
      ("<plist><array><key>a</key></array></plist>", .misplacedElement),
      ("<plist><string><true/></string></plist>", .misplacedElement),
      ("<plist><nothing/></plist>", .unknownElement),
      ("<html></html>", .unknownElement),
      ("<plist></plist>", .missingValue),
      ("<plist/>", .missingValue),
      ("<plist><dict><key>a</key></dict></plist>", .missingValue),
      ("<plist><dict><true/></dict></plist>", .missingValue),
      ("<plist><dict><key>a</key><key>b</key></dict></plist>", .missingValue),
      ("<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>", .duplicateKey),
      ("<plist>text<true/></plist>", .misplacedText),
      ("<plist><array>text</array></plist>", .misplacedText),
      ("<plist><true/></plist>text", .trailingContent),
      ("<plist><true/></plist><plist/>", .trailingContent),
      ("<plist><true/>", .truncated),
      ("<plist><string>a", .truncated),
      ("<plist><!-- a", .truncated),
      ("<plist><string><![CDATA[a</string></plist>", .truncated),
      ("<plist", .truncated),
      ("<plist a=\"", .truncated),
      ("<!DOCTYPE plist", .truncated),
      ("<?xml version=\"1.0\"", .truncated),
      ("<plist<true/></plist>", .malformedMarkup),
      ("< plist><true/></plist>", .malformedMarkup),
      ("<plist><true/ ></plist>", .malformedMarkup),
      ("<plist><true/></plist a=\"b\">", .malformedMarkup),
      ("<plist><![CDATA[a]]></plist>", .malformedMarkup),
      ("<>", .malformedMarkup),
      ("<", .malformedMarkup),
    ]
    for (text, problem) in wrong { #expect(outcome(xml: text).problem == problem, "\(text)") }
  }

  @Test("Values that are not of their kind are refused") func valuesThatAreNotOfTheirKindAreRefused() {
    for text in ["", " ", "1 2", "1.5", "0x", "--1", "1_000", "١", "0xG", "x"] {
      #expect(read("<integer>\(text)</integer>").problem == .malformedValue, "\(text)")
    }
    for text in ["18446744073709551616", "-9223372036854775809", "0x10000000000000000"] {
      #expect(read("<integer>\(text)</integer>").problem == .numberOutOfRange, "\(text)")
    }
    for text in ["", "1,5", "0x1p3", "nan(1)", "1e", "e5", "1 2"] {
      #expect(read("<real>\(text)</real>").problem == .malformedValue, "\(text)")
    }
    for text in ["A", "AA", "AAA", "AA=", "A===", "AB==", "AAB=", "AAAA=", "AA==AA==", "AA-_", "AAA\u{E9}"] {
      #expect(read("<data>\(text)</data>").problem == .malformedValue, "\(text)")
    }
    for text in [
      "", "2026-11-21", "2026-11-21T19:30:00", "2026-11-21 19:30:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
      "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z",
      "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+01",
      "+026-01-01T00:00:00Z",
    ] { #expect(read("<date>\(text)</date>").problem == .malformedValue, "\(text)") }
    #expect(read("<true>x</true>").problem == .malformedValue)
    #expect(read("<integer/>").problem == .malformedValue)
  }

  @Test("Other encodings and bytes that are no text are refused") func otherEncodingsAndBytesThatAreNoTextAreRefused() {
    #expect(outcome(xml: "<?xml version=\"1.0\" encoding='ISO-8859-1'?><true/>").problem == .unsupportedEncoding)
    #expect(outcome(xml: "<?xml version=\"1.0\" encoding ?><true/>").problem == .unsupportedEncoding)
    #expect(outcome(xml: "<?xml version=\"1.0\" encoding=\"utf-8\"?><true/>") == .success(.boolean(true)))
    #expect(outcome([0xFF, 0xFE, 0x3C, 0x00]).problem == .unsupportedEncoding)
    #expect(outcome([0xFE, 0xFF, 0x00, 0x3C]).problem == .unsupportedEncoding)
    let broken = Array("<plist>\n<string>".utf8) + [0xC3, 0x28] + Array("</string></plist>".utf8)
    #expect(outcome(broken).problem == .invalidText)
    #expect(outcome(broken).place == .line(2, column: 9))
    #expect(read("<string>\u{0}</string>").problem == .forbiddenCharacter)
    #expect(read("<string>\u{1B}</string>").problem == .forbiddenCharacter)
    #expect(read("<string>\u{FFFF}</string>").problem == .forbiddenCharacter)
    #expect(read("<string>\u{7F}\u{FFFD}</string>") == .success(.string("\u{7F}\u{FFFD}")))
    #expect(outcome(xml: "{ a = b; }").problem == .unknownFormat)
    #expect(outcome(xml: "   ").problem == .unknownFormat)
  }

  @Test("Every length too short is refused") func everyLengthTooShortIsRefused() {
    let whole = Array("<plist><dict><key>a</key><array><data>AQ==</data></array></dict></plist>".utf8)
    for length in 0..<whole.count { #expect(outcome(Array(whole.prefix(length))).problem != nil, "\(length)") }
  }

  @Test("Limits hold") func limitsHold() {
    let deep = String(repeating: "<array>", count: 65) + String(repeating: "</array>", count: 65)
    #expect(read(deep).problem == .tooDeep(limit: 64))
    #expect(read(String(repeating: "<array>", count: 100_000)).problem == .tooDeep(limit: 64))
    let list = "<array><true/><true/></array>"
    #expect(outcome(xml: list, limits: PropertyListLimits(objects: 2)).problem == .tooManyObjects(limit: 2))
    #expect(outcome(xml: list, limits: PropertyListLimits(objects: 3)).problem == nil)
    #expect(outcome(xml: list, limits: PropertyListLimits(bytes: 28)).problem == .tooLarge(limit: 28))
  }

  @Test("Errors name line and column, and nothing of the content") func errorsNameLineAndColumnAndNothingOfTheContent()
  {
    let result = outcome(xml: "<plist>\n <dict>\n  <secret/>\n</dict></plist>")
    #expect(result.place == .line(3, column: 3))
    guard case .failure(let error) = result else { return #expect(Bool(false)) }
    #expect(error.description == "Property lists have no such element (line 3, column 3)")
  }
}
