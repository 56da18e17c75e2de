import Foundation
import LatchkeyCommandLine
import Testing

@testable import latchkey

@Suite("Values that are typed and printed") struct ValueFormatTests {
  @Test(
    "Numbers have the order and the sign that their form says",
    arguments: [
      (.hex, [0x00, 0xFF], "00ff"), (.hex, [], ""), (.text, Array("an \u{1B}[2J".utf8), "an \\u{1b}[2J"),
      (.text, [], ""),
      (.uint8, [0xFF], "255"), (.int8, [0xFF], "-1"), (.int8, [0x80, 0x7F], "-128 127"),
      (.uint16le, [0x01, 0x02], "513"), (.uint16be, [0x01, 0x02], "258"),
      (.int16le, [0xFF, 0xFF, 0x00, 0x80], "-1 -32768"),
      (.uint32le, [0, 0, 0, 0x80], "2147483648"), (.int32be, [0x80, 0, 0, 0], "-2147483648"),
      (.uint64le, [UInt8](repeating: 0xFF, count: 8), "18446744073709551615"),
      (.int64be, [0x80, 0, 0, 0, 0, 0, 0, 0], "-9223372036854775808"),
    ] as [(ValueFormat, [UInt8], String)]) func printed(format: ValueFormat, value: [UInt8], text: String) throws
  {
    #expect(try format.words(value) == text)
  }

  @Test(
    "A value without that form is bad data",
    arguments: [
      (.text, [0xFF]), (.uint8, []), (.uint16le, [1]), (.uint16le, [1, 2, 3]), (.uint32be, [1, 2]),
      (.int64le, [UInt8](repeating: 0, count: 9)),
    ] as [(ValueFormat, [UInt8])]) func unfit(format: ValueFormat, value: [UInt8])
  {
    do throws(CommandFailure) {
      _ = try format.words(value)
      Issue.record("it was printed")
    } catch {
      #expect(error.status == .badData)
    }
  }

  @Test("A value on the command line is hex:, text:, other text, or what a flag says") func typed() throws {
    #expect(try TypedValue.bytes("hex:00ff", file: nil, form: nil) == [0, 0xFF])
    #expect(try TypedValue.bytes("text:hex:00", file: nil, form: nil) == Array("hex:00".utf8))
    #expect(try TypedValue.bytes("on", file: nil, form: nil) == Array("on".utf8))
    #expect(try TypedValue.bytes("00 ff", file: nil, form: .hex) == [0, 0xFF])
    #expect(try TypedValue.bytes("hex:00", file: nil, form: .text) == Array("hex:00".utf8))
    #expect(try TypedValue.bytes("", file: nil, form: nil) == [])
    #expect(try TypedValue.bytes(String(repeating: "x", count: 512), file: nil, form: nil).count == 512)
  }

  @Test("A file is digits, a text without the newline at its end, or bytes as they are") func files() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    func read(_ contents: [UInt8], _ form: TypedValue.Form?) throws -> [UInt8] {
      try Data(contents).write(to: file)
      return try TypedValue.bytes(nil, file: file.path, form: form)
    }
    #expect(try read(Array("00\nff\n".utf8), .hex) == [0, 0xFF])
    #expect(try read(Array("on\r\n".utf8), .text) == Array("on".utf8))
    #expect(try read(Array("on\n".utf8), nil) == Array("on\n".utf8))
    #expect(try read([0xFF, 0x00, 0x0A], nil) == [0xFF, 0x00, 0x0A])
    // Digits of the longest value, in lines.
    #expect(try read(Array(String(repeating: "00\n", count: 512).utf8), .hex).count == 512)
  }

  @Test("Digits that are none, and more than 512 bytes, are bad data; a file that is not there is not") func refused() {
    func status(
      _ value: String?, _ file: String? = nil, _ form: TypedValue.Form? = nil
    ) -> LatchkeyCommandLine.ExitStatus? {
      do throws(CommandFailure) {
        _ = try TypedValue.bytes(value, file: file, form: form)
        return nil
      } catch {
        return error.status
      }
    }
    #expect(status("hex:0") == .badData)
    #expect(status("0g", nil, .hex) == .badData)
    #expect(status(String(repeating: "x", count: 513)) == .badData)
    #expect(status(nil, "/dev/zero") == .badData)
    #expect(status(nil, "/nowhere/at/all") == .inputOutput)
    #expect(status(nil, "/tmp") == .inputOutput)
  }
}
