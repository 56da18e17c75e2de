// Names of Apple's, which Apple documents.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

internal import Foundation

/// No column, digit or precision of a message is beyond this: a width may come from data.
let largestWidth = 512

extension Int {
  fileprivate var bounded: Int { Swift.max(0, Swift.min(self, largestWidth)) }
}

/// Columns that a value fills at least.
public struct OSLogStringAlignment {
  private enum Side { case left, right }
  private let side: Side
  private let columns: () -> Int

  public static var none: OSLogStringAlignment { OSLogStringAlignment(side: .right) { 0 } }
  public static func left(columns: @autoclosure @escaping () -> Int) -> OSLogStringAlignment {
    OSLogStringAlignment(side: .left, columns: columns)
  }
  public static func right(columns: @autoclosure @escaping () -> Int) -> OSLogStringAlignment {
    OSLogStringAlignment(side: .right, columns: columns)
  }

  private init(side: Side, columns: @escaping () -> Int) {
    self.side = side
    self.columns = columns
  }

  func padded(_ text: String) -> String {
    let missing = columns().bounded - text.count
    guard missing > 0 else { return text }
    let spaces = String(repeating: " ", count: missing)
    return side == .left ? text + spaces : spaces + text
  }
}

/// How an integer is written.
public struct OSLogIntegerFormatting {
  private let radix: Int
  private let prefix: String
  private let uppercase: Bool
  private let explicitPositiveSign: Bool
  private let minDigits: () -> Int

  public static var decimal: OSLogIntegerFormatting { .decimal() }
  public static func decimal(
    explicitPositiveSign: Bool = false, minDigits: @autoclosure @escaping () -> Int = 1
  ) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(
      radix: 10, prefix: "", uppercase: false, explicitPositiveSign: explicitPositiveSign, minDigits: minDigits)
  }

  public static var hex: OSLogIntegerFormatting { .hex() }
  public static func hex(
    explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false,
    minDigits: @autoclosure @escaping () -> Int = 1
  ) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(
      radix: 16, prefix: includePrefix ? (uppercase ? "0X" : "0x") : "", uppercase: uppercase,
      explicitPositiveSign: explicitPositiveSign, minDigits: minDigits)
  }

  public static var octal: OSLogIntegerFormatting { .octal() }
  public static func octal(
    explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false,
    minDigits: @autoclosure @escaping () -> Int = 1
  ) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(
      radix: 8, prefix: includePrefix ? "0o" : "", uppercase: uppercase,
      explicitPositiveSign: explicitPositiveSign, minDigits: minDigits)
  }

  /// Only decimal numbers have a sign; the others show the bits of a negative one, as `printf` does.
  func text<Number: FixedWidthInteger>(of number: Number) -> String {
    let magnitude = radix == 10 ? number.magnitude : Number.Magnitude(truncatingIfNeeded: number)
    let digits = String(magnitude, radix: radix, uppercase: uppercase)
    let zeros = String(repeating: "0", count: max(0, minDigits().bounded - digits.count))
    let isNegative = radix == 10 && number < 0
    return (isNegative ? "-" : explicitPositiveSign ? "+" : "") + prefix + zeros + digits
  }
}

/// How a floating-point number is written.
public struct OSLogFloatFormatting {
  private let conversion: String
  private let explicitPositiveSign: Bool
  private let precision: (() -> Int)?

  private static func make(
    _ lower: String, _ upper: String, _ sign: Bool, _ uppercase: Bool, _ precision: (() -> Int)?
  ) -> OSLogFloatFormatting {
    OSLogFloatFormatting(conversion: uppercase ? upper : lower, explicitPositiveSign: sign, precision: precision)
  }

  public static var fixed: OSLogFloatFormatting { .make("f", "F", false, false, nil) }
  public static func fixed(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
    .make("f", "F", explicitPositiveSign, uppercase, nil)
  }
  public static func fixed(
    precision: @autoclosure @escaping () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
  ) -> OSLogFloatFormatting { .make("f", "F", explicitPositiveSign, uppercase, precision) }

  public static var hex: OSLogFloatFormatting { .make("a", "A", false, false, nil) }
  public static func hex(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
    .make("a", "A", explicitPositiveSign, uppercase, nil)
  }

  public static var exponential: OSLogFloatFormatting { .make("e", "E", false, false, nil) }
  public static func exponential(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
    .make("e", "E", explicitPositiveSign, uppercase, nil)
  }
  public static func exponential(
    precision: @autoclosure @escaping () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
  ) -> OSLogFloatFormatting { .make("e", "E", explicitPositiveSign, uppercase, precision) }

  public static var hybrid: OSLogFloatFormatting { .make("g", "G", false, false, nil) }
  public static func hybrid(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
    .make("g", "G", explicitPositiveSign, uppercase, nil)
  }
  public static func hybrid(
    precision: @autoclosure @escaping () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
  ) -> OSLogFloatFormatting { .make("g", "G", explicitPositiveSign, uppercase, precision) }

  func text(of number: Double) -> String {
    var format = explicitPositiveSign ? "%+" : "%"
    if let precision { format += ".\(precision().bounded)" }
    return String(format: format + conversion, number)
  }
}

/// How a truth value is written.
public enum OSLogBoolFormat: Sendable {
  /// `true` or `false`.
  case truth
  /// `yes` or `no`.
  case answer

  func text(of value: Bool) -> String {
    switch self {
    case .truth: value ? "true" : "false"
    case .answer: value ? "yes" : "no"
    }
  }
}
