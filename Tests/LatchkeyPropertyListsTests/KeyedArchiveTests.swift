import Foundation
import LatchkeyByteCoding
import Testing

@testable import LatchkeyPropertyLists

@Suite struct KeyedArchiveReaderTests {
  @Test("Archives that Foundation made are read") func archivesThatFoundationMadeAreRead() throws {
    #expect(
      try KeyedArchive.read(Hexadecimal.decode(Golden.archivedDictionary)) == .dictionary(["name": .string("王尼玛")]))
    #expect(
      try KeyedArchive.read(Hexadecimal.decode(Golden.archivedArray))
        == .array([.date(12.5), .data([7]), .string("m"), .boolean(true)]))
  }

  @Test("Archives of this system's archiver are read") func archivesOfThisSystemsArchiverAreRead() throws {
    // No 1 beside the true: this archiver stores numbers that are equal once, truth values among them.
    let value: [String: Any] = [
      "password": "12345", "name": NSMutableString(string: "王尼玛"), "count": 5, "share": 1.5, "is": true,
      "data": Data([1, 2]), "mutable": NSMutableData(data: Data([9])),
      "date": Date(timeIntervalSinceReferenceDate: 7.5),
      "list": NSMutableArray(array: ["a", 2]), "set": NSSet(array: ["q"]), "empty": [String: Any](),
      "inner": NSMutableDictionary(dictionary: ["k": "v"]), "null": "$null", "large": NSNumber(value: UInt64.max),
    ]
    let bytes = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    guard case .dictionary(let read) = try KeyedArchive.read(Array(bytes)) else { return #expect(Bool(false)) }
    let expected: [String: PropertyList] = [
      "password": .string("12345"), "name": .string("王尼玛"), "count": .integer(5), "share": .real(1.5),
      "is": .boolean(true), "data": .data([1, 2]), "mutable": .data([9]), "date": .date(7.5),
      "list": .array([.string("a"), .integer(2)]), "set": .array([.string("q")]), "empty": .dictionary([:]),
      "inner": .dictionary(["k": .string("v")]), "null": .string("$null"), "large": .unsigned(.max),
    ]
    #expect(read.count == expected.count)
    for (key, value) in expected { #expect(read[key] == value, "\(key)") }
  }

  @Test("Null and foreign classes are refused by name") func nullAndForeignClassesAreRefusedByName() throws {
    #expect(throws: KeyedArchiveError.null(object: 2)) {
      try KeyedArchive.read(Hexadecimal.decode(Golden.archivedNull))
    }
    #expect(throws: KeyedArchiveError.foreignClass("NSURL", object: 1)) {
      try KeyedArchive.read(Hexadecimal.decode(Golden.archivedURL))
    }
  }

  /// An archive of these objects after `$null`, the first of them the root.
  private func archive(
    _ objects: PropertyList..., root: UInt32 = 1, change: (inout [String: PropertyList]) -> Void = { _ in }
  ) throws -> [UInt8] {
    var list: [String: PropertyList] = [
      "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
      "$top": .dictionary(["root": .uid(root)]), "$objects": .array([.string("$null")] + objects),
    ]
    change(&list)
    return try PropertyList.dictionary(list).binary()
  }

  private func named(_ name: String) -> PropertyList {
    .dictionary(["$classname": .string(name), "$classes": .array([.string(name), .string("NSObject")])])
  }

  private func array(_ members: UInt32..., of description: UInt32) -> PropertyList {
    .dictionary(["NS.objects": .array(members.map { .uid($0) }), "$class": .uid(description)])
  }

  private func dictionary(_ keys: [UInt32], _ members: [UInt32], of description: UInt32) -> PropertyList {
    .dictionary([
      "NS.keys": .array(keys.map { .uid($0) }), "NS.objects": .array(members.map { .uid($0) }),
      "$class": .uid(description),
    ])
  }

  private func refusal(_ bytes: [UInt8], limits: PropertyListLimits = .standard) -> KeyedArchiveError? {
    do throws(KeyedArchiveError) {
      _ = try KeyedArchive.read(bytes, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  @Test("Old forms of texts, data, dates and numbers are read") func oldFormsOfTextsDataDatesAndNumbersAreRead() throws
  {
    func read(_ name: String, _ content: [String: PropertyList], _ more: PropertyList...) throws -> PropertyList {
      var content = content
      content["$class"] = .uid(2)
      let objects = [PropertyList.string("$null"), .dictionary(content), named(name)] + more
      return try KeyedArchive.read(archive { $0["$objects"] = .array(objects) })
    }
    #expect(try read("NSMutableString", ["NS.string": .string("a")]) == .string("a"))
    #expect(try read("NSString", ["NS.bytes": .data([0xC3, 0xA9])]) == .string("é"))
    #expect(try read("NSMutableString", ["NS.string": .uid(3)], .string("a")) == .string("a"))
    #expect(try read("NSMutableData", ["NS.data": .data([1])]) == .data([1]))
    #expect(try read("NSData", ["NS.data": .uid(3)], .data([1])) == .data([1]))
    #expect(try read("NSDate", ["NS.time": .real(1.5)]) == .date(1.5))
    #expect(try read("NSDate", ["NS.time": .integer(2)]) == .date(2))
    #expect(try read("NSDate", ["NS.time": .uid(3)], .real(1.5)) == .date(1.5))
    #expect(try read("NSNumber", ["NS.intval": .integer(7)]) == .integer(7))
    #expect(try read("NSNumber", ["NS.boolval": .boolean(true)]) == .boolean(true))
    #expect(try read("NSNumber", ["NS.dblval": .real(0.5)]) == .real(0.5))
    #expect(try read("NSOrderedSet", ["NS.objects": .array([])]) == .array([]))
  }

  @Test("An archive in XML is read") func anArchiveInXMLIsRead() throws {
    let list = try PropertyList(parsing: archive(array(2, of: 3), .string("a"), named("NSArray")))
    #expect(try KeyedArchive.read(list.xml()) == .array([.string("a")]))
  }

  @Test("Property lists that are no archives are refused with the part")
  func propertyListsThatAreNoArchivesAreRefusedWithThePart() throws {
    #expect(refusal(try PropertyList.string("a").binary()) == .notAnArchive(part: "the list itself"))
    #expect(refusal(try PropertyList.dictionary([:]).binary()) == .notAnArchive(part: "$archiver"))
    let wrong: [(String, PropertyList?, KeyedArchiveError)] = [
      ("$archiver", nil, .notAnArchive(part: "$archiver")),
      ("$archiver", .string("NSArchiver"), .notAnArchive(part: "$archiver")),
      ("$version", nil, .notAnArchive(part: "$version")),
      ("$version", .string("1"), .notAnArchive(part: "$version")),
      ("$version", .integer(100_001), .unsupportedVersion(100_001)),
      ("$objects", nil, .notAnArchive(part: "$objects")),
      ("$objects", .array([]), .notAnArchive(part: "$objects")),
      ("$objects", .array([.string("first")]), .notAnArchive(part: "$objects")),
      ("$objects", .dictionary([:]), .notAnArchive(part: "$objects")),
      ("$top", nil, .notAnArchive(part: "$top")),
      ("$top", .dictionary([:]), .notAnArchive(part: "$top")),
      ("$top", .dictionary(["root": .integer(1)]), .notAnArchive(part: "$top")),
      ("$top", .dictionary(["root": .uid(2)]), .danglingReference(object: nil)),
      ("$top", .dictionary(["root": .uid(.max)]), .danglingReference(object: nil)),
      ("$top", .dictionary(["root": .uid(0)]), .null(object: 0)),
    ]
    for (key, value, error) in wrong {
      #expect(refusal(try archive(.string("a")) { $0[key] = value }) == error, "\(key)")
    }
    #expect(refusal([]) == .list(PropertyListError(.unknownFormat, at: .byte(0))))
  }

  @Test("Objects that are not as their class needs them are refused")
  func objectsThatAreNotAsTheirClassNeedsThemAreRefused() throws {
    let wrong: [(PropertyList, String, KeyedArchiveError)] = [
      (.dictionary([:]), "NSArray", .malformedObject(1)),
      (.dictionary(["$class": .integer(2)]), "NSArray", .malformedObject(1)),
      (.dictionary(["$class": .uid(9)]), "NSArray", .danglingReference(object: 1)),
      (.dictionary(["$class": .uid(1)]), "NSArray", .malformedObject(1)),
      (.dictionary(["$class": .uid(2)]), "NSArray", .malformedObject(1)),
      (.dictionary(["$class": .uid(2), "NS.objects": .uid(3)]), "NSArray", .malformedObject(1)),
      (.dictionary(["$class": .uid(2), "NS.objects": .array([.integer(3)])]), "NSArray", .malformedObject(1)),
      (array(9, of: 2), "NSArray", .danglingReference(object: 1)),
      (array(0, of: 2), "NSArray", .null(object: 0)),
      (array(1, of: 2), "NSArray", .cycle(object: 1)),
      (dictionary([3], [1], of: 2), "NSDictionary", .cycle(object: 1)),
      (dictionary([3], [], of: 2), "NSDictionary", .malformedObject(1)),
      (dictionary([], [3], of: 2), "NSDictionary", .malformedObject(1)),
      (dictionary([3, 3], [3, 3], of: 2), "NSMutableDictionary", .duplicateKey(object: 1)),
      (dictionary([4], [3], of: 2), "NSDictionary", .keyIsNoText(object: 1)),
      (dictionary([9], [3], of: 2), "NSDictionary", .danglingReference(object: 1)),
      (.dictionary(["$class": .uid(2)]), "NSString", .malformedObject(1)),
      (.dictionary(["$class": .uid(2), "NS.string": .uid(9)]), "NSString", .malformedObject(1)),
      (.dictionary(["$class": .uid(2), "NS.bytes": .data([0xFF])]), "NSString", .malformedObject(1)),
      (.dictionary(["$class": .uid(2), "NS.data": .string("a")]), "NSData", .malformedObject(1)),
      (.dictionary(["$class": .uid(2), "NS.time": .string("a")]), "NSDate", .malformedObject(1)),
      (.dictionary(["$class": .uid(2)]), "NSNumber", .malformedObject(1)),
      (.dictionary(["$class": .uid(2)]), "NSNull", .null(object: 1)),
      (.dictionary(["$class": .uid(2)]), "NSUUID", .foreignClass("NSUUID", object: 1)),
      (.dictionary(["$class": .uid(2)]), "NSArrayController", .foreignClass("NSArrayController", object: 1)),
      (.array([]), "NSArray", .malformedObject(1)),
      (.uid(3), "NSArray", .malformedObject(1)),
    ]
    for (index, (object, name, error)) in wrong.enumerated() {
      #expect(refusal(try archive(object, named(name), .string("a"), .integer(1))) == error, "\(index)")
    }
    let long = String(repeating: "X", count: 1000)
    #expect(
      refusal(try archive(.dictionary(["$class": .uid(2)]), named(long)))
        == .foreignClass(String(long.prefix(64)), object: 1))
  }

  @Test("Depth and expansion have limits") func depthAndExpansionHaveLimits() throws {
    // Array n holds array n + 1; the class stands behind them.
    func chain(_ count: UInt32, times: Int = 1) throws -> [UInt8] {
      var objects: [PropertyList] = [.string("$null")]
      for level in 1...count {
        let members = Array(repeating: PropertyList.uid(level + 1), count: times)
        objects.append(.dictionary(["NS.objects": .array(members), "$class": .uid(count + 2)]))
      }
      objects += [.string("end"), named("NSArray")]
      return try archive { $0["$objects"] = .array(objects) }
    }
    #expect(refusal(try chain(64)) == nil)
    #expect(refusal(try chain(65)) == .tooDeep(limit: 64))
    #expect(refusal(try chain(5000)) == .tooDeep(limit: 64))
    #expect(refusal(try chain(30, times: 2)) == .expandsTooFar(limit: 64 << 20))
  }

  @Test("Depth is counted also through an object that was read before")
  func depthIsCountedAlsoThroughAnObjectThatWasReadBefore() throws {
    // The root holds an array two deep, then an array that holds it: three and four deep.
    let objects = [array(2, 4, of: 5), array(3, of: 5), array(of: 5), array(2, of: 5), named("NSArray")]
    let bytes = try archive { $0["$objects"] = .array([.string("$null")] + objects) }
    #expect(refusal(bytes, limits: PropertyListLimits(depth: 4)) == nil)
    // The table itself is as deep as this: four containers to an array of references.
    let list = try PropertyList(parsing: bytes)
    var reader = try KeyedArchiveReader(list, limits: PropertyListLimits(depth: 3))
    #expect(throws: KeyedArchiveError.tooDeep(limit: 3)) { try reader.root() }
  }

  @Test("Every byte changed is read or refused, and never ends the program")
  func everyByteChangedIsReadOrRefusedAndNeverEndsTheProgram() throws {
    let whole = try Hexadecimal.decode(Golden.archivedArray)
    for offset in whole.indices {
      for change: UInt8 in [0x01, 0x0F, 0x10, 0x80, 0xFF] {
        var bytes = whole
        bytes[offset] ^= change
        _ = refusal(bytes)
      }
    }
    for length in 0..<whole.count { #expect(refusal(Array(whole.prefix(length))) != nil) }
  }
}

@Suite struct KeyedArchiveWriterTests {
  private static let classes: [AnyClass] = [
    NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSData.self, NSDate.self,
  ]

  private static let value = PropertyList.dictionary([
    "password": .string("12345"), "name": .string("王尼玛"), "count": .integer(-5), "share": .real(1.5),
    "is": .boolean(true), "not": .boolean(false), "data": .data([1, 2]), "date": .date(7.5), "same": .string("12345"),
    "list": .array([.integer(-5), .date(1), .dictionary([:]), .array([])]), "large": .unsigned(.max),
  ])

  @Test("Foundation's unarchiver reads what is written") func foundationsUnarchiverReadsWhatIsWritten() throws {
    let bytes = try KeyedArchive.write(Self.value)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.classes, from: Data(bytes)) as? [String: Any])
    #expect(read["password"] as? String == "12345")
    #expect(read["name"] as? String == "王尼玛")
    #expect(read["count"] as? Int == -5)
    #expect(read["share"] as? Double == 1.5)
    #expect(read["is"] as? Bool == true)
    #expect(read["not"] as? Bool == false)
    #expect(read["data"] as? Data == Data([1, 2]))
    #expect(read["date"] as? Date == Date(timeIntervalSinceReferenceDate: 7.5))
    #expect(read["large"] as? UInt64 == .max)
    #expect((read["list"] as? [Any])?.count == 4)
    #expect(read.count == 11)
  }

  @Test("Foundation's unarchiver does not mistake the text for nil")
  func foundationsUnarchiverDoesNotMistakeTheTextForNil() throws {
    let bytes = try KeyedArchive.write(.array([.string("$null")]))
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.classes, from: Data(bytes)) as? [String]
    #expect(read == ["$null"])
  }

  @Test("A written value is read as it was") func aWrittenValueIsReadAsItWas() throws {
    #expect(try KeyedArchive.read(KeyedArchive.write(Self.value)) == Self.value)
    for scalar: PropertyList in [.string(""), .string("$null"), .data([]), .integer(0), .date(0), .array([])] {
      #expect(try KeyedArchive.read(KeyedArchive.write(scalar)) == scalar)
    }
    #expect(try KeyedArchive.read(KeyedArchive.write(nested(64))) == nested(64))
  }

  @Test("The layout is that of Foundation's archiver") func theLayoutIsThatOfFoundationsArchiver() throws {
    let ours = try KeyedArchive.write(.dictionary(["name": .string("王尼玛")]))
    let theirs = try PropertyList(parsing: Hexadecimal.decode(Golden.archivedDictionary))
    #expect(try PropertyList(parsing: ours) == theirs)
  }

  @Test("A value that no archive can hold, or that exceeds a limit, is refused")
  func aValueThatNoArchiveCanHoldOrThatExceedsALimitIsRefused() throws {
    #expect(throws: KeyedArchiveError.notArchivable) { try KeyedArchive.write(.array([.uid(1)])) }
    #expect(throws: KeyedArchiveError.tooDeep(limit: 64)) { try KeyedArchive.write(nested(65)) }
    #expect(throws: KeyedArchiveError.list(PropertyListError(.tooManyObjects(limit: 3), at: .whole))) {
      try KeyedArchive.write(.array([.integer(1), .integer(2), .integer(3)]), limits: PropertyListLimits(objects: 3))
    }
    #expect(throws: KeyedArchiveError.list(PropertyListError(.tooLarge(limit: 99), at: .whole))) {
      try KeyedArchive.write(.data(Array(repeating: 0, count: 100)), limits: PropertyListLimits(bytes: 99))
    }
  }
}
