import LatchkeyByteCoding
import LatchkeyPropertyLists
import Testing

@Suite struct BinaryListReaderTests {
  /// Made by Python's plistlib.
  @Test("Every size of integer is read") func everySizeOfIntegerIsRead() throws {
    let bytes = try Hexadecimal.decode(Golden.pythonIntegers)
    #expect(try PropertyList(parsing: bytes) == .array(Golden.integers))
  }

  @Test("A golden list of each maker is read") func aGoldenListOfEachMakerIsRead() throws {
    #expect(try PropertyList(parsing: Hexadecimal.decode(Golden.pythonTexts)) == Golden.texts)
    #expect(try PropertyList(parsing: Hexadecimal.decode(Golden.pythonMixture)) == Golden.mixture)
    #expect(try PropertyList(parsing: Hexadecimal.decode(Golden.pythonLongValues)) == Golden.longValues)
    #expect(
      try PropertyList(parsing: Hexadecimal.decode(Golden.pythonReferences))
        == .array([.uid(0), .uid(255), .uid(256), .uid(65536)]))
    #expect(try PropertyList(parsing: Hexadecimal.decode(Golden.foundationMixture)) == Golden.foundation)
  }

  @Test("Sets are read as arrays") func setsAreReadAsArrays() throws {
    for marker in ["a2", "b2", "c2"] {
      let list = HandMadeList("\(marker)0102", "1007", "09")
      #expect(try outcome(list) == .success(.array([.integer(7), .boolean(true)])))
    }
  }

  @Test("A small real, wide references and a root in the middle are read")
  func aSmallRealWideReferencesAndARootInTheMiddleAreRead() throws {
    #expect(try outcome(HandMadeList("223fc00000")) == .success(.real(1.5)))
    #expect(
      try outcome(HandMadeList("a10001", "08").with { $0.referenceSize = 2 }) == .success(.array([.boolean(false)])))
    #expect(try outcome(HandMadeList("08", "09", "1001").with { $0.top = 1 }) == .success(.boolean(true)))
    #expect(try outcome(HandMadeList("09").with { $0.offsetSize = 8 }) == .success(.boolean(true)))
    // A negative number in 16 bytes.
    #expect(try outcome(HandMadeList("14ffffffffffffffffffffffffffffffff")) == .success(.integer(-1)))
  }

  @Test("Every length too short is refused") func everyLengthTooShortIsRefused() throws {
    let whole = try Hexadecimal.decode(Golden.pythonMixture)
    for length in 0..<whole.count {
      #expect(outcome(Array(whole.prefix(length))).problem != nil, "\(length)")
    }
    #expect(outcome(Array(whole.prefix(7))).problem == .truncated)
    #expect(outcome([]).problem == .unknownFormat)
    #expect(outcome(whole + [0]).problem == .badTrailer)
  }

  @Test("Every byte changed is read or refused, and never ends the program")
  func everyByteChangedIsReadOrRefusedAndNeverEndsTheProgram() throws {
    let whole = try Hexadecimal.decode(Golden.pythonMixture)
    for offset in whole.indices {
      for change: UInt8 in [0x01, 0x0F, 0x10, 0x80, 0xFF] {
        var bytes = whole
        bytes[offset] ^= change
        _ = outcome(bytes)
      }
    }
  }

  @Test("Another version is refused") func anotherVersionIsRefused() throws {
    let list = HandMadeList("09")
    #expect(try outcome(list.with { $0.header = "62706c6973743135" }).problem == .unsupportedVersion)
    #expect(try outcome(list.with { $0.header = "62706c6973743135" }).place == .byte(6))
  }

  @Test("A trailer that does not fit the file is refused") func aTrailerThatDoesNotFitTheFileIsRefused() throws {
    let list = HandMadeList("a101", "09")
    let wrong: [(inout HandMadeList) -> Void] = [
      { $0.top = 2 }, { $0.top = .max }, { $0.count = 0 }, { $0.count = 1 }, { $0.count = 3 }, { $0.count = .max },
      { $0.tableOffset = 0 }, { $0.tableOffset = 8 }, { $0.tableOffset = 12 }, { $0.tableOffset = .max },
      { $0.referenceSize = 0 }, { $0.referenceSize = 9 }, { $0.offsetSize = 0 }, { $0.offsetSize = 9 },
    ]
    for (index, change) in wrong.enumerated() {
      #expect(try outcome(list.with(change)).problem == .badTrailer, "\(index)")
    }
  }

  @Test("An offset that leads elsewhere is refused with its object")
  func anOffsetThatLeadsElsewhereIsRefusedWithItsObject() throws {
    let list = HandMadeList("a101", "09")
    for wrong: UInt8 in [0, 7, 11, 12, 255] {
      let result = try outcome(list.with { $0.offsets = [1: wrong] })
      #expect(result.problem == .badOffset)
      #expect(result.place == .object(1, byte: 12))
    }
  }

  @Test("A reference to no object is refused with its object") func aReferenceToNoObjectIsRefusedWithItsObject() throws
  {
    let result = try outcome(HandMadeList("a102", "09"))
    #expect(result.problem == .badReference)
    #expect(result.place == .object(0, byte: 8))
  }

  @Test("Objects that contain themselves are refused") func objectsThatContainThemselvesAreRefused() throws {
    #expect(try outcome(HandMadeList("a100")).problem == .cycle)
    #expect(try outcome(HandMadeList("a101", "a102", "a100")).problem == .cycle)
    #expect(try outcome(HandMadeList("d10100", "5161")).problem == .cycle)
    #expect(try outcome(HandMadeList("d10001", "5161")).problem == .cycle)
  }

  @Test("Content past the objects' end is refused") func contentPastTheObjectsEndIsRefused() throws {
    for object in [
      "51", "5261", "4261", "11ff", "12ffff", "13ff", "14ff", "22ff", "23ff", "33ff", "a2", "d1", "6161", "81ff", "5f",
      "5f10", "5f1001", "4f13",
    ] {
      #expect(try outcome(HandMadeList(object)).problem == .truncated, "\(object)")
    }
    // 2^62 texts, references and units: no memory is asked for.
    for kind in ["4f", "5f", "6f", "af", "cf", "df"] {
      #expect(try outcome(HandMadeList("\(kind)134000000000000000")).problem == .truncated, "\(kind)")
      #expect(try outcome(HandMadeList("\(kind)137fffffffffffffff")).problem == .truncated, "\(kind)")
    }
  }

  @Test("A length that is negative, huge or no integer is refused") func aLengthThatIsNegativeHugeOrNoIntegerIsRefused()
    throws
  {
    #expect(try outcome(HandMadeList("4f13ffffffffffffffff")).problem == .numberOutOfRange)
    #expect(try outcome(HandMadeList("4f140000000000000000ffffffffffffffff")).problem == .numberOutOfRange)
    #expect(try outcome(HandMadeList("4f09")).problem == .unknownMarker(0x09))
    #expect(try outcome(HandMadeList("4f5161")).problem == .unknownMarker(0x51))
  }

  @Test("Markers that the format lacks are refused") func markersThatTheFormatLacksAreRefused() throws {
    for marker: UInt8 in [
      0x00, 0x01, 0x0A, 0x0C, 0x0E, 0x0F, 0x15, 0x1F, 0x20, 0x21, 0x24, 0x30, 0x32, 0x34, 0x70, 0x88, 0x90, 0xE0, 0xF0,
    ] {
      let list = HandMadeList(Hexadecimal.encode([marker]) + String(repeating: "00", count: 40))
      #expect(try outcome(list).problem == .unknownMarker(marker), "\(marker)")
      #expect(try outcome(list).place == .object(0, byte: 8))
    }
  }

  @Test("Texts that are not valid are refused") func textsThatAreNotValidAreRefused() throws {
    #expect(try outcome(HandMadeList("5180")).problem == .invalidText)
    #expect(try outcome(HandMadeList("61d800")).problem == .invalidText)
    #expect(try outcome(HandMadeList("61dc00")).problem == .invalidText)
    #expect(try outcome(HandMadeList("62dc00d800")).problem == .invalidText)
    #expect(try outcome(HandMadeList("62d83dde00")) == .success(.string("😀")))
  }

  @Test("Numbers that no type holds are refused") func numbersThatNoTypeHoldsAreRefused() throws {
    #expect(try outcome(HandMadeList("1400000000000000010000000000000000")).problem == .numberOutOfRange)
    #expect(try outcome(HandMadeList("14ffffffffffffffff7fffffffffffffff")).problem == .numberOutOfRange)
    #expect(try outcome(HandMadeList("840100000000")).problem == .numberOutOfRange)
    #expect(try outcome(HandMadeList("8700000000ffffffff")) == .success(.uid(.max)))
  }

  @Test("Dictionaries with keys that are no texts, or twice, are refused")
  func dictionariesWithKeysThatAreNoTextsOrTwiceAreRefused() throws {
    #expect(try outcome(HandMadeList("d10101", "1001")).problem == .keyIsNoText)
    #expect(try outcome(HandMadeList("d201010202", "5161", "09")).problem == .duplicateKey)
    #expect(try outcome(HandMadeList("d201020303", "5161", "5161", "09")).problem == .duplicateKey)
  }

  @Test("Objects that share their bytes to hold more than the file are refused")
  func objectsThatShareTheirBytesToHoldMoreThanTheFileAreRefused() throws {
    // Each data of 100 bytes begins inside the one before.
    let contents = String(repeating: "4f1064", count: 20) + String(repeating: "00", count: 100)
    var list = HandMadeList("af1014" + (1...20).map { Hexadecimal.encode([$0]) }.joined(), contents)
    for index in 2...20 { list.objects.append(""); list.offsets[index] = UInt8(31 + 3 * (index - 1)) }
    #expect(try outcome(list).problem == .overlappingObjects)
  }

  @Test("A small list that stands for an enormous one is refused") func aSmallListThatStandsForAnEnormousOneIsRefused()
    throws
  {
    // Each array holds the next 8 times: 8^20 texts.
    var list = HandMadeList()
    for level in 1...20 { list.objects.append("a8" + String(repeating: Hexadecimal.encode([UInt8(level)]), count: 8)) }
    list.objects.append("5161")
    let result = try outcome(list)
    #expect(result.problem == .expandsTooFar(limit: 64 << 20))
  }

  @Test("Nesting deeper than the limit is refused, also through an object that was read before")
  func nestingDeeperThanTheLimitIsRefused() throws {
    let limits = PropertyListLimits(depth: 3)
    #expect(outcome(try nested(3).binary(), limits: limits) == .success(nested(3)))
    #expect(outcome(try nested(4).binary(), limits: limits).problem == .tooDeep(limit: 3))
    // The root refers to an array two deep, then to an array that holds it: three and four deep.
    #expect(try outcome(HandMadeList("a20103", "a102", "a0", "a101"), limits: limits).problem == .tooDeep(limit: 3))
  }

  @Test("More objects or bytes than the limit are refused") func moreObjectsOrBytesThanTheLimitAreRefused() throws {
    let bytes = try HandMadeList("a20102", "08", "09").bytes
    #expect(outcome(bytes, limits: PropertyListLimits(objects: 2)).problem == .tooManyObjects(limit: 2))
    #expect(outcome(bytes, limits: PropertyListLimits(objects: 3)).problem == nil)
    #expect(
      outcome(bytes, limits: PropertyListLimits(bytes: bytes.count - 1)).problem == .tooLarge(limit: bytes.count - 1))
    #expect(outcome(bytes, limits: PropertyListLimits(bytes: bytes.count)).problem == nil)
  }

  @Test("An error names the object and its byte, and nothing of the content")
  func anErrorNamesTheObjectAndItsByteAndNothingOfTheContent() throws {
    guard case .failure(let error) = try outcome(HandMadeList("d10101", "1001")) else { return #expect(Bool(false)) }
    #expect(error.description == "A dictionary's key is not a text (object 0 at byte 8)")
  }
}
