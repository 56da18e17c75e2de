/// A display name, of a device or of a server in the audit chain. No decision depends on it.
///
/// Invisible characters and bidirectional controls could make one name look like another, or forge a line of a log.
package enum ShownName {
  /// The maximum length of a device's name in characters (Unicode scalars).
  package static let longest = 64
  /// The maximum number of marks on one letter: Vietnamese uses two, pointed Hebrew three.
  private static let mostMarks = 4

  /// Whether `name` has 1 to `longest` visible characters, no blank at either end, and no excess of marks.
  package static func isValid(_ name: String, longest: Int = longest) -> Bool {
    let scalars = name.unicodeScalars
    guard (1...longest).contains(scalars.count), scalars.first != " ", scalars.last != " " else { return false }
    var marks = 0
    for (place, scalar) in scalars.enumerated() {
      guard scalar == " " || isShown(scalar) else { return false }
      marks = isMark(scalar) ? marks + 1 : 0
      guard marks <= mostMarks, place > 0 || marks == 0 else { return false }
    }
    return true
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    // Emoji presentation (FE0F) is default-ignorable, but belongs to common emoji such as hearts.
    if scalar.value == 0xFE0F { return true }
    // U+2800 is a Braille pattern without a dot.
    guard !properties.isDefaultIgnorableCodePoint, scalar.value != 0x2800 else { return false }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator:
      return false
    default: return true
    }
  }
}
