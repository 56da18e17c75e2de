import Foundation
import LatchkeyCommandLine
import Testing

@testable import latchkey

@Suite struct ExploreVocabularyTests {
  private static func device(_ name: String?) -> Advertisement {
    Advertisement(
      identifier: UUID(), name: name, rssi: -50, services: [], manufacturerData: nil, isConnectable: true)
  }

  @Test("Commands are completed at the start of a line") func commands() {
    let vocabulary = ExploreVocabulary()
    #expect(vocabulary.complete("s").candidates == ["send ", "services ", "subscribe "])
    #expect(vocabulary.complete("  con") == LineEditor.Completion(word: "con", candidates: ["connect "]))
    #expect(vocabulary.complete("x").candidates.isEmpty)
  }

  @Test("connect is completed by names with their blanks; one that steers a terminal by the identifier") func devices()
  {
    let vocabulary = ExploreVocabulary()
    let hostile = Self.device("Lamp\u{1B}[2J")
    vocabulary.learn([Self.device("Lamp in the hall"), hostile, Self.device("Lantern"), Self.device("")])
    #expect(vocabulary.complete("connect la").candidates == ["Lamp in the hall", "Lantern"])
    #expect(vocabulary.complete("connect Lamp in t").word == "Lamp in t")
    #expect(vocabulary.complete("connect \(hostile.identifier)").candidates == [hostile.identifier.uuidString])
    #expect(!vocabulary.complete("connect ").candidates.contains { $0.contains("\u{1B}") })
    #expect(vocabulary.complete("read la").candidates.isEmpty)
  }

  @Test("A filter of names takes a part in either case, one of signals the weakest") func filters() {
    let filter = DeviceFilter(name: "LAMP", rssi: -50)
    #expect(filter.hasName(Self.device("my lamp")))
    #expect(!filter.hasName(Self.device("lantern")))
    #expect(!filter.hasName(Self.device(nil)))
    #expect(filter.isNear(Self.device("x")))
    #expect(!DeviceFilter(name: nil, rssi: -49).isNear(Self.device("x")))
    let unknown = Advertisement(
      identifier: UUID(), name: nil, rssi: 127, services: [], manufacturerData: nil, isConnectable: nil)
    #expect(!filter.isNear(unknown))
    #expect(DeviceFilter(name: nil, rssi: nil).isNear(unknown))
    #expect(DeviceFilter(name: nil, rssi: nil).hasName(unknown))
  }

  @Test("Services and companies have their names, in lines and in JSON") func names() {
    let device = Advertisement(
      identifier: UUID(), name: "x", rssi: -50, services: ["180D", "F200"], manufacturerData: [0x4C, 0, 1],
      isConnectable: true)
    #expect(device.line.hasSuffix("services 180D (Heart Rate) F200  manufacturer 4c0001 (Apple, Inc.)"))
    let json = device.fields.map { "\($0.key)=\($0.value.encoded)" }
    #expect(json.contains("serviceNames=[\"Heart Rate\",null]"))
    #expect(json.contains("company=76") && json.contains("companyName=\"Apple, Inc.\""))
  }
}
