internal import Foundation

/// The name of a user, as bytes: two names are equal only if their UTF-8 is.
///
/// `String` compares by canonical equivalence, databases and other languages compare bytes: `"jos\u{E9}" == "jose\u{301}"`
/// holds for `String`, and no query finds one by the other. The owner of an account must not depend on which of them compares.
/// A typed name enters by ``init(entered:)``, in one form; a stored name stays as stored.
public struct UserName: Sendable, Hashable {
  /// The name as text, for display and binding. Do not compare it.
  public let text: String

  /// Creates a name that is stored or was validated before, without validation or change.
  public init(stored text: String) { self.text = text }

  /// Compares the UTF-8.
  public static func == (a: UserName, b: UserName) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  /// Hashes the UTF-8.
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
  /// Creates a name from a literal.
  public init(stringLiteral value: String) { self.init(stored: value) }
}

/// The reason that a text is not a valid user name.
public struct UserNameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The remedy.
  public let description: String
}

extension UserName {
  /// The maximum length of a name in characters (Unicode scalars): the limit of a certificate's organization (RFC 5280, A.1).
  public static let longest = 64

  /// Normalizes a typed name by PRECIS' profile UsernameCasePreserved (RFC 8265 3.4): characters of other widths become their
  /// usual ones, and the result is in NFC. Case is preserved.
  ///
  /// Letters, digits and marks of all scripts, printable ASCII, and single spaces between words are accepted. Refused are the
  /// characters that the IdentifierClass (RFC 8264 4.2) refuses: controls, symbols and punctuation beyond ASCII, compatibility
  /// characters, invisible characters. Two rules differ from the RFC: characters that it allows only in some contexts (joiners,
  /// the middle dot) are refused, except digits of one kind; its rule of writing direction (RFC 5893), which needs tables that
  /// Swift lacks, is not applied.
  ///
  /// - Throws: ``UserNameError`` for an invalid name.
  public init(entered typed: String) throws(UserNameError) {
    guard typed.utf8.count <= 4 * 256 else { throw Self.tooLong }
    var wide = String.UnicodeScalarView()
    for scalar in typed.unicodeScalars {
      // The block of halfwidth and fullwidth forms, and the ideographic space.
      if (0xFF01...0xFFEE).contains(scalar.value) || scalar.value == 0x3000 {
        wide.append(contentsOf: String(scalar).precomposedStringWithCompatibilityMapping.unicodeScalars)
      } else {
        wide.append(scalar)
      }
    }
    // Decomposed first: composing at once leaves marks that decompose (U+0F73) behind other marks out of canonical order, so that
    // the name would have another form when it is entered again.
    let name = String(wide).decomposedStringWithCanonicalMapping.precomposedStringWithCanonicalMapping
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

  /// The stored names that a typed text may mean in a store with names older than normalization: as typed, then normalized,
  /// then decomposed. Without repetition.
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

  /// RFC 8264 8, in its order: exceptions, unassigned, ASCII, joiners, old Hangul, ignorable characters, controls,
  /// compatibility, letters and digits.
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
