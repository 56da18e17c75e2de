import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// What a failing test prints.
@Suite(.timeLimit(.minutes(5)))
struct ExchangeTests {
  @Test("Each PDU is a line with its time, its parties, its name and its attribute")
  func lines() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.read("2A38")
    started.write([0x02], to: "2A39")
    started.subscribe("2A37")
    started.radio.advance(by: .seconds(1))
    let exchange = started.radio.exchange
    for end in [
      "Heart-Rate  advertises", "phone  scans", "phone ↔ Heart-Rate  connected",
      "phone → Heart-Rate  Read Request 0x0012 (2A38 Body Sensor Location)", "Heart-Rate → phone  Read Response 01",
      "phone → Heart-Rate  Write Request 0x0014 (2A39 Heart Rate Control Point) = 02",
      "Heart-Rate → phone  Error Response 0x0014 (2A39 Heart Rate Control Point): 0x80 to Write Request",
      "Heart-Rate → phone  Handle Value Notification 0x000F (2A37 Heart Rate Measurement) = 0648",
    ] {
      let line = " s  " + Self.withoutHandles(end)
      let isThere = exchange.contains { Self.withoutHandles($0).hasSuffix(line) }
      #expect(isThere, "\(end) is not in \(started.radio)")
    }
    let haveTimes = exchange.allSatisfy { $0.prefixMatch(of: #/[0-9]+\.[0-9]{6} s  /#) != nil }
    #expect(haveTimes)
    #expect(!exchange.contains { $0.contains("malformed") })
  }

  /// A line without the numbers of attributes.
  private static func withoutHandles(_ line: String) -> String { line.replacing(#/0x00[0-9A-F]{2}/#, with: "#") }

  @Test("Keys of a pairing are not printed")
  func secrets() throws {
    let started = try Started(.battery())
    started.device.fail(.read("2A19"), with: .insufficientEncryption, times: 1)
    started.app.read("2A19")
    started.radio.advance(by: .seconds(5))
    let pairing = started.radio.exchange.filter { $0.contains("SMP") }
    #expect(pairing.contains { $0.hasSuffix("SMP Pairing Public Key") }, "\(started.radio)")
    let areShort = pairing.allSatisfy { $0.firstMatch(of: #/[0-9a-f]{8,}/#) == nil }
    #expect(areShort)
  }

  @Test("A link that is lost is a line with its reason")
  func lostLinks() throws {
    let started = try Started(.battery())
    started.device.loseLinks()
    started.radio.settle()
    #expect(started.radio.exchange.contains { $0.hasSuffix("link ended, connection timeout") }, "\(started.radio)")
  }

  @Test("Only the latest packets are remembered")
  func bounded() throws {
    let started = try Started(FaultTests.one(.notifyEvery(.milliseconds(1), [Data([1])])))
    started.subscribe("FFF1")
    started.radio.advance(by: .seconds(20))
    let exchange = started.radio.exchange
    #expect(exchange.first?.hasPrefix("… ") == true)
    #expect(exchange.count <= 16_385)
    // Who they are is remembered.
    #expect(exchange.last?.contains("One → phone  Handle Value Notification") == true)
  }
}
