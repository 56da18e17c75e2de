import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

@Suite("Frames of Improv")
struct ImprovFrameTests {
  @Test("The specification's example encodes to its bytes")
  func example() {
    let strings = ImprovStrings.encode([Array("MyWirelessAP".utf8), Array("mysecurepassword".utf8)])
    #expect(ImprovFrame(.join, data: strings).encoded == hex(ImprovBench.joinCommand))
    #expect(ImprovFrame(.identify).encoded == hex("020002"))
    #expect(ImprovFrame(.join).encoded == hex("010001"))
    let home = ScannedNetwork(ssid: Array("Home".utf8), rssi: -60, security: .wpa2)
    #expect(ImprovNetworks.result([home], limit: 244).encoded == hex("040e04486f6d65032d3630045750413253"))
  }

  @Test("Each prefix of a frame, and each frame with a byte more, is of a wrong length")
  func lengths() {
    let frame = hex(ImprovBench.joinCommand)
    for length in 0..<frame.count {
      #expect(throws: ImprovFrameError.length) { try ImprovFrame(whole: Array(frame.prefix(length))) }
    }
    #expect(throws: ImprovFrameError.length) { try ImprovFrame(whole: frame + [0]) }
  }

  @Test("Each single bit that changes in a frame is noticed")
  func bits() {
    let frame = hex(ImprovBench.joinCommand)
    for index in frame.indices {
      for bit in 0..<8 {
        var altered = frame
        altered[index] ^= 1 << bit
        #expect(throws: ImprovFrameError.self) { try ImprovFrame(whole: altered) }
      }
    }
  }

  @Test("A string whose length passes the end is no string")
  func strings() throws {
    #expect(throws: ImprovFrameError.length) { try ImprovStrings.decode([0xFF, 1]) }
    #expect(throws: ImprovFrameError.length) { try ImprovStrings.decode([0, 1]) }
    #expect(try ImprovStrings.decode([]) == [])
    #expect(try ImprovStrings.decode([0, 1, 65]) == [[], [65]])
  }

  @Test("A frame does not print its data")
  func unprinted() {
    let frame = ImprovFrame(.join, data: Array("secret".utf8))
    #expect("\(frame)" == "command 1 with 6 bytes")
    #expect(String(reflecting: frame) == "command 1 with 6 bytes")
    var dumped = ""
    dump(frame, to: &dumped)
    #expect(!dumped.contains("115"))
  }

  @Test(
    "The kinds of networks survive the protocol's words",
    arguments: [.open, .wep, .wpa, .wpaWPA2, .wpa2, .wpa2Enterprise, .wpa3, .wpa2WPA3, .wapi] as [NetworkSecurity])
  func kinds(_ security: NetworkSecurity) throws {
    let network = ScannedNetwork(ssid: [65], rssi: -1, security: security)
    #expect(try ImprovNetworks.decode(ImprovNetworks.result([network], limit: 244).data) == [network])
  }

  @Test("An unknown word for a kind asks for a password, and a signal that is no number is the weakest")
  func unknownKinds() throws {
    let data = ImprovStrings.encode([[65], Array("loud".utf8), Array("WPA9".utf8)])
    let network = try #require(ImprovNetworks.decode(data).first)
    #expect(network.security.needsPassword)
    #expect(network.rssi == -127)
    #expect(throws: ImprovFrameError.length) { try ImprovNetworks.decode(ImprovStrings.encode([[65], [66]])) }
  }

  @Test("A shortened result keeps whole characters and fits", arguments: 3...80)
  func shortened(_ limit: Int) throws {
    let texts = ["ESPHome", "2026.11.0", "ESP32-C3", "Läufer im Flur 🏃"]
    let frame = ImprovStrings.result(.information, texts, limit: limit)
    #expect(frame.encoded.count <= limit)
    let strings = try ImprovStrings.decode(frame.data)
    #expect(strings.allSatisfy { String(validating: $0, as: UTF8.self) != nil })
    for (whole, cut) in zip(texts, strings) { #expect(whole.utf8.starts(with: cut)) }
  }
}
