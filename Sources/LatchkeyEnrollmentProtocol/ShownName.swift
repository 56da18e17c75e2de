/// A name that people read, and nothing is decided by: a device's, a server's in the audit chain.
///
/// What does not show, or turns the writing around, could make one name look like another, or forge a line of a log.
package enum ShownName {
  /// The most characters (Unicode scalars) of a device's.
  package static let longest = 64
  /// Marks that one letter may carry: Vietnamese has two, pointed Hebrew three.
  private static let mostMarks = 4

  /// Whether `name` has 1 to `longest` characters that show, none of them a blank at an end, and no heaps of marks.
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
    // Emoji presentation (FE0F) is ignorable, and part of how people write hearts.
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
