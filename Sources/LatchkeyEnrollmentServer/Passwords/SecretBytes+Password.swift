internal import Foundation
internal import LatchkeyByteCoding

extension SecretBytes {
  /// A password as it is hashed: canonically composed, in UTF-8, so that it does not matter which keyboard wrote it (RFC 8265 4.2).
  convenience init(password: String) {
    var bytes = Array(password.precomposedStringWithCanonicalMapping.utf8)
    self.init(consuming: &bytes)
  }
}
