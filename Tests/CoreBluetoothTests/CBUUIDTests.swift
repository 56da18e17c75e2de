import CoreBluetooth
import Testing

struct CBUUIDTests {
  static let baseForm = "0000180F-0000-1000-8000-00805F9B34FB"
  static let longForm = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"

  @Test(
    "Texts are parsed and printed",
    arguments: [
      ("180F", "180F"), ("180f", "180F"), ("0000180F", "180F"), ("12345678", "12345678"), (baseForm, "180F"),
      (longForm, longForm), (longForm.lowercased(), longForm),
    ])
  func textReadsAndPrints(text: String, printed: String) {
    #expect(CBUUID(string: text).uuidString == printed)
  }

  @Test("The data has the most significant byte first") func dataIsMostSignificantByteFirst() {
    #expect(CBUUID(string: "180F").data == Data([0x18, 0x0F]))
    #expect(CBUUID(data: Data([0x18, 0x0F])) == CBUUID(string: "180F"))
    #expect(CBUUID(data: Data([0x12, 0x34, 0x56, 0x78])).uuidString == "12345678")
    #expect(CBUUID(string: Self.longForm).data.first == 0x6E)
    #expect(CBUUID(string: Self.longForm).data.count == 16)
  }

  @Test("Short and long forms are the same UUID") func shortAndLongFormsAreOneUUID() throws {
    let short = CBUUID(string: "180F")
    let long = CBUUID(string: Self.baseForm)
    #expect(short == long)
    #expect(short.hash == long.hash)
    #expect(Set([short, long]).count == 1)
    #expect([short: 1][long] == 1)
    let foundation = try #require(UUID(uuidString: Self.baseForm))
    #expect(CBUUID(nsuuid: foundation) == short)
  }

  @Test("Different UUIDs differ") func differentUUIDsDiffer() {
    #expect(CBUUID(string: "180F") != CBUUID(string: "180A"))
    #expect(!CBUUID(string: "180F").isEqual("180F"))
    #expect(!CBUUID(string: "180F").isEqual(nil))
    #expect(CBUUID() != CBUUID())
  }

  @Test("The description has the assigned name") func descriptionNamesWhatTheSIGNamed() {
    #expect("\(CBUUID(string: "180F"))" == "Battery")
    #expect("\(CBUUID(string: CBUUIDCharacteristicUserDescriptionString))" == "Characteristic User Description")
    #expect("\(CBUUID(string: "FFF0"))" == "FFF0")
    #expect("\(CBUUID(string: Self.longForm))" == Self.longForm)
  }

  @Test("A copy is the same object") func copyIsTheSame() {
    let uuid = CBUUID(string: "FFF0")
    #expect(uuid.copy() as? CBUUID === uuid)
  }

  @Test("An invalid text ends the program") func badTextEndsTheProgram() async {
    await #expect(processExitsWith: .failure) { _ = CBUUID(string: "18") }
    await #expect(processExitsWith: .failure) { _ = CBUUID(string: "180G") }
    await #expect(processExitsWith: .failure) { _ = CBUUID(string: "0000180F0000-1000-8000-00805F9B34FB-") }
    await #expect(processExitsWith: .failure) { _ = CBUUID(data: Data([1, 2, 3])) }
  }
}
