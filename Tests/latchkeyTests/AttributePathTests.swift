import CoreBluetooth
import Testing

@testable import latchkey

@Suite struct AttributePathTests {
  @Test(
    "A path is numbers, names, or a handle",
    arguments: [
      ("2A37", "2A37"), ("2a37", "2A37"), ("00002a37", "2A37"), ("180D/2A37", "180D/2A37"),
      ("heart-rate/heart-rate-measurement", "180D/2A37"), ("Heart Rate/Heart Rate Measurement", "180D/2A37"),
      ("battery-service/2A19", "180F/2A19"), ("2A37:client-characteristic-configuration", "2A37:2902"),
      ("180d/2a37:2902", "180D/2A37:2902"), ("@12", "@0012"), ("@FFFF", "@FFFF"), ("@0a", "@000A"),
      ("6e400002-b5a3-f393-e0a9-e50e24dcca9e", "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"),
    ]) func paths(typed: String, text: String) throws
  {
    #expect(try AttributePath(typed).text == text)
  }

  @Test("A text in numbers leads to the same path", arguments: ["180D/2A37:2902", "@0012", "F202"])
  func again(text: String) throws {
    let path = try AttributePath(text)
    #expect(try AttributePath(path.text) == path)
  }

  @Test(
    "What is no path is refused",
    arguments: [
      "", "/", ":", "2A37:", "/2A37", "2A37/", "1/2/3", "a:b:c", "@", "@12345", "@12:2902", "180D/@12", "@xyz", "@-1",
      "@ 12",
      "no-such-name", "180D/no-such-name", "2A37:no-such-name", "\u{1B}[A",
    ]) func refused(text: String)
  {
    #expect(throws: CentralSession.Failure.self) { try AttributePath(text) }
  }

  private func message(_ text: String) -> String {
    do throws(CentralSession.Failure) {
      _ = try AttributePath(text)
      return "it was taken"
    } catch {
      return error.message
    }
  }

  @Test("A part of a name is refused with the names that are near, and control characters are escaped") func near() {
    #expect(message("heart-rate").contains("Heart Rate Measurement (2A37)"))
    #expect(message("no-such-name") == "'no-such-name' is no UUID, and no name of a characteristic")
    #expect(message("180Q/2A37") == "'180Q' is no UUID, and no name of a service")
    #expect(message("x\u{1B}[2J") == "'x\\u{1b}[2J' is no UUID, and no name of a characteristic")
    #expect(message("x" + String(repeating: "y", count: 100_000)).utf8.count < 200)
  }

  @Test("UUIDs have the names of the Bluetooth SIG, and others have none") func labels() {
    #expect(AttributeNames.label("180D", .service) == "180D (Heart Rate)")
    #expect(AttributeNames.label("180D", .characteristic) == "180D")
    #expect(AttributeNames.label("FFF0", .service) == "FFF0")
    #expect(AttributeNames.label("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", .service).utf8.count == 36)
    #expect(AttributeNames.company(of: [0x4C, 0x00, 0x02])?.name == "Apple, Inc.")
    #expect(AttributeNames.company(of: [0x4C]) == nil)
    #expect(AttributeNames.meaning(of: [0x40, 0x03], characteristic: "2A01") == "Heart Rate Sensor")
    #expect(AttributeNames.meaning(of: [0x40], characteristic: "2A01") == nil)
    #expect(AttributeNames.meaning(of: [0x40, 0x03], characteristic: "2A00") == nil)
  }
}
