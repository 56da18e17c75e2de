import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// A conversation with one half of a bearer, written as text: inputs, each followed by all that must come of it.
///
/// The first character says what a line is; spaces mean nothing, `#` begins a comment, `ab*20` is `ab` 20 times. `>` is a
/// PDU of the peer and `<` one of ours, in hexadecimal; what the others are stands with each bench.
protocol ATTBench {
  /// Carries an input out and describes its outputs, each as a line; nil if the line is no input.
  mutating func perform(_ line: String) throws -> [String]?
}

extension ATTBench {
  mutating func play(_ transcript: String, _ location: SourceLocation = #_sourceLocation) throws {
    var expected: [String] = []
    var actual: [String] = []
    var input = "the beginning"
    for line in transcript.split(separator: "\n").map({ $0.prefix { $0 != "#" } }) {
      let line = ATTText.expanded(line.trimmed)
      guard !line.isEmpty else { continue }
      if let outputs = try perform(line) {
        #expect(actual == expected, "after \(input)", sourceLocation: location)
        (input, actual, expected) = (line, outputs.map(\.squeezed), [])
      } else {
        expected.append(line.squeezed)
      }
    }
    #expect(actual == expected, "after \(input)", sourceLocation: location)
  }
}

extension StringProtocol {
  fileprivate var trimmed: String {
    var text = String(self)
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
  fileprivate var squeezed: String { String(filter { $0 != " " }) }
}

/// The notation of transcripts.
enum ATTText {
  /// The fields after a line's first character.
  static func words(_ line: String) -> [String] { line.dropFirst().split(separator: " ").map { String($0) } }

  /// A line with repeated bytes, such as `ab*20`, written out.
  static func expanded(_ line: String) -> String {
    let words = line.split(separator: " ").map { word -> String in
      guard let star = word.lastIndex(of: "*"), let count = Int(word[word.index(after: star)...]) else {
        return String(word)
      }
      let head = word[..<star]
      return String(head.dropLast(2)) + String(repeating: String(head.suffix(2)), count: count)
    }
    return words.joined(separator: " ")
  }

  /// The PDU in a frame, as hexadecimal; the headroom must be untouched.
  static func frame(_ frame: [UInt8]) -> String {
    #expect(frame.prefix(OutgoingFrame.headroom).allSatisfy { $0 == 0 })
    return "< " + Hexadecimal.encode(frame.dropFirst(OutgoingFrame.headroom))
  }

  /// Four digits.
  static func handle(_ handle: AttributeHandle) -> String {
    Hexadecimal.encode([UInt8(handle >> 8), UInt8(handle & 0xFF)])
  }

  /// Two handles with a hyphen.
  static func range(_ range: AttributeHandleRange) -> String { handle(range.start) + "-" + handle(range.end) }

  /// Parses the output of `handle(_:)`.
  static func handle(reading text: some StringProtocol) throws -> AttributeHandle {
    try #require(AttributeHandle(text, radix: 16))
  }

  /// Parses the output of `range(_:)`.
  static func range(reading text: String) throws -> AttributeHandleRange {
    let ends = text.split(separator: "-")
    return AttributeHandleRange(try handle(reading: #require(ends.first)), try handle(reading: #require(ends.last)))
  }

  /// A UUID of 4, 8 or 32 digits.
  static func uuid(reading text: some StringProtocol) throws -> BluetoothUUID {
    try #require(BluetoothUUID(bigEndian: try Hexadecimal.decode(text)))
  }
}
