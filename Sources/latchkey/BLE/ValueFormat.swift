import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeySystem

/// How a value is printed.
enum ValueFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  case hex
  case text
  case raw
  case uint8, int8
  case uint16le, uint16be, int16le, int16be
  case uint32le, uint32be, int32le, int32be
  case uint64le, uint64be, int64le, int64be

  /// The value; numbers of several are separated by blanks.
  ///
  /// - Throws: `badData` for a value that has not this form.
  func words(_ value: [UInt8]) throws(CommandFailure) -> String {
    switch self {
    case .hex: return Hexadecimal.encode(value)
    case .text, .raw:
      guard let text = String(validating: value, as: UTF8.self) else { throw unfit(value, "it is not UTF-8") }
      return PrintableText.escaped(text)
    default:
      guard !value.isEmpty, value.count % width == 0 else {
        throw unfit(value, "\(rawValue) has \(width) byte\(width == 1 ? "" : "s")")
      }
      return stride(from: 0, to: value.count, by: width).map { number(value[$0..<$0 + width]) }.joined(separator: " ")
    }
  }

  private func unfit(_ value: [UInt8], _ reason: String) -> CommandFailure {
    CommandFailure(
      .badData,
      "the value of \(value.count) bytes cannot be printed as \(rawValue), since \(reason): "
        + (value.isEmpty ? "it is empty" : "it is \(Hexadecimal.encode(value))"))
  }

  /// The bytes of a number.
  private var width: Int {
    switch self {
    case .hex, .text, .raw, .uint8, .int8: 1
    case .uint16le, .uint16be, .int16le, .int16be: 2
    case .uint32le, .uint32be, .int32le, .int32be: 4
    case .uint64le, .uint64be, .int64le, .int64be: 8
    }
  }

  private func number(_ bytes: ArraySlice<UInt8>) -> String {
    let isLittle = rawValue.hasSuffix("le")
    var bits: UInt64 = 0
    for byte in isLittle ? Array(bytes.reversed()) : Array(bytes) { bits = bits << 8 | UInt64(byte) }
    guard rawValue.hasPrefix("int") else { return "\(bits)" }
    let unused = 64 - 8 * bytes.count
    return "\(Int64(bitPattern: bits << UInt64(unused)) >> Int64(unused))"
  }
}
