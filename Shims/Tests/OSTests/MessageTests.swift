import Foundation
import Testing

@testable import os

private func text(_ message: OSLogMessage) -> String { message.text }

private struct Point: CustomStringConvertible {
  var description: String { "(1, 2)" }
}
private enum Failure: Error { case timeout(Int) }
private enum Described: Error, CustomStringConvertible {
  case gone
  var description: String { "it is gone" }
}

struct MessageTests {
  @Test("Numbers and truth values are public, all else is private")
  func defaults() {
    #expect(text("") == "")
    #expect(text("plain % text") == "plain % text")
    #expect(text("\(1) \(UInt8(2)) \(-3 as Int64) \(true)") == "1 2 -3 true")
    #expect(text("\(1.5) \(Float(2.5)) \(CGFloat(3))") == "1.500000 2.500000 3.000000")
    #expect(text("\("a") \(Point()) \(NSString("b")) \([1])") == "<private> <private> <private> <private>")
    #expect(text("\(Failure.timeout(1)) \(Described.gone) \(Int.self)") == "<private> <private> <private>")
    #expect(text("\(UnsafeRawPointer(bitPattern: 0x10)!)") == "0x10")
  }

  @Test("What is public appears as it describes itself")
  func publicValues() {
    #expect(text("\("a", privacy: .public)\(Point(), privacy: .public)") == "a(1, 2)")
    #expect(text("\(NSString("b"), privacy: .public) \([1, 2], privacy: .public)") == "b [1, 2]")
    #expect(text("\(Failure.timeout(1), privacy: .public)") == "timeout(1)")
    #expect(text("\(Described.gone, privacy: .public)") == "it is gone")
    #expect(text("\([String: Int].self, privacy: .public)") == "Dictionary<String, Int>")
    #expect(text("\(NSError(domain: "d", code: 7), privacy: .public)").contains("d"))
    let error: any Error = Failure.timeout(2)
    #expect(text("\(error, privacy: .public)") == "timeout(2)")
    #expect(text("\(error.localizedDescription)") == "<private>")
  }

  @Test("Private numbers and truth values are masked")
  func privateScalars() {
    #expect(
      text("\(1, privacy: .private) \(1.5, privacy: .sensitive) \(true, privacy: .private)")
        == "<private> <private> <private>")
    #expect(text("\(1, privacy: .auto(mask: .hash))").hasPrefix("<mask.hash: '"))
  }

  @Test("A hash is the same for the same value alone")
  func hashes() {
    let first = text("\("Anna", privacy: .private(mask: .hash))")
    #expect(first == text("\("Anna", privacy: .sensitive(mask: .hash))"))
    #expect(first == text("\("Anna", privacy: .auto(mask: .hash))"))
    #expect(first != text("\("anna", privacy: .private(mask: .hash))"))
    #expect(first != text("\("", privacy: .private(mask: .hash))"))
    #expect(first.count == "<mask.hash: ''>".count + 12)
  }

  @Test("Integers are written in each format")
  func integers() {
    #expect(text("\(42, format: .hex) \(42, format: .octal) \(42, format: .decimal)") == "2a 52 42")
    #expect(text("\(42, format: .hex(includePrefix: true, uppercase: true, minDigits: 4))") == "0X002A")
    #expect(text("\(42, format: .octal(includePrefix: true))") == "0o52")
    #expect(text("\(42, format: .decimal(explicitPositiveSign: true, minDigits: 5))") == "+00042")
    #expect(text("\(-42, format: .decimal(minDigits: 4))") == "-0042")
    #expect(text("\(Int8(-1), format: .hex) \(Int16(-2), format: .octal)") == "ff 177776")
    #expect(text("\(Int64.min) \(UInt64.max) \(Int8.min)") == "-9223372036854775808 18446744073709551615 -128")
    #expect(text("\(Int.min, format: .hex)") == "8000000000000000")
  }

  @Test("Floating-point numbers are written in each format")
  func floats() {
    #expect(text("\(3.14159, format: .fixed(precision: 2))") == "3.14")
    #expect(text("\(3.14159, format: .fixed(precision: 0, explicitPositiveSign: true))") == "+3")
    #expect(text("\(1234.5, format: .exponential(precision: 1))") == "1.2e+03")
    #expect(text("\(1234.5, format: .exponential(uppercase: true))") == "1.234500E+03")
    #expect(text("\(0.0001, format: .hybrid)") == "0.0001")
    #expect(text("\(1.0, format: .hex)") == "0x1p+0")
    #expect(text("\(Double.nan) \(Double.infinity) \(-Double.infinity)") == "nan inf -inf")
    #expect(text("\(Double.greatestFiniteMagnitude)").count == 316)
  }

  @Test("Truth values are written in each format")
  func booleans() {
    #expect(text("\(true, format: .answer) \(false, format: .answer) \(false, format: .truth)") == "yes no false")
  }

  @Test("Columns are filled on either side, also around what is masked")
  func alignment() {
    #expect(text("[\(7, align: .right(columns: 4))] [\(7, align: .left(columns: 4))]") == "[   7] [7   ]")
    #expect(text("[\("ab", align: .left(columns: 4), privacy: .public)]") == "[ab  ]")
    #expect(text("[\("ab", align: .right(columns: 12))]") == "[   <private>]")
    #expect(text("[\("abc", align: .right(columns: 2), privacy: .public)]") == "[abc]")
  }

  @Test("Widths without sense make no text without bound, and end nothing", arguments: [-1, Int.min, Int.max, 100_000])
  func hostileWidths(_ width: Int) {
    #expect(text("\("a", align: .left(columns: width), privacy: .public)").count <= largestWidth)
    #expect(text("\(1, format: .decimal(minDigits: width))").count <= largestWidth)
    #expect(text("\(1, format: .hex(minDigits: width))").count <= largestWidth)
    #expect(text("\(1.5, format: .fixed(precision: width))").count <= largestWidth + 2)
    #expect(text("\(1.5, format: .exponential(precision: width))").count <= largestWidth + 8)
  }
}
