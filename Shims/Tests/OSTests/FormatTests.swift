import Foundation
import Glibc
import Testing

@testable import os

private func format(_ format: String, _ arguments: Any?..., errorNumber: Int32 = 0) -> String {
  FormattedMessage.text(format, arguments, errorNumber: errorNumber)
}

private struct Point {}

struct FormatTests {
  @Test("Numbers are public, objects and strings private")
  func defaults() {
    #expect(format("%d %u %x %f %c", 1, 2 as UInt32, 255, 1.5, 65 as Int32) == "1 2 ff 1.500000 A")
    #expect(format("%@ and %s", "a", "b") == "<private> and <private>")
    #expect(format("%p", UnsafeRawPointer(bitPattern: 255)) == "0xff")
  }

  @Test("What is said of privacy decides")
  func privacy() {
    #expect(format("%{public}@ %{public}s", "a" as NSString, "b") == "a b")
    #expect(format("%{private}d %{private}f %{sensitive}@", 1, 2.0, "a") == "<private> <private> <private>")
    #expect(format("%{private, public}@ %{public,private}@", "a", "b") == "<private> <private>")
    #expect(format("%{ public }@ %{PUBLIC}@", "a", "b") == "a <private>")
    let hash = format("%{private, mask.hash}s", "Anna")
    #expect(hash == format("%{mask.hash}@", "Anna"))
    #expect(hash.hasPrefix("<mask.hash: '") && !hash.contains("Anna"))
    #expect(format("%{public, mask.hash}@", "Anna") == hash)
  }

  @Test("Flags, width and precision are those of printf")
  func layout() {
    #expect(
      format("[%5d] [%-5d] [%05d] [%+d] [% d] [%.3d]", 42, 42, 42, 42, 42, 7)
        == "[   42] [42   ] [00042] [+42] [ 42] [007]")
    #expect(format("[%05d] [%-05d] [%08.3d]", -42, 42, 7) == "[-0042] [42   ] [     007]")
    #expect(format("%#x %#X %#o %x %X", 255, 255, 8, 255, 255) == "0xff 0XFF 010 ff FF")
    #expect(
      format("%.2f [%8.3f] [%-8.1f] %e %g", 3.14159, 2.0, 2.0, 1234.5, 0.5)
        == "3.14 [   2.000] [2.0     ] 1.234500e+03 0.5")
    #expect(format("[%{public}5s] [%{public}-5s] [%{public}.2s]", "ab", "ab", "abc") == "[   ab] [ab   ] [ab]")
    #expect(format("[%*d] [%-*d] [%*d] [%.*f]", 4, 7, 4, 7, -4, 7, 1, 2.25) == "[   7] [7   ] [7   ] [2.2]")
    #expect(format("100%% %ld %lld %zu %hhd", 1, 2, 3 as UInt, 4) == "100% 1 2 3 4")
  }

  @Test("Integers of each size are whole")
  func integers() {
    #expect(format("%d %d", Int64.min, UInt64.max) == "-9223372036854775808 18446744073709551615")
    #expect(format("%x %u", Int8(-1), Int16(-1)) == "ff 65535")
    #expect(format("%d %{BOOL}d %{bool}d %{BOOL}d", true, 1, 0, 0) == "1 YES false NO")
    #expect(format("%{errno}d", 2) == "[2: No such file or directory]")
    #expect(format("%{darwin.errno}d", Int64.max).hasPrefix("[9223372036854775807: "))
  }

  @Test("An error number is that of the call before")
  func errorNumber() {
    #expect(format("%m", errorNumber: ENOENT) == "No such file or directory")
    #expect(format("%{private}m", errorNumber: ENOENT) == "<private>")
  }

  @Test("Objects describe themselves, and what is nil is null")
  func objects() {
    #expect(format("%{public}@ %{public}@", NSNumber(value: 5), [1, 2]) == "5 [1, 2]")
    #expect(format("%{public}@ %{public}s %p", nil, nil, nil) == "(null) (null) 0x0")
    #expect(format("%{public}@", Optional<String>.none) == "(null)")
    #expect(format("%{public}@", NSError(domain: "radio", code: 7)).contains("radio"))
    #expect(format("%{public}s", "static" as StaticString) == "static")
  }

  @Test("A C string is read up to its end or the precision")
  func pointers() {
    let bytes = Array("hello\0behind".utf8CString)
    bytes.withUnsafeBufferPointer {
      #expect(format("%{public}s", $0.baseAddress) == "hello")
      #expect(format("%{public}.3s", $0.baseAddress) == "hel")
      #expect(format("%s", $0.baseAddress) == "<private>")
    }
    let open: [UInt8] = [0x61, 0x62, 0xFF, 0x63]
    open.withUnsafeBufferPointer { #expect(format("%{public}.3s", $0.baseAddress) == "ab\u{FFFD}") }
  }

  @Test("An argument of another type is named, never read")
  func mismatches() {
    #expect(format("%d", "text") == "<decode: mismatch for [%d] got [String]>")
    #expect(format("%5.2f", 1) == "<decode: mismatch for [%5.2f] got [Int]>")
    #expect(format("%s", 0x4141_4141) == "<decode: mismatch for [%s] got [Int]>")
    #expect(
      format("%{public}s", UnsafeRawPointer(bitPattern: 1))
        == "<decode: mismatch for [%{public}s] got [UnsafeRawPointer]>")
    #expect(format("%x", 1.5) == "<decode: mismatch for [%x] got [Double]>")
    #expect(format("%d", nil) == "<decode: mismatch for [%d] got [nil]>")
    #expect(format("%p", "a") == "<decode: mismatch for [%p] got [String]>")
    #expect(format("%c %C", "a", 1.0).contains("mismatch for [%C]"))
    #expect(format("%d", Point()) == "<decode: mismatch for [%d] got [Point]>")
    #expect(format("%{public}@", Point()) == "Point()")
  }

  @Test("Missing arguments are named, extra ones are left")
  func missing() {
    #expect(format("%d %@ %s", 1) == "1 <decode: missing data> <decode: missing data>")
    #expect(format("%*d", 5) == "<decode: missing data>")
    #expect(format("%*d", "5", 1) == "<decode: missing data>")
    #expect(format("%.*f") == "<decode: missing data>")
    #expect(format("a", 1, 2, 3) == "a")
  }

  @Test(
    "A format that ends within a directive is shown as it is",
    arguments: ["%", "a%", "%{", "%{public", "%-", "%5", "%5.", "%l", "%*", "%{public}"])
  func unfinished(_ text: String) {
    #expect(format(text, 1, 2, 3) == text)
  }

  @Test("What writes to memory, or is unknown, does nothing")
  func unsupported() {
    #expect(format("%n%d", 1) == "<decode: unsupported [%n]>1")
    #expect(format("%y", 1) == "<decode: unsupported [%y]>")
    #expect(format("%é|%🎉", 1, 2) == "<decode: unsupported [%é]>|<decode: unsupported [%🎉]>")
    #expect(format("%{public}.16P", UnsafeRawPointer(bitPattern: 1)) == "<bytes>")
  }

  @Test("Widths without sense make no text without bound")
  func hostileWidths() {
    for width in ["99999999999999999999", "2147483648", "18446744073709551616"] {
      #expect(format("%\(width)d", 1).count == largestWidth)
      #expect(format("%.\(width)d", 1).count == largestWidth)
      #expect(format("%.\(width)f", 1.5).count <= largestWidth + 2)
      #expect(format("%{public}\(width)s", "a").count == largestWidth)
    }
    for width in [Int.min, Int.max, -1_000_000] {
      #expect(format("%*d", width, 1).count == largestWidth)
      #expect(format("%.*d", width, 1).count <= largestWidth)
      #expect(format("%.*f", width, 1.5).count <= largestWidth + 2)
    }
    #expect(format("%c%c", UInt64.max, 0xD800) == "\u{FFFD}\u{FFFD}")
  }

  @Test("No format and no arguments end the program")
  func random() {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "%", "{", "}", "public", "private", ",", "*", ".", "-", "+", "#", "0", "9", "d", "s", "@", "f", "x", "P", "m",
      "n", "c", "p", "l", "é", " ", "%%", "mask.hash",
    ]
    let arguments: [Any?] = [1, -1, "a", nil, 1.5, UInt64.max, Int64.min, "b" as NSString, Point(), Double.nan, true]
    for _ in 0..<5_000 {
      let text = (0..<8).map { _ in pieces.randomElement(using: &generator)! }.joined()
      let some = (0..<4).map { _ in arguments.randomElement(using: &generator)! }
      #expect(FormattedMessage.text(text, some, errorNumber: 0).count < 8 * (largestWidth + 64))
    }
  }
}
