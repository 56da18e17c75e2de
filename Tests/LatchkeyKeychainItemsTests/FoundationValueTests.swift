import Foundation
import LatchkeyPropertyLists
import Testing

@testable import LatchkeyKeychainItems

@Suite struct FoundationValueTests {
  private func list(_ value: Any) throws -> PropertyList { try FoundationValue.list(value) }

  @Test("Swift's and Foundation's values are the same lists") func swiftsAndFoundationsValuesAreTheSameLists() throws {
    #expect(try list("a") == .string("a"))
    #expect(try list(NSString("a")) == .string("a"))
    #expect(try list(NSMutableString(string: "a")) == .string("a"))
    #expect(try list("abc".dropFirst().description) == .string("bc"))
    #expect(try list(Data([1])) == .data([1]))
    #expect(try list(NSMutableData(data: Data([1]))) == .data([1]))
    #expect(try list(Date(timeIntervalSinceReferenceDate: 2)) == .date(2))
    #expect(try list(NSDate(timeIntervalSinceReferenceDate: 2)) == .date(2))
    #expect(try list([1, "a"] as [Any]) == .array([.integer(1), .string("a")]))
    #expect(try list([1, 2]) == .array([.integer(1), .integer(2)]))
    #expect(try list(NSArray(array: ["a"])) == .array([.string("a")]))
    #expect(try list(["k": 1]) == .dictionary(["k": .integer(1)]))
    #expect(try list(NSMutableDictionary(dictionary: ["k": "v"])) == .dictionary(["k": .string("v")]))
    #expect(
      try list(["k": ["l": [true]]] as [String: Any])
        == .dictionary(["k": .dictionary(["l": .array([.boolean(true)])])]))
  }

  @Test("Numbers and Booleans are not confused") func numbersAndBooleansAreNotConfused() throws {
    #expect(try list(true) == .boolean(true))
    #expect(try list(NSNumber(value: false)) == .boolean(false))
    #expect(try list(1) == .integer(1))
    #expect(try list(NSNumber(value: 1)) == .integer(1))
    #expect(try list(UInt8(0)) == .integer(0))
    #expect(try list(Int64.min) == .integer(.min))
    #expect(try list(UInt64.max) == .unsigned(.max))
    #expect(try list(NSNumber(value: UInt64.max)) == .unsigned(.max))
    #expect(try list(NSNumber(value: UInt64(7))) == .integer(7))
    #expect(try list(1.0) == .real(1))
    #expect(try list(Float(0.5)) == .real(0.5))
    #expect(try list(NSNumber(value: 1.0)) == .real(1))
    #expect(try list(Optional(5) as Any) == .integer(5))
  }

  @Test("A value that no property list can hold is refused") func aValueThatNoPropertyListCanHoldIsRefused() {
    let none: Int? = nil
    var deep: Any = "end"
    for _ in 0..<100_000 { deep = [deep] }
    for value: Any in [
      NSNull(), none as Any, URL(fileURLWithPath: "/"), Set([1]), ["k": NSNull()] as [String: Any], [1: "a"],
      NSObject(),
      [none as Any], deep,
    ] {
      #expect(throws: KeychainItemError.notAPropertyList) { try FoundationValue.list(value) }
    }
    // Releases the deep one level by level; otherwise it would need as much stack as it has levels.
    while let inner = deep as? [Any], let next = inner.first { deep = next }
  }

  @Test("Lists come back as Swift values") func listsComeBackAsSwiftValues() throws {
    let values: [String: Any] = [
      "s": "a", "d": Data([1]), "i": 5, "u": UInt64.max, "r": 0.5, "b": true,
      "t": Date(timeIntervalSinceReferenceDate: 1), "a": [1, [String: Any]()] as [Any],
    ]
    let back = try #require(try FoundationValue.value(FoundationValue.list(values)) as? [String: Any])
    #expect(back["s"] as? String == "a")
    #expect(back["d"] as? Data == Data([1]))
    #expect(back["i"] as? Int == 5)
    #expect(back["u"] as? UInt64 == .max)
    #expect(back["r"] as? Double == 0.5)
    #expect(back["b"] as? Bool == true)
    #expect(back["t"] as? Date == Date(timeIntervalSinceReferenceDate: 1))
    #expect((back["a"] as? [Any])?.count == 2)
    #expect(throws: KeychainItemError.self) { try FoundationValue.value(.uid(1)) }
  }
}

@Suite struct StoredValueTests {
  @Test("Both forms are read, and XML") func bothFormsAreReadAndXML() throws {
    let list = PropertyList.dictionary(["name": .string("王尼玛")])
    for form in [KeyChainManager.Form.propertyList, .keyedArchive] {
      #expect(try StoredValue.decode(StoredValue.encode(list, as: form)) == list)
    }
    #expect(try StoredValue.decode(list.xml()) == list)
    #expect(try StoredValue.encode(list, as: .propertyList).starts(with: "bplist00".utf8))
  }

  @Test("A list that looks like an archive comes back as it is") func aListThatLooksLikeAnArchiveComesBackAsItIs()
    throws
  {
    let list = PropertyList.dictionary([
      "$archiver": .string("NSKeyedArchiver"), "$objects": .array([]), "$version": .integer(100_000),
    ])
    #expect(try StoredValue.decode(StoredValue.encode(list, as: .propertyList)) == list)
  }

  @Test("Archives of other classes, and bytes of other kinds, are unreadable with the reason")
  func archivesOfOtherClassesAndBytesOf() throws {
    let archive = try NSKeyedArchiver.archivedData(withRootObject: NSUUID(), requiringSecureCoding: true)
    for bytes in [Array(archive), [], [1, 2, 3], Array("{}".utf8), Array("bplist00".utf8)] {
      #expect {
        try StoredValue.decode(bytes)
      } throws: { error in
        guard case .unreadable(let reason)? = error as? KeychainItemError else { return false }
        return !reason.isEmpty
      }
    }
  }
}

@Suite struct CodableValueTests {
  private struct Profile: Codable, Equatable {
    var name: String
    var age: Int?
    var tags: [String]
    var photo: Data
    var born: Date
    var score: Double
    var isMember: Bool
    var large: UInt64
  }

  private func back<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
    try CodableValue.decode(Value.self, from: try CodableValue.encode(value)) == value
  }

  @Test("Values come back, scalars among them") func valuesComeBackScalarsAmongThem() throws {
    let profile = Profile(
      name: "王尼玛", age: nil, tags: ["a", "b"], photo: Data([1, 2]), born: Date(timeIntervalSinceReferenceDate: 1.5),
      score: 0.25, isMember: true, large: .max)
    #expect(try back(profile))
    #expect(try back("text"))
    #expect(try back(5))
    #expect(try back(UInt64.max))
    #expect(try back(0.5))
    #expect(try back(true))
    #expect(try back([1, 2, 3]))
    #expect(try back(["a": ["b": 1]]))
    #expect(try back(Data([1, 2, 3])))
    #expect(try back(Date(timeIntervalSinceReferenceDate: 7)))
    #expect(try back(Optional<Int>.none))
  }

  @Test("They are plain property lists") func theyArePlainPropertyLists() throws {
    #expect(try PropertyList(binary: Array(try CodableValue.encode(["a": 1]))) == .dictionary(["a": .integer(1)]))
    #expect(try PropertyList(binary: Array(try CodableValue.encode("a"))) == .string("a"))
  }

  @Test("Another type is not decodable, other bytes are unreadable")
  func anotherTypeIsNotDecodableOtherBytesAreUnreadable() throws {
    let data = try CodableValue.encode(["a": "secret"])
    #expect(throws: KeychainItemError.notDecodable(type: "Int")) { try CodableValue.decode(Int.self, from: data) }
    #expect(throws: KeychainItemError.notDecodable(type: "Profile")) {
      try CodableValue.decode(Profile.self, from: data)
    }
    #expect(throws: KeychainItemError.self) { try CodableValue.decode(Int.self, from: Data([1, 2])) }
    #expect(throws: KeychainItemError.notEncodable(type: "Refusing")) { try CodableValue.encode(Refusing()) }
  }

  private struct Refusing: Encodable {
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue("secret", .init(codingPath: [], debugDescription: "secret"))
    }
  }
}
