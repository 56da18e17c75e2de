package import LatchkeyByteCoding

/// A reader over a PKCS #12 file: BER, because Windows and NSS write indefinite lengths and strings in parts.
typealias PKCS12Reader = BERReader<PKCS12Error>

extension BERReader where Failure == PKCS12Error {
  /// Creates a reader over `storage`, in which values nest at most `depth` deep.
  init(_ storage: SecretBytes, depth: Int) { self.init(storage, rules: .ber, depth: depth) }
}

extension PKCS12Error: BERFailure {
  /// Maps `error` for a PKCS #12 file: too large if it exceeds a limit, malformed otherwise.
  package init(_ error: BERError) {
    switch error.kind {
    case .tooDeep:
      self = .tooLarge("values nest deeper than the limit (PKCS12Limits.depth), at \(error.field)")
    case .integerTooLarge: self = .tooLarge("\(error)")
    default: self = .malformed("\(error)")
    }
  }
}
