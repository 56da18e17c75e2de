import CoreBluetooth
import Testing

@testable import latchkey

@Suite struct ExploreInputTests {
  private static let long = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"

  private func path(_ text: String) throws -> AttributePath { try AttributePath(text) }

  @Test("Lines are parsed as commands") func linesAreRead() throws {
    #expect(try ExploreInput("") == .nothing)
    #expect(try ExploreInput("   ") == .nothing)
    #expect(try ExploreInput("# read FFE1") == .nothing)
    #expect(try ExploreInput("devices") == .devices)
    #expect(try ExploreInput("  quit ") == .quit)
    #expect(try ExploreInput("exit") == .quit)
    #expect(try ExploreInput("connect My Lamp ") == .connect("My Lamp"))
    #expect(try ExploreInput("read FFE1") == .read(try path("FFE1")))
    #expect(try ExploreInput("read  180F/2A19:2902 ") == .read(try path("180F/2A19:2902")))
    #expect(try ExploreInput("subscribe \(Self.long)") == .subscribe(try path(Self.long)))
    #expect(try ExploreInput("unsubscribe FFF1") == .unsubscribe(try path("FFF1")))
    #expect(try ExploreInput("read Heart Rate/heart-rate-measurement") == .read(try path("180D/2A37")))
    #expect(try ExploreInput("write heart-rate-control-point hex:01") == .write(try path("2A39"), [1]))
    #expect(try ExploreInput("read @12") == .read(try path("@0012")))
  }

  @Test("Every verb that completion offers is one") func verbs() {
    for verb in ExploreInput.verbs {
      do throws(CentralSession.Failure) {
        _ = try ExploreInput(verb)
      } catch {
        #expect(!error.message.contains("is not understood"), "\(verb)")
      }
    }
  }

  @Test("Values are text or hexadecimal") func valuesAreTextOrHexadecimal() throws {
    #expect(try ExploreInput("write FFF2 hex:0aFF") == .write(try path("FFF2"), [0x0A, 0xFF]))
    #expect(try ExploreInput("write FFF2 hex:0a ff") == .write(try path("FFF2"), [0x0A, 0xFF]))
    #expect(try ExploreInput("write FFF2 hex:") == .write(try path("FFF2"), []))
    #expect(try ExploreInput("write FFF2 text:") == .write(try path("FFF2"), []))
    #expect(try ExploreInput("write FFF2 text: ") == .write(try path("FFF2"), [0x20]))
    #expect(try ExploreInput("write FFF2 0a ff ") == .write(try path("FFF2"), Array("0a ff ".utf8)))
    #expect(try ExploreInput("write FFF2 text:hex:0a") == .write(try path("FFF2"), Array("hex:0a".utf8)))
    #expect(try ExploreInput("send FFF0/FFF2 hex:0a") == .send(try path("FFF0/FFF2"), [0x0A]))
    #expect(try ExploreInput("send FFF2 灯 an") == .send(try path("FFF2"), Array("灯 an".utf8)))
    #expect(try ExploreInput("send FFF2 hex:") == .send(try path("FFF2"), []))
    #expect(try ExploreInput("command FFF2 灯") == .command(try path("FFF2"), Array("灯".utf8)))
  }

  @Test(
    "Other lines are refused",
    arguments: [
      "READ FFE1", "read", "read FFE", "read FFE11", "read FFG1", "read \(long)0", "read 1/2/3", "read FFE1:2901:2902",
      "read FFE1:", "read /FFE1", "write", "write hex:00", "write FFF2 hex:0", "write FFF2 hex:0g", "send",
      "send hex:00",
      "send FFF2 hex:0", "sends FFF2 x",
      "write FFF2", "write FFF2 ", "write FFF2  \t ", "command FFF2", "command FFF2  ", "send FFF2", "send FFF2 ",
      "connect",
      "connect  ",
      "devices all", "quit now", "explode",
    ])
  func otherLinesAreRefused(line: String) {
    #expect(throws: CentralSession.Failure.self) { try ExploreInput(line) }
  }

  @Test("Arrow keys are recognized", arguments: ["\u{1B}[A", "\u{1B}[Aread FFE1", "read\u{1B}[D FFE1"])
  func arrowKeysAreReported(line: String) {
    do throws(CentralSession.Failure) {
      _ = try ExploreInput(line)
      Issue.record("it was taken")
    } catch {
      #expect(error.message.hasPrefix("arrow keys do nothing here"))
    }
    #expect(throws: Never.self) { try ExploreInput("write FFF2 \u{1B}[A") }
  }

  @Test("UUIDs that CoreBluetooth does not accept are refused") func uuidsThatCoreBluetoothWouldNotTakeAreNone() {
    for text in ["", "18", "180", "180G", "180F ", "0000180F0000-1000-8000-00805F9B34FB-", "{180F}", "１８０F"] {
      #expect(AttributePath.uuid(text) == nil, "\(text)")
    }
    #expect(AttributePath.uuid("0000180f")?.uuidString == "180F")
  }
}
