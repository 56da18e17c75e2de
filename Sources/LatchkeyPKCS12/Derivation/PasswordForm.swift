import Foundation
import LatchkeyByteCoding

/// A password in the two encodings that files use.
struct PasswordForm {
  /// For PKCS #12's own derivation: UTF-16, most significant byte first, with a terminating zero (RFC 7292 B.1).
  let wide: SecretBytes
  /// For PBKDF2 and scrypt: UTF-8 without a zero (RFC 9579 7).
  let narrow: SecretBytes

  /// The encodings of `password` by known writers, the standard form first.
  ///
  /// An empty password is either no bytes or the terminating zero alone. Beyond ASCII, old OpenSSL widened the given bytes in
  /// any encoding; other writers used Latin-1 instead of UTF-8; and old NSS passed the wide form to PBKDF2.
  static func candidates(for password: String?) -> [PasswordForm] {
    let text = password ?? ""
    guard !text.isEmpty else {
      let none = SecretBytes(count: 0)
      let forms = [
        PasswordForm(wide: SecretBytes(count: 2), narrow: none), PasswordForm(wide: none, narrow: none),
      ]
      return password == nil ? forms.reversed() : forms
    }
    let wide = wide(text.utf16)
    let narrow = SecretBytes(Array(text.utf8))
    var forms = [PasswordForm(wide: wide, narrow: narrow)]
    if !text.utf8.allSatisfy({ $0 < 0x80 }) {
      forms.append(PasswordForm(wide: self.wide(text.utf8.map(UInt16.init)), narrow: narrow))
      let scalars = text.unicodeScalars
      if scalars.allSatisfy({ $0.value < 0x100 }) {
        forms.append(
          PasswordForm(wide: wide, narrow: SecretBytes(scalars.map { UInt8(truncatingIfNeeded: $0.value) })))
      }
    }
    forms.append(PasswordForm(wide: wide, narrow: wide))
    return forms
  }

  /// The form of a password for new files.
  static func written(_ password: String) -> PasswordForm {
    PasswordForm(wide: wide(password.utf16), narrow: SecretBytes(Array(password.utf8)))
  }

  private static func wide(_ units: some Sequence<UInt16>) -> SecretBytes {
    var bytes: [UInt8] = []
    for unit in units { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
    bytes += [0, 0]
    return SecretBytes(consuming: &bytes)
  }
}
