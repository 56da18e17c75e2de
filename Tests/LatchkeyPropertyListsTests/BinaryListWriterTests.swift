import Foundation
import LatchkeyByteCoding
import LatchkeyPropertyLists
import Testing

@Suite struct BinaryListWriterTests {
  @Test("The bytes are those of Python's plistlib") func theBytesAreThoseOfPythonsPlistlib() throws {
    #expect(Hexadecimal.encode(try Golden.texts.binary()) == Golden.pythonTexts)
    #expect(Hexadecimal.encode(try Golden.mixture.binary()) == Golden.pythonMixture)
    #expect(Hexadecimal.encode(try Golden.longValues.binary()) == Golden.pythonLongValues)
    #expect(Hexadecimal.encode(try PropertyList.array(Golden.integers).binary()) == Golden.pythonIntegers)
    let references: [PropertyList] = [.uid(0), .uid(255), .uid(256), .uid(65536)]
    #expect(Hexadecimal.encode(try PropertyList.array(references).binary()) == Golden.pythonReferences)
  }

  @Test("The bytes are those of Foundation") func theBytesAreThoseOfFoundation() throws {
    #expect(Hexadecimal.encode(try Golden.foundation.binary()) == Golden.foundationMixture)
  }

  @Test("Foundation reads what is written") func foundationReadsWhatIsWritten() throws {
    for list in [Golden.texts, Golden.mixture, Golden.longValues, Golden.foundation] {
      let theirs = try PropertyListSerialization.propertyList(from: Data(try list.binary()), format: nil)
      let back = try PropertyListSerialization.data(fromPropertyList: theirs, format: .binary, options: 0)
      #expect(try PropertyList(parsing: Array(back)) == list)
    }
  }

  @Test("Equal scalars are stored once, texts that only look alike are not")
  func equalScalarsAreStoredOnceTextsThatOnlyLookAlikeAreNot() throws {
    let once = try PropertyList.array([.string("word")]).binary()
    let twice = try PropertyList.array([.string("word"), .string("word")]).binary()
    #expect(twice.count == once.count + 1)
    // A composed and a decomposed é are equal to Swift, and other bytes.
    let bytes = try PropertyList.array([.string("\u{E9}"), .string("e\u{301}")]).binary()
    guard case .array(let back) = try PropertyList(parsing: bytes), case .string(let first) = back.first,
      case .string(let last) = back.last
    else { return #expect(Bool(false)) }
    #expect(Array(first.utf8) == [0xC3, 0xA9])
    #expect(Array(last.utf8) == [0x65, 0xCC, 0x81])
    // Zero and minus zero, too.
    let zeros = try PropertyList(parsing: PropertyList.array([.real(0), .real(-0.0)]).binary())
    guard case .array(let values) = zeros, case .real(let minus) = values.last else { return #expect(Bool(false)) }
    #expect(minus.sign == .minus)
  }

  @Test("A small number as unsigned comes back as integer") func aSmallNumberAsUnsignedComesBackAsInteger() throws {
    #expect(try PropertyList(parsing: PropertyList.unsigned(7).binary()) == .integer(7))
  }

  @Test("References of two bytes come back") func referencesOfTwoBytesComeBack() throws {
    let list = PropertyList.array((0..<300).map { .string("text \($0)") })
    #expect(try PropertyList(parsing: list.binary()) == list)
  }

  @Test("Input that exceeds a limit is refused") func inputThatExceedsALimitIsRefused() throws {
    #expect(throws: PropertyListError(.tooDeep(limit: 64), at: .whole)) { try nested(65).binary() }
    #expect(throws: Never.self) { try PropertyList(parsing: nested(64).binary()) }
    let data = PropertyList.data(Array(repeating: 0, count: 100))
    #expect(throws: PropertyListError(.tooLarge(limit: 99), at: .whole)) {
      try data.binary(limits: PropertyListLimits(bytes: 99))
    }
    // The bytes suffice, the header and the trailer are too much.
    #expect(throws: PropertyListError(.tooLarge(limit: 110), at: .whole)) {
      try data.binary(limits: PropertyListLimits(bytes: 110))
    }
    #expect(throws: PropertyListError(.tooManyObjects(limit: 2), at: .whole)) {
      try PropertyList.array([.integer(1), .integer(2)]).binary(limits: PropertyListLimits(objects: 2))
    }
  }
}
