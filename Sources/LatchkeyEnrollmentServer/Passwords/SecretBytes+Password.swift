internal import Foundation
internal import LatchkeyByteCoding

extension SecretBytes {
  /// A password in the form that is hashed: canonically composed, in UTF-8, independent of the keyboard (RFC 8265 4.2).
  convenience init(password: String) {
    var bytes = Array(password.precomposedStringWithCanonicalMapping.utf8)
    self.init(consuming: &bytes)
  }
}
