// Names of Apple's, which Apple documents.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

/// The text of a message, put together only if the log wants it. It is written as an interpolated literal.
public struct OSLogMessage: ExpressibleByStringInterpolation {
  let interpolation: OSLogInterpolation

  public init(stringInterpolation: OSLogInterpolation) { interpolation = stringInterpolation }

  public init(stringLiteral value: String) {
    interpolation = OSLogInterpolation(value)
  }

  var text: String { interpolation.parts.reduce(into: "") { $0 += $1() } }
}

/// What may stand in a message, with its format, alignment and privacy.
public struct OSLogInterpolation: StringInterpolationProtocol {
  var parts: [() -> String] = []

  public init(literalCapacity: Int, interpolationCount: Int) { parts.reserveCapacity(2 * interpolationCount + 1) }

  init(_ literal: String) { parts = [{ literal }] }

  public mutating func appendLiteral(_ literal: String) {
    if !literal.isEmpty { parts.append { literal } }
  }

  private mutating func append(
    _ align: OSLogStringAlignment, _ privacy: OSLogPrivacy, scalar: Bool = false, _ value: @escaping () -> String
  ) {
    parts.append { align.padded(privacy.shown(scalar: scalar, value)) }
  }

  public mutating func appendInterpolation<Number: FixedWidthInteger>(
    _ number: @autoclosure @escaping () -> Number, format: OSLogIntegerFormatting = .decimal,
    align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(align, privacy, scalar: true) { format.text(of: number()) }
  }

  public mutating func appendInterpolation(
    _ number: @autoclosure @escaping () -> Double, format: OSLogFloatFormatting = .fixed,
    align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(align, privacy, scalar: true) { format.text(of: number()) }
  }

  public mutating func appendInterpolation(
    _ number: @autoclosure @escaping () -> Float, format: OSLogFloatFormatting = .fixed,
    align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(align, privacy, scalar: true) { format.text(of: Double(number())) }
  }

  public mutating func appendInterpolation(
    _ number: @autoclosure @escaping () -> CGFloat, format: OSLogFloatFormatting = .fixed,
    align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(align, privacy, scalar: true) { format.text(of: Double(number())) }
  }

  public mutating func appendInterpolation(
    _ boolean: @autoclosure @escaping () -> Bool, format: OSLogBoolFormat = .truth, privacy: OSLogPrivacy = .auto,
    attributes: String = ""
  ) {
    append(.none, privacy, scalar: true) { format.text(of: boolean()) }
  }

  public mutating func appendInterpolation(
    _ text: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto,
    attributes: String = ""
  ) {
    append(align, privacy, text)
  }

  // Integers describe themselves, too, but are shown.
  @_disfavoredOverload
  public mutating func appendInterpolation<Value: CustomStringConvertible>(
    _ value: @autoclosure @escaping () -> Value, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto,
    attributes: String = ""
  ) {
    append(align, privacy) { value().description }
  }

  public mutating func appendInterpolation(
    _ object: @autoclosure @escaping () -> NSObject, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(.none, privacy) { object().description }
  }

  // An error that describes itself, or is an object, is taken as that.
  @_disfavoredOverload
  public mutating func appendInterpolation(
    _ error: @autoclosure @escaping () -> any Error, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(.none, privacy) { String(describing: error()) }
  }

  public mutating func appendInterpolation(
    _ type: @autoclosure @escaping () -> Any.Type, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(align, privacy) { _typeName(type(), qualified: false) }
  }

  public mutating func appendInterpolation(
    _ pointer: @autoclosure @escaping () -> UnsafeRawPointer, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(align, privacy, scalar: true) { "0x" + String(UInt(bitPattern: pointer()), radix: 16) }
  }
}
