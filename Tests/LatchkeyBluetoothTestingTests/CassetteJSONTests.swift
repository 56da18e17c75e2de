import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// Cassettes as JSON, and definitions as they are written.
struct CassetteJSONTests {
  /// A cassette with each kind of advertisement, value and event.
  static let whole = Cassette(
    device: DeviceDefinition(
      name: "Lamp \"1\"",
      services: [
        DeviceDefinition.Service(
          "FFF0",
          characteristics: [
            DeviceDefinition.Characteristic(
              "FFF1", [.read, .write, .writeWithoutResponse, .notify], value: Data("off!".utf8),
              descriptors: [.userDescription("Lamp")]),
            DeviceDefinition.Characteristic("FFF2", [.indicate, .authenticatedSignedWrites]),
          ])
      ]),
    advertisements: [
      Cassette.AdvertisingReport(time: .zero, rssi: -60, data: Data([2, 1, 6])),
      Cassette.AdvertisingReport(
        time: .nanoseconds(1), data: Data(), isScanResponse: true, isConnectable: false),
    ],
    mtu: 185,
    steps: [
      step(0, .readRefused(.insufficientAuthentication)),
      step(1, .read(.bytes(Data([0xFF])))),
      step(1, .read(.masked(count: 7)), descriptor: 0),
      step(2, .write(.bytes(Data()), answer: .success)),
      step(3, .write(.masked(count: 512), answer: ._0x80)),
      step(4, .writeWithoutResponse(.bytes(Data("on".utf8)))),
      step(5, .subscription(.notifications, answer: .success)),
      step(6, .subscription(.none, answer: .unlikelyError)),
      step(7, .notification(.bytes(Data([1, 2])))),
      step(8, .indication(.bytes(Data("text".utf8))), characteristic: 1),
      step(9, .subscription(.indications, answer: .success), characteristic: 1),
    ])

  private static func step(
    _ milliseconds: Int, _ event: Cassette.Event, characteristic: Int = 0, descriptor: Int? = nil
  ) -> Cassette.Step {
    Cassette.Step(
      time: .milliseconds(milliseconds),
      attribute: Cassette.Attribute(service: 0, characteristic: characteristic, descriptor: descriptor), event: event)
  }

  @Test("What is written is read as the same, and written as the same again")
  func roundTrip() throws {
    let json = Self.whole.json()
    let read = try Cassette(json: json)
    #expect(read == Self.whole)
    #expect(read.json() == json)
  }

  @Test("A cassette has its keys in order, and a line for each advertisement and step")
  func text() throws {
    let lines = String(decoding: Self.whole.json(), as: UTF8.self).components(separatedBy: "\n")
    #expect(lines.prefix(3) == ["{", #"  "cassette": 1,"#, #"  "device": {"#], "\(lines)")
    #expect(lines.contains(#"    {"time": 0, "rssi": -60, "data": "hex:020106"},"#))
    #expect(
      lines.contains(#"    {"time": 0.000000001, "data": "hex:", "scanResponse": true, "connectable": false}"#))
    #expect(
      lines.contains(#"    {"time": 0, "at": [0, 0], "uuid": "FFF1", "readRefused": "insufficientAuthentication"},"#))
    #expect(lines.contains(#"    {"time": 0.001, "at": [0, 0, 0], "uuid": "2901", "read": {"masked": 7}},"#))
    #expect(
      lines.contains(#"    {"time": 0.003, "at": [0, 0], "uuid": "FFF1", "write": {"masked": 512}, "answer": "0x80"},"#)
    )
    #expect(lines.contains(#"    {"time": 0.008, "at": [0, 1], "uuid": "FFF2", "indication": "text:text"},"#))
    #expect(lines.suffix(3) == ["  ]", "}", ""])
  }

  private static let device =
    #""device":{"name":"A","services":[{"uuid":"FFF0","characteristics":[{"uuid":"FFF1","properties":["read"],"descriptors":[{"uuid":"2901","value":"hex:"}]}]}]}"#

  /// A cassette with one step of these members.
  private static func one(_ step: String) -> String { #"{"cassette":1,\#(device),"steps":[{\#(step)}]}"# }

  static let refusals: [(String, String)] = [
    ("[]", "is no object"),
    ("{}", "lacks cassette"),
    (#"{"cassette":2,"new":1}"#, "cassette: is version 2; only version 1 is known here"),
    (#"{"cassette":"1"}"#, "cassette: is no whole number from 1 to 65535"),
    (#"{"cassette":1.0}"#, "cassette: is no whole number from 1 to 65535"),
    (
      #"{"cassette":1,"x":1}"#, #"has the key "x"; known are $schema, cassette, device, mtu, advertisements, steps"#
    ),
    (#"{"cassette":1,"steps":[]}"#, "lacks device"),
    (#"{"cassette":1,\#(device)}"#, "lacks steps"),
    (#"{"cassette":1,"device":{"name":"","services":[]},"steps":[]}"#, "device.name: has 1 to 248 bytes"),
    (#"{"cassette":1,\#(device),"mtu":22,"steps":[]}"#, "mtu: is no whole number from 23 to 517"),
    (#"{"cassette":1,\#(device),"mtu":518,"steps":[]}"#, "mtu: is no whole number from 23 to 517"),
    (
      #"{"cassette":1,\#(device),"advertisements":[{"time":1,"data":"hex:"},{"time":0.5,"data":"hex:"}],"steps":[]}"#,
      "advertisements[1].time: is earlier than what stands before"
    ),
    (
      #"{"cassette":1,\#(device),"advertisements":[{"time":0,"data":"hex:","rssi":128}],"steps":[]}"#,
      "advertisements[0].rssi: is no whole number from -128 to 127"
    ),
    (
      #"{"cassette":1,\#(device),"advertisements":[{"time":0,"data":"hex:\#(String(repeating: "00", count: 1651))"}],"steps":[]}"#,
      "advertisements[0].data: has 1650 bytes at most"
    ),
    (one(#""at":[0,0],"read":"hex:""#), "steps[0]: lacks time"),
    (one(#""time":-1,"at":[0,0],"read":"hex:""#), "steps[0].time: is no number of seconds"),
    (one(#""time":1e999,"at":[0,0],"read":"hex:""#), "steps[0].time: is no number of seconds"),
    (one(#""time":1000001,"at":[0,0],"read":"hex:""#), "steps[0].time: is no number of seconds"),
    (one(#""time":0,"read":"hex:""#), "steps[0]: lacks at"),
    (one(#""time":0,"at":[0],"read":"hex:""#), "steps[0].at: has the index of a service and of a characteristic"),
    (one(#""time":0,"at":[0,0,0,0],"read":"hex:""#), "steps[0].at: has 3 elements at most"),
    (one(#""time":0,"at":[0,-1],"read":"hex:""#), "steps[0].at[1]: is no whole number from 0 to 127"),
    (one(#""time":0,"at":[0,1],"read":"hex:""#), "steps[0].at: the device has no such attribute"),
    (one(#""time":0,"at":[1,0],"read":"hex:""#), "steps[0].at: the device has no such attribute"),
    (one(#""time":0,"at":[0,0,1],"read":"hex:""#), "steps[0].at: the device has no such attribute"),
    (one(#""time":0,"at":[0,0],"uuid":"FFF2","read":"hex:""#), "steps[0].uuid: steps[0].at is FFF1"),
    (
      one(#""time":0,"at":[0,0]"#),
      "steps[0]: has one of read, readRefused, write, writeWithoutResponse, subscribe, notification, indication"
    ),
    (
      one(#""time":0,"at":[0,0],"read":"hex:","write":"hex:""#),
      "steps[0]: has one of read, readRefused, write, writeWithoutResponse, subscribe, notification, indication"
    ),
    (one(#""time":0,"at":[0,0],"read":"00""#), "steps[0].read: is neither hex: with pairs of digits nor text:"),
    (one(#""time":0,"at":[0,0],"read":{"masked":513}"#), "steps[0].read.masked: is no whole number from 0 to 512"),
    (one(#""time":0,"at":[0,0],"read":{"length":1}"#), #"steps[0].read: has the key "length"; known are masked"#),
    (
      one(#""time":0,"at":[0,0],"read":"hex:\#(String(repeating: "00", count: 513))""#),
      "steps[0]: a value has 512 bytes at most"
    ),
    (one(#""time":0,"at":[0,0],"read":"hex:","answer":"success""#), "steps[0].answer: belongs to write and subscribe"),
    (one(#""time":0,"at":[0,0],"readRefused":"success""#), "steps[0].readRefused: is no error"),
    (
      one(#""time":0,"at":[0,0],"readRefused":"0x1""#),
      "steps[0].readRefused: is no error of the Attribute protocol: a name, or 0x and two digits"
    ),
    (one(#""time":0,"at":[0,0,0],"writeWithoutResponse":"hex:""#), "steps[0]: a descriptor is written with an answer"),
    (
      one(#""time":0,"at":[0,0],"subscribe":"both""#),
      #"steps[0].subscribe: "both" is none of none, notifications, indications"#
    ),
    (one(#""time":0,"at":[0,0],"subscribe":"none""#), "steps[0]: the attribute has neither notify nor indicate"),
    (one(#""time":0,"at":[0,0],"notification":"hex:""#), "steps[0]: the attribute has neither notify nor indicate"),
  ]

  @Test("What cannot be replayed is refused with its place", arguments: refusals)
  func refused(json: String, message: String) {
    #expect(self.message(of: json) == message)
  }

  private func message(of json: String) -> String? {
    do throws(DefinitionError) {
      _ = try Cassette(json: json)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("More steps than a cassette has are refused before any is read")
  func manySteps() {
    let steps = Array(repeating: "0", count: 100_001).joined(separator: ",")
    #expect(message(of: #"{"cassette":1,\#(Self.device),"steps":[\#(steps)]}"#) == "steps: has 100000 elements at most")
  }

  @Test("Damaged text is refused, or makes a cassette that is the same when it is read again")
  func damage() throws {
    let json = [UInt8](Self.whole.json())
    var random: UInt64 = 7
    func next(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    var cassettes = 0
    for _ in 0..<3000 {
      var damaged = json
      for _ in 0...next(2) {
        // Mostly what may stand there as well: digits, and characters of the text itself.
        damaged[next(damaged.count)] = next(2) == 0 ? UInt8(0x30 + next(10)) : json[next(json.count)]
      }
      guard let cassette = try? Cassette(json: Data(damaged)) else { continue }
      cassettes += 1
      #expect(try Cassette(json: cassette.json()) == cassette)
    }
    #expect(cassettes > 100)
  }

  @Test("The published schema of cassettes has the keys that are read")
  func schema() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = root.deletingLastPathComponent().appendingPathComponent("docs/cassette.schema.json")
    let schema = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    func published(_ path: String...) -> [String]? {
      let place = path.reduce(schema) { $0[$1] as? [String: Any] ?? [:] }
      return (place["properties"] as? [String: Any])?.keys.sorted()
    }
    func read(_ json: String) -> [String]? {
      message(of: json)?.components(separatedBy: "known are ").last?.components(separatedBy: ", ").sorted()
    }
    #expect(published() == read(#"{"cassette":1,"x":1}"#))
    #expect(published("$defs", "step") == read(Self.one(#""x":1"#)))
    let advertisement = #"{"cassette":1,\#(Self.device),"advertisements":[{"x":1}],"steps":[]}"#
    #expect(published("$defs", "advertisement") == read(advertisement))
  }

  // MARK: Definitions

  static let ready: [DeviceDefinition] = [
    .heartRate(bpm: 72), .battery(), .thermometer(celsius: 36.6), .glucose([90, 100]), .cyclingPower(watts: 200),
    .nordicUART(), .deviceInformation(), .keyboard(), .heartRate(bpm: 300).adding(.battery()),
  ]

  @Test("Ready devices are the same when their JSON is read", arguments: ready)
  func readyDevices(device: DeviceDefinition) throws {
    let json = device.json()
    let read = try DeviceDefinition(json: json)
    #expect(read == device)
    #expect(read.json() == json)
  }

  @Test("Each behavior, permission and property is the same when its JSON is read")
  func behaviors() throws {
    let rules = [
      DeviceDefinition.Rule(write: Data([1]), then: [.notify(Data([2])), .wait(.milliseconds(1500))]),
      DeviceDefinition.Rule(
        write: Data("prefix".utf8), isWhole: false, answer: ._0x85,
        then: [.set(Data(), of: CBUUID(string: "FFF1")), .notify(Data(), of: CBUUID(string: "FFF1"))]),
      DeviceDefinition.Rule(write: Data(), answer: .insufficientResources),
    ]
    let behaviors: [DeviceDefinition.Behavior] = [
      .stored, .fixed, .sequence([Data([1]), Data()]), .sequence([Data([1])], repeats: true), .echo(),
      .echo(to: CBUUID(string: "FFF1")), .notifyEvery(.nanoseconds(86_399_999_999_999), [Data([1])]),
      .program(rules, otherwise: .writeNotPermitted), .program([]),
      .recordAccess(measurement: CBUUID(string: "FFF1"), records: [Data([0, 1, 2])]),
    ]
    var characteristics = behaviors.map { behavior in
      DeviceDefinition.Characteristic(
        "FFF1", [.read, .write, .notify, .indicate], permissions: [.readEncryptionRequired, .writeEncryptionRequired],
        behavior: behavior)
    }
    characteristics.append(
      DeviceDefinition.Characteristic(
        "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
        [.writeWithoutResponse, .notifyEncryptionRequired, .indicateEncryptionRequired, .authenticatedSignedWrites],
        permissions: [], value: Data("\u{7F}ab".utf8)))
    var device = DeviceDefinition(
      name: "Röhre\u{1}\"\\", services: [.init("FFF0", isPrimary: false, characteristics: characteristics)],
      advertisement: .init(localName: nil, services: [CBUUID(string: "12345678")], phy: "coded"), pairing: .refuse)
    let read = try DeviceDefinition(json: device.json())
    #expect(read == device)
    for pairing: DeviceDefinition.Pairing in [
      .automatic, .wrongPasskey, .displays(passkey: "012345"), .enters(passkey: "999999"),
    ] {
      device.pairing = pairing
      #expect(try DeviceDefinition(json: device.json()) == device)
    }
    device.advertisement = .init(
      localName: "Other", manufacturerData: Data([0x59, 0, 1]),
      serviceData: [CBUUID(string: "180F"): Data([100]), CBUUID(string: "180D"): Data()])
    #expect(try DeviceDefinition(json: device.json()) == device)
  }
}
