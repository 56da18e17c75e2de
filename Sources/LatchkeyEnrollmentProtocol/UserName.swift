internal import Foundation

/// The name of a user, as bytes: two names are equal only if their UTF-8 is.
///
/// `String` compares by canonical equivalence, databases and other languages compare bytes: `"jos\u{E9}" == "jose\u{301}"`
/// holds for `String`, and no query finds one by the other. What decides whose account it is must not depend on which of them
/// asks. A name that somebody types comes in by ``init(entered:)``, in one form; one that is kept stays as it was kept.
public struct UserName: Sendable, Hashable {
  /// The name as text: to show it and to bind it. Never to be compared.
  public let text: String

  /// A name as it is kept or was verified before: not looked at, not changed.
  public init(stored text: String) { self.text = text }

  /// The same UTF-8.
  public static func == (a: UserName, b: UserName) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  /// The UTF-8.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(UInt8(0xFF))
  }
}

extension UserName: CustomStringConvertible {
  /// The name.
  public var description: String { text }
}

extension UserName: ExpressibleByStringInterpolation {
  /// A name that stands in the program.
  public init(stringLiteral value: String) { self.init(stored: value) }
}

/// Why a text is no user's name: what to change.
public struct UserNameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What to change.
  public let description: String
}

extension UserName {
  /// The most characters (Unicode scalars) of a name: what fits into a certificate's organization (RFC 5280, A.1).
  public static let longest = 64

  /// A name that somebody typed, in the one form of PRECIS' profile UsernameCasePreserved (RFC 8265 3.4): characters of other
  /// widths become their usual ones, and the whole is put into NFC. Upper and lower case stay different.
  ///
  /// Taken are letters, digits and marks of all scripts, printable ASCII, and single spaces between words; not taken is what the
  /// IdentifierClass (RFC 8264 4.2) refuses: controls, symbols and punctuation beyond ASCII, compatibility characters,
  /// characters that do not show. Two things are stricter or looser than the RFC: characters that it takes in some contexts
  /// alone (joiners, the middle dot) are refused, but for digits of one kind; its rule of writing direction (RFC 5893), which
  /// needs tables that Swift has not, is not applied.
  ///
  /// - Throws: ``UserNameError`` for what is no name.
  public init(entered typed: String) throws(UserNameError) {
    guard typed.utf8.count <= 4 * 256 else { throw Self.tooLong }
    var wide = String.UnicodeScalarView()
    for scalar in typed.unicodeScalars {
      // The block of half- and full-width forms, and the wide space.
      if (0xFF01...0xFFEE).contains(scalar.value) || scalar.value == 0x3000 {
        wide.append(contentsOf: String(scalar).precomposedStringWithCompatibilityMapping.unicodeScalars)
      } else {
        wide.append(scalar)
      }
    }
    let name = String(wide).precomposedStringWithCanonicalMapping
    guard !name.isEmpty else { throw UserNameError(description: "a user's name has at least one character") }
    guard name.unicodeScalars.count <= Self.longest else { throw Self.tooLong }
    guard Self.isOneSpaced(name.unicodeScalars) else {
      throw UserNameError(description: "a user's name has single spaces, between words alone")
    }
    guard name.unicodeScalars.allSatisfy({ $0 == " " || Self.isTaken($0) }) else {
      throw UserNameError(
        description: "a user's name has letters, digits, marks, printable ASCII and single spaces, and nothing else")
    }
    guard !Self.mixesDigits(name.unicodeScalars) else {
      throw UserNameError(description: "a user's name has Arabic digits of one kind")
    }
    text = name
  }

  /// The names that an entered text can mean in a store that has names from before they had one form: just as it was typed, then
  /// in the one form, then decomposed. Without repetition.
  public static func candidates(entered typed: String) -> [UserName] {
    guard typed.utf8.count <= 4 * 256, !typed.isEmpty else { return [] }
    var names = [UserName(stored: typed)]
    if let name = try? UserName(entered: typed) {
      for other in [name, UserName(stored: name.text.decomposedStringWithCanonicalMapping)]
      where !names.contains(other) {
        names.append(other)
      }
    }
    return names
  }

  private static let tooLong = UserNameError(description: "a user's name has at most \(longest) characters")

  private static func isOneSpaced(_ scalars: String.UnicodeScalarView) -> Bool {
    var previous: Unicode.Scalar = " "
    for scalar in scalars {
      if scalar == " ", previous == " " { return false }
      previous = scalar
    }
    return previous != " "
  }

  /// RFC 8264 8, in its order: exceptions, unassigned, ASCII, joiners, old Hangul, what does not show, controls, compatibility,
  /// letters and digits.
  private static func isTaken(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007, 0x660...0x669, 0x6F0...0x6F9: return true
    case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
    case 0x21...0x7E: return true
    case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: return false
    default: break
    }
    let properties = scalar.properties
    guard !properties.isDefaultIgnorableCodePoint, !properties.isNoncharacterCodePoint else { return false }
    switch properties.generalCategory {
    case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark,
      .spacingMark:
      return String(scalar).precomposedStringWithCompatibilityMapping.unicodeScalars.elementsEqual(
        String(scalar).precomposedStringWithCanonicalMapping.unicodeScalars)
    default: return false
    }
  }

  /// RFC 5892 A.8 and A.9: Arabic-Indic digits and the extended ones look alike.
  private static func mixesDigits(_ scalars: String.UnicodeScalarView) -> Bool {
    scalars.contains { (0x660...0x669).contains($0.value) } && scalars.contains { (0x6F0...0x6F9).contains($0.value) }
  }
}
