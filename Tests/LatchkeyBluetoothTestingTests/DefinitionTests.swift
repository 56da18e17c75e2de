import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// Definitions in JSON.
struct DefinitionTests {
  private static let whole = """
    {
      "$schema": "device-definition.schema.json",
      "name": "Strap",
      "advertisement": {"name": "S", "services": ["180D"], "phy": "coded", "manufacturerData": "hex:4C000215",
        "serviceData": {"180F": "hex:64", "0000FEAA-0000-1000-8000-00805F9B34FB": "text:x"}},
      "pairing": "refuse",
      "services": [
        {"uuid": "180D", "primary": true, "characteristics": [
          {"uuid": "2A37", "properties": ["notify"], "value": "hex:0648",
           "descriptors": [{"uuid": "2901", "value": "text:bpm"}],
           "behavior": {"kind": "notifyEvery", "seconds": 0.5, "values": ["hex:0648", "text:x"]}},
          {"uuid": "2A39", "properties": ["write", "notify"], "permissions": ["writeEncrypted"],
           "behavior": {"kind": "program", "otherwise": "0x80", "rules": [
             {"write": "hex:01", "then": [{"notify": "hex:02"}, {"wait": 1}, {"set": "hex:03", "of": "2A37"}]},
             {"writePrefix": "hex:02", "answer": "insufficientEncryption"}]}}
        ]},
        {"uuid": "1808", "primary": false, "characteristics": [
          {"uuid": "2A18", "properties": ["notify"]},
          {"uuid": "2A52", "properties": ["write", "indicate"],
           "behavior": {"kind": "recordAccess", "measurement": "2A18", "records": ["hex:000100"]}}
        ]}
      ]
    }
    """

  @Test("Each key has its meaning")
  func keys() throws {
    let definition = try DeviceDefinition(json: Self.whole)
    var expected = DeviceDefinition(
      name: "Strap",
      services: [
        .init(
          "180D",
          characteristics: [
            .init(
              "2A37", .notify, value: Data([0x06, 0x48]),
              behavior: .notifyEvery(.milliseconds(500), [Data([0x06, 0x48]), Data("x".utf8)]),
              descriptors: [.userDescription("bpm")]),
            .init(
              "2A39", [.write, .notify], permissions: .writeEncryptionRequired,
              behavior: .program(
                [
                  .init(
                    write: Data([1]),
                    then: [.notify(Data([2])), .wait(.seconds(1)), .set(Data([3]), of: CBUUID(string: "2A37"))]),
                  .init(write: Data([2]), isWhole: false, answer: .insufficientEncryption),
                ], otherwise: ._0x80)),
          ]),
        .init(
          "1808", isPrimary: false,
          characteristics: [
            .init("2A18", .notify),
            .init(
              "2A52", [.write, .indicate],
              behavior: .recordAccess(measurement: CBUUID(string: "2A18"), records: [Data([0, 1, 0])])),
          ]),
      ], pairing: .refuse)
    expected.advertisement = .init(
      localName: "S", services: [CBUUID(string: "180D")], phy: "coded",
      manufacturerData: Data([0x4C, 0x00, 0x02, 0x15]),
      serviceData: [CBUUID(string: "180F"): Data([0x64]), CBUUID(string: "FEAA"): Data("x".utf8)])
    #expect(definition == expected)
  }

  @Test("What is left out has its default")
  func defaults() throws {
    let definition = try DeviceDefinition(
      json:
        #"{"name":"A","services":[{"uuid":"FFF0","characteristics":[{"uuid":"FFF1","properties":["read","write"]}]}]}"#)
    let characteristic = definition.services[0].characteristics[0]
    #expect(characteristic.permissions == [.readable, .writeable] && characteristic.behavior == .stored)
    #expect(definition.advertisement == .init(localName: "A", services: [CBUUID(string: "FFF0")]))
    #expect(definition.services[0].isPrimary && definition.pairing == .automatic)
    let unnamed = try DeviceDefinition(json: #"{"name":"A","advertisement":{"name":null},"services":[]}"#)
    #expect(unnamed.advertisement == .init())
  }

  @Test("A passkey is read, to be shown or entered, with its leading zeros")
  func passkeys() throws {
    let displays = try DeviceDefinition(json: #"{"name":"A","services":[],"pairing":{"displays":"000042"}}"#)
    #expect(displays.pairing == .displays(passkey: "000042"))
    let enters = try DeviceDefinition(json: #"{"name":"A","services":[],"pairing":{"enters":"999999"}}"#)
    #expect(enters.pairing == .enters(passkey: "999999"))
  }

  /// A definition with one characteristic of these members.
  private static func one(_ members: String) -> String {
    #"{"name":"A","services":[{"uuid":"FFF0","characteristics":[{\#(members)}]}]}"#
  }

  private static let place = "services[0].characteristics[0]"

  private static let refusals: [(json: String, message: String)] = [
    (#"{"services":[]}"#, "lacks name"),
    (#"{"name":"A"}"#, "lacks services"),
    (#"{"name":"","services":[]}"#, "name: has 1 to 248 bytes"),
    (#"{"name":1,"services":[]}"#, "name: is no string"),
    (#"{"name":"A","services":{}}"#, "services: is no array"),
    (#"{"name":"A","services":[1]}"#, "services[0]: is no object"),
    (#"{"name":"A","services":[{"characteristics":[]}]}"#, "services[0]: lacks uuid"),
    (
      #"{"name":"A","services":[{"uuid":"1800","characteristics":[]}]}"#,
      "services[0].uuid: every device has this service already"
    ),
    (#"{"name":"A","services":[{"uuid":"18","characteristics":[]}]}"#, #"services[0].uuid: "18" is no UUID"#),
    (
      #"{"name":"A","services":[{"uuid":"FFF0","primary":1,"characteristics":[]}]}"#,
      "services[0].primary: is neither true nor false"
    ),
    (#"{"name":"A","services":[],"advertisement":{"phy":"3M"}}"#, "advertisement.phy: is none of 1M, 2M, coded"),
    (#"{"name":"A","services":[],"advertisement":{"services":["x"]}}"#, #"advertisement.services[0]: "x" is no UUID"#),
    (
      #"{"name":"A","services":[],"advertisement":{"manufacturerData":"hex:4C"}}"#,
      "advertisement.manufacturerData: has no identifier of a company, which has two bytes"
    ),
    (
      #"{"name":"A","services":[],"advertisement":{"manufacturerData":1}}"#,
      "advertisement.manufacturerData: is no string"
    ),
    (
      #"{"name":"A","services":[],"advertisement":{"serviceData":["180F"]}}"#, "advertisement.serviceData: is no object"
    ),
    (
      #"{"name":"A","services":[],"advertisement":{"serviceData":{"heart":"hex:"}}}"#,
      "advertisement.serviceData: the key \"heart\" is no UUID"
    ),
    (
      #"{"name":"A","services":[],"advertisement":{"serviceData":{"180F":"00"}}}"#,
      "advertisement.serviceData.180F: is neither hex: with pairs of digits nor text:"
    ),
    (
      #"{"name":"A","services":[],"advertisement":{"serviceData":{"180F":"hex:","0000180F":"hex:"}}}"#,
      "advertisement.serviceData.180F: this service has data already"
    ),
    (#"{"name":"A","services":[],"pairing":"maybe"}"#, #"pairing: "maybe" is none of automatic, refuse, wrongPasskey"#),
    (#"{"name":"A","services":[],"pairing":{}}"#, "pairing: has either displays or enters"),
    (
      #"{"name":"A","services":[],"pairing":{"displays":"000000","enters":"000000"}}"#,
      "pairing: has either displays or enters"
    ),
    (
      #"{"name":"A","services":[],"pairing":{"shows":"1"}}"#,
      #"pairing: has the key "shows"; known are displays, enters"#
    ),
    (#"{"name":"A","services":[],"pairing":{"displays":123456}}"#, "pairing.displays: is no string"),
    (#"{"name":"A","services":[],"pairing":{"displays":"12345"}}"#, "pairing.displays: has not six digits"),
    (#"{"name":"A","services":[],"pairing":{"enters":"1234567"}}"#, "pairing.enters: has not six digits"),
    (#"{"name":"A","services":[],"pairing":{"enters":"12 456"}}"#, "pairing.enters: has not six digits"),
    (#"{"name":"A","services":[],"pairing":{"enters":"１２３"}}"#, "pairing.enters: has not six digits"),
    (
      #"{"name":"A","services":[],"nmae":1}"#,
      #"has the key "nmae"; known are $schema, name, advertisement, pairing, services"#
    ),
    (#"{"name":"A","name":"B","services":[]}"#, "an object has a name twice (offset 12)"),
    (#"{"name":"A","services":[]} x"#, "the text continues after its JSON (offset 27)"),
    (#"{"name":"A","services":["#, "the text is not JSON (offset 24)"),
    ("", "the text is not JSON (offset 0)"),
    ("[]", "is no object"),
    (one(#""properties":["read"]"#), "\(place): lacks uuid"),
    (one(#""uuid":"FFF1""#), "\(place): lacks properties"),
    (one(#""uuid":"FFF1","properties":[]"#), "\(place).properties: is empty"),
    (
      one(#""uuid":"FFF1","properties":["fly"]"#),
      "\(place).properties[0]: \"fly\" is none of read, write, writeWithoutResponse, notify, indicate, notifyEncrypted, indicateEncrypted, authenticatedSignedWrites"
    ),
    (
      one(#""uuid":"FFF1","properties":["read"],"permissions":["all"]"#),
      "\(place).permissions[0]: \"all\" is none of read, write, readEncrypted, writeEncrypted"
    ),
    (
      one(#""uuid":"FFF1","properties":["read"],"value":"00""#),
      "\(place).value: is neither hex: with pairs of digits nor text:"
    ),
    (
      one(#""uuid":"FFF1","properties":["read"],"value":"hex:0""#),
      "\(place).value: is neither hex: with pairs of digits nor text:"
    ),
    (
      one(#""uuid":"FFF1","properties":["read"],"value":"hex:0g""#),
      "\(place).value: is neither hex: with pairs of digits nor text:"
    ),
    (
      one(#""uuid":"FFF1","properties":["read"],"value":"text:\#(String(repeating: "x", count: 513))""#),
      "\(place).value: has 512 bytes at most"
    ),
    (
      one(#""uuid":"FFF1","properties":["read"],"descriptors":[{"uuid":"2908"}]"#),
      "\(place).descriptors[0]: lacks value"
    ),
    (
      one(#""uuid":"FFF1","properties":["read"],"descriptors":[{"uuid":"2902","value":"hex:0000"}]"#),
      "\(place).descriptors[0].uuid: the device makes this descriptor itself"
    ),
    (one(#""uuid":"FFF1","properties":["read"],"behavior":{}"#), "\(place).behavior: lacks kind"),
    (one(#""uuid":"FFF1","properties":["read"],"behavior":[]"#), "\(place).behavior: is no object"),
    (
      one(#""uuid":"FFF1","properties":["read"],"behavior":{"kind":"dance"}"#),
      "\(place).behavior.kind: \"dance\" is none of stored, fixed, sequence, echo, notifyEvery, program, recordAccess"
    ),
    (
      one(#""uuid":"FFF1","properties":["read"],"behavior":{"kind":"fixed","values":[]}"#),
      "\(place).behavior: has the key \"values\"; known are kind"
    ),
    (
      one(#""uuid":"FFF1","properties":["read"],"behavior":{"kind":"sequence","values":[]}"#),
      "\(place).behavior.values: is empty"
    ),
    (
      one(#""uuid":"FFF1","properties":["write"],"behavior":{"kind":"echo"}"#),
      "\(place).behavior: the characteristic has neither notify nor indicate"
    ),
    (
      one(#""uuid":"FFF1","properties":["write"],"behavior":{"kind":"echo","to":"FFF2"}"#),
      "\(place).behavior.to: the device has no such characteristic"
    ),
    (
      one(#""uuid":"FFF1","properties":["write"],"behavior":{"kind":"echo","to":"FFF1"}"#),
      "\(place).behavior.to: that characteristic has neither notify nor indicate"
    ),
    (
      one(#""uuid":"FFF1","properties":["notify"],"behavior":{"kind":"notifyEvery","seconds":0,"values":["hex:"]}"#),
      "\(place).behavior.seconds: is not between a millisecond and a day"
    ),
    (
      one(#""uuid":"FFF1","properties":["notify"],"behavior":{"kind":"notifyEvery","seconds":-1,"values":["hex:"]}"#),
      "\(place).behavior.seconds: is no number of seconds"
    ),
    (
      one(#""uuid":"FFF1","properties":["notify"],"behavior":{"kind":"notifyEvery","seconds":1e99,"values":["hex:"]}"#),
      "\(place).behavior.seconds: is no number of seconds"
    ),
    (
      one(#""uuid":"FFF1","properties":["notify"],"behavior":{"kind":"notifyEvery","seconds":"1","values":["hex:"]}"#),
      "\(place).behavior.seconds: is no number of seconds"
    ),
    (
      one(#""uuid":"FFF1","properties":["read"],"behavior":{"kind":"notifyEvery","seconds":1,"values":["hex:"]}"#),
      "\(place).behavior: the characteristic has neither notify nor indicate"
    ),
    (
      one(#""uuid":"FFF1","properties":["write"],"behavior":{"kind":"program","rules":[{}]}"#),
      "\(place).behavior.rules[0]: has either write or writePrefix"
    ),
    (
      one(
        #""uuid":"FFF1","properties":["write"],"behavior":{"kind":"program","rules":[{"write":"hex:","writePrefix":"hex:"}]}"#
      ), "\(place).behavior.rules[0]: has either write or writePrefix"
    ),
    (
      one(
        #""uuid":"FFF1","properties":["write"],"behavior":{"kind":"program","rules":[{"write":"hex:","answer":"no"}]}"#),
      "\(place).behavior.rules[0].answer: is no error of the Attribute protocol: a name, or 0x and two digits"
    ),
    (
      one(#""uuid":"FFF1","properties":["write"],"behavior":{"kind":"program","rules":[],"otherwise":"0x100"}"#),
      "\(place).behavior.otherwise: is no error of the Attribute protocol: a name, or 0x and two digits"
    ),
    (
      one(
        #""uuid":"FFF1","properties":["write"],"behavior":{"kind":"program","rules":[{"write":"hex:","then":[{}]}]}"#),
      "\(place).behavior.rules[0].then[0]: has one of notify, set and wait; of belongs to the former two"
    ),
    (
      one(
        #""uuid":"FFF1","properties":["write"],"behavior":{"kind":"program","rules":[{"write":"hex:","then":[{"notify":"hex:"}]}]}"#
      ), "\(place).behavior.rules[0].then[0]: the characteristic has neither notify nor indicate"
    ),
    (
      one(
        #""uuid":"FFF1","properties":["write"],"behavior":{"kind":"program","rules":[{"write":"hex:","then":[{"set":"hex:","of":"FFF9"}]}]}"#
      ), "\(place).behavior.rules[0].then[0].of: the device has no such characteristic"
    ),
    (
      one(
        #""uuid":"FFF1","properties":["write"],"behavior":{"kind":"program","rules":[{"write":"hex:","then":[{"wait":0}]}]}"#
      ), "\(place).behavior.rules[0].then[0].wait: is not between a millisecond and a day"
    ),
    (
      one(
        #""uuid":"FFF1","properties":["notify"],"behavior":{"kind":"recordAccess","measurement":"FFF1","records":[]}"#),
      "\(place).behavior: a record access control point is written and indicated"
    ),
    (
      one(
        #""uuid":"FFF1","properties":["write","indicate"],"behavior":{"kind":"recordAccess","measurement":"FFF1","records":["hex:00"]}"#
      ), "\(place).behavior.records[0]: has no flags and sequence number"
    ),
  ]

  @Test("What cannot be served is refused with its place", arguments: refusals)
  func refused(json: String, message: String) {
    #expect(self.message(of: json) == message)
  }

  @Test("The published schema has the keys that are read")
  func schema() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = root.deletingLastPathComponent().appendingPathComponent("docs/device-definition.schema.json")
    let schema = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    func published(_ path: String...) -> [String]? {
      let place = path.reduce(schema) { $0[$1] as? [String: Any] ?? [:] }
      return (place["properties"] as? [String: Any])?.keys.sorted()
    }
    func read(_ json: String) -> [String]? {
      message(of: json)?.components(separatedBy: "known are ").last?.components(separatedBy: ", ").sorted()
    }
    #expect(published() == read(#"{"x":1}"#))
    #expect(published("properties", "advertisement") == read(#"{"name":"A","services":[],"advertisement":{"x":1}}"#))
    #expect(published("$defs", "service") == read(#"{"name":"A","services":[{"x":1}]}"#))
    #expect(published("$defs", "characteristic") == read(Self.one(#""x":1"#)))
    let ways = try #require(
      (schema["properties"] as? [String: [String: Any]])?["pairing"]?["oneOf"] as? [[String: Any]])
    let objects = ways.flatMap { ($0["properties"] as? [String: Any])?.keys.sorted() ?? [] }
    #expect(objects.sorted() == read(#"{"name":"A","services":[],"pairing":{"x":1}}"#))
    let rule = #""uuid":"FFF1","properties":["write"],"behavior":{"kind":"program","rules":[{"x":1}]}"#
    #expect(published("$defs", "rule") == read(Self.one(rule)))
  }

  @Test("A key with control characters is escaped in the message, and a long one cut")
  func hostileKeys() {
    let key = #"\u001b[31m"# + String(repeating: "x", count: 1000)
    let text = message(of: #"{"\#(key)":1}"#) ?? ""
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 } && text.count < 200)
  }

  @Test("Text that is nested too deeply, or is too large, is refused")
  func limits() {
    #expect(message(of: String(repeating: "[", count: 100_000))?.contains("nested too deeply") == true)
    let large = #"{"name":"\#(String(repeating: "x", count: 5_000_000))"}"#
    #expect(message(of: large)?.contains("too large") == true)
  }

  @Test("A definition in Swift is validated when it is added")
  func swiftDefinitions() {
    let radio = TestRadio()
    #expect(throws: DefinitionError.self) {
      try radio.add(FaultTests.one(.notifyEvery(.zero, [Data()])))
    }
    var unnamed = DeviceDefinition.battery()
    unnamed.name = ""
    #expect(throws: DefinitionError.self) { try radio.add(unnamed) }
    #expect(radio.presentDevices.isEmpty)
  }

  @Test("Manufacturer data and service data have the space that flags and services leave, to the byte")
  func space() throws {
    func fits(_ advertisement: String) -> String? {
      message(of: #"{"name":"A","services":[],"advertisement":{"name":null,\#(advertisement)}}"#)
    }
    func hex(_ count: Int) -> String { #""hex:\#(String(repeating: "00", count: count))""# }
    let refusal =
      "advertisement.manufacturerData: does not fit: advertisement and scan response have 31 bytes each, of which flags have 3, each structure 2, and services what they need"
    #expect(fits(#""manufacturerData":\#(hex(29))"#) == nil)
    #expect(fits(#""manufacturerData":\#(hex(30))"#) == refusal)
    // Two structures fill both: 26 and 29 bytes, of which a UUID has 2.
    #expect(fits(#""manufacturerData":\#(hex(26)),"serviceData":{"180F":\#(hex(27))}"#) == nil)
    let both = fits(#""manufacturerData":\#(hex(26)),"serviceData":{"180F":\#(hex(28))}"#)
    #expect(both?.hasPrefix("advertisement.serviceData.180F: does not fit") == true)
    #expect(
      fits(#""services":["180F"],"manufacturerData":\#(hex(22)),"serviceData":{"180F":\#(hex(27))}"#) == nil)
    // A structure of 25 bytes has no space behind a service, and takes the scan response.
    let behind = fits(#""services":["180F"],"manufacturerData":\#(hex(23)),"serviceData":{"180F":\#(hex(27))}"#)
    #expect(behind?.hasPrefix("advertisement.serviceData.180F: does not fit") == true)
    #expect(fits(#""phy":"1M","manufacturerData":\#(hex(224))"#) == nil)
    #expect(fits(#""phy":"1M","manufacturerData":\#(hex(225))"#)?.contains("has 229 bytes") == true)
    // 128 bits of a service's UUID count.
    let long = "12345678-1234-1234-1234-123456789ABC"
    #expect(fits(#""serviceData":{"\#(long)":\#(hex(13))}"#) == nil)
    #expect(fits(#""serviceData":{"\#(long)":\#(hex(14))}"#)?.hasPrefix("advertisement.serviceData.") == true)
  }

  private func message(of json: String) -> String? {
    do {
      _ = try DeviceDefinition(json: json)
      return nil
    } catch {
      return "\(error)"
    }
  }
}
