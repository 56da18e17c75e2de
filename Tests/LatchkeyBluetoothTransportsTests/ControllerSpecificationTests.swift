import LatchkeyBluetoothTransports
import Testing

struct ControllerSpecificationTests {
  @Test(
    "A valid controller specification is parsed and printed",
    arguments: [
      ("virtual", ControllerSpecification.virtual(name: nil)),
      ("virtual:lab", .virtual(name: "lab")),
      ("virtual:lab/lamp", .virtual(name: "lab", controller: "lamp")),
      ("virtual:lab/lamp/2", .virtual(name: "lab", controller: "lamp/2")),
      ("virtual:/lamp", .virtual(name: nil, controller: "lamp")),
      ("virtual:a:b", .virtual(name: "a:b")),
      ("tcp-client:127.0.0.1:6402", .stream(.tcp(host: "127.0.0.1", port: 6402))),
      ("tcp-client:radio.local:1", .stream(.tcp(host: "radio.local", port: 1))),
      ("tcp-client:[::1]:65535", .stream(.tcp(host: "::1", port: 65535))),
      ("unix-client:/run/radio.sock", .stream(.unix(path: "/run/radio.sock"))),
      ("unix-client:relative:with:colons", .stream(.unix(path: "relative:with:colons"))),
    ])
  func aGoodTextAndBack(text: String, specification: ControllerSpecification) throws {
    #expect(try ControllerSpecification(text) == specification)
    #expect(specification.description == text)
  }

  @Test(
    "An invalid controller specification names a remedy",
    arguments: [
      ("", "virtual[:RADIO[/CONTROLLER]]"),
      ("Virtual", "virtual[:RADIO[/CONTROLLER]]"),
      ("usb:0", "tcp-client:HOST:PORT"),
      ("tcp-server:127.0.0.1:1", "tcp-client:HOST:PORT"),
      ("virtual:", "type virtual:RADIO"),
      ("virtual:/", "type virtual:RADIO/CONTROLLER"),
      ("virtual:lab/", "type virtual:RADIO/CONTROLLER"),
      ("virtual:two words", "without"),
      ("virtual:tab\t", "without"),
      ("tcp-client", "type HOST:PORT"),
      ("tcp-client:", "type HOST:PORT"),
      ("tcp-client:localhost", "type HOST:PORT"),
      ("tcp-client::6402", "type HOST:PORT"),
      ("tcp-client:[]:6402", "type HOST:PORT"),
      ("tcp-client:::1:6402", "in brackets"),
      ("tcp-client:localhost:", "from 1 to 65535"),
      ("tcp-client:localhost:0", "from 1 to 65535"),
      ("tcp-client:localhost:65536", "from 1 to 65535"),
      ("tcp-client:localhost:-1", "from 1 to 65535"),
      ("tcp-client:localhost:+1", "from 1 to 65535"),
      ("tcp-client:localhost:٣", "from 1 to 65535"),
      ("tcp-client:localhost:99999999999999999999", "from 1 to 65535"),
      ("unix-client", "path"),
      ("unix-client:", "path"),
      ("unix-client:nul\0byte", "without"),
      ("serial:/dev/ttyACM0", "this build has no serial transport yet"),
      ("serial:/dev/ttyACM0,1000000", "this build has no serial transport yet"),
      ("hci-socket:0", "this build has no hci-socket transport yet"),
    ])
  func invalidText(text: String, hint: String) {
    let error = #expect(throws: SpecificationError.self) { try ControllerSpecification(text) }
    #expect(error?.description.contains(hint) == true, "\(error?.description ?? "no error")")
    #expect(error?.description.contains("\n") == false)
  }

  @Test("A Unix path fits a socket address") func aUnixPathHasTheRoomOfASocketAddress() throws {
    let longest = "/" + String(repeating: "x", count: 106)
    #expect(try ControllerSpecification("unix-client:" + longest) == .stream(.unix(path: longest)))
    #expect(throws: SpecificationError.pathTooLong(longest + "x")) {
      try ControllerSpecification("unix-client:" + longest + "x")
    }
  }
}

struct ListenSpecificationTests {
  @Test(
    "A valid place to listen at is parsed and printed",
    arguments: [
      ("tcp-server:127.0.0.1:0", StreamEndpoint.tcp(host: "127.0.0.1", port: 0), "tcp-client:127.0.0.1:0"),
      ("tcp-server:[::1]:6402", .tcp(host: "::1", port: 6402), "tcp-client:[::1]:6402"),
      ("unix-server:/tmp/radio", .unix(path: "/tmp/radio"), "unix-client:/tmp/radio"),
    ])
  func aGoodTextAndBack(text: String, endpoint: StreamEndpoint, client: String) throws {
    let specification = try ListenSpecification(text)
    #expect(specification.endpoint == endpoint)
    #expect(specification.description == text)
    #expect(specification.clientSpecification.description == client)
  }

  @Test(
    "An invalid place to listen at names a remedy",
    arguments: ["", "virtual", "tcp-client:127.0.0.1:1", "unix-client:/tmp/radio", "6402"])
  func invalidPlace(text: String) {
    let error = #expect(throws: SpecificationError.self) { try ListenSpecification(text) }
    #expect(error?.description.contains("type tcp-server:HOST:PORT, unix-server:PATH") == true)
  }
}
