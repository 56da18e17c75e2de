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
      ("serial:/dev/ttyACM0", .serial(try! SerialPort(path: "/dev/ttyACM0"))),
      ("serial:/dev/ttyS1,115200", .serial(try! SerialPort(path: "/dev/ttyS1", speed: 115_200))),
      (
        "serial:/dev/serial/by-id/a,b:c,3000000",
        .serial(try! SerialPort(path: "/dev/serial/by-id/a,b:c", speed: 3_000_000))
      ),
      ("hci-socket:0", .hciSocket(0)),
      ("hci-socket:65534", .hciSocket(65534)),
    ])
  func aGoodTextAndBack(text: String, specification: ControllerSpecification) throws {
    #expect(try ControllerSpecification(text) == specification)
    #expect(specification.description == text)
  }

  @Test("Other spellings of a controller") func otherSpellings() throws {
    #expect(try ControllerSpecification("hci-socket:hci3") == .hciSocket(3))
    #expect(try ControllerSpecification("serial:/dev/ttyACM0,1000000").description == "serial:/dev/ttyACM0")
  }

  @Test(
    "An invalid controller specification names a remedy",
    arguments: [
      ("", "virtual[:RADIO[/CONTROLLER]]"),
      ("Virtual", "virtual[:RADIO[/CONTROLLER]]"),
      ("usb:0", "type hci-socket:N"),
      ("bluez:0", "tcp-client:HOST:PORT"),
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
      ("serial", "type serial:PATH[,SPEED]"),
      ("serial:", "type serial:PATH[,SPEED]"),
      ("serial:,115200", "type serial:PATH[,SPEED]"),
      ("serial:/dev/ttyACM0,", "one of 9600"),
      ("serial:/dev/ttyACM0,fast", "one of 9600"),
      ("serial:/dev/ttyACM0,115201", "4000000"),
      ("serial:/dev/ttyACM0,-115200", "one of 9600"),
      ("serial:/dev/ttyACM0,99999999999999999999", "one of 9600"),
      ("serial:nul\0byte", "without"),
      ("hci-socket", "type hci-socket:N"),
      ("hci-socket:", "type hci-socket:N"),
      ("hci-socket:hci", "type hci-socket:N"),
      ("hci-socket:x", "type hci-socket:N"),
      ("hci-socket:-1", "type hci-socket:N"),
      ("hci-socket:+1", "type hci-socket:N"),
      ("hci-socket:٣", "type hci-socket:N"),
      ("hci-socket:65535", "type hci-socket:N"),
      ("hci-socket:99999999999999999999", "type hci-socket:N"),
      ("hci0", "type hci-socket:0"),
      ("hci12", "type hci-socket:12"),
      ("hci", "hci-socket:N"),
      ("hci99999", "hci-socket:N"),
      ("usb", "type hci-socket:N"),
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
