import CertificateAuthority

/// Where an authority's key lies, as the command line says it: `keychain:LABEL`, or a file.
enum AuthorityKeyArgument {
  /// The key.
  ///
  /// - Parameter option: what named it, for messages.
  static func key(_ text: String, option: String) throws(CommandFailure) -> any AuthorityKey {
    let scheme = "keychain:"
    do throws(AuthorityError) {
      guard text.hasPrefix(scheme) else {
        let bytes: [UInt8]
        do throws(CommandFailure) { bytes = try ServerFile.read(text) } catch {
          throw .misuse("\(error.message); for a key in the keychain say keychain:LABEL")
        }
        return try FileAuthorityKey(fileContents: bytes)
      }
      return try KeychainAuthorityKey(label: String(text.dropFirst(scheme.count)))
    } catch {
      switch error {
      case .keyUnavailable: throw CommandFailure(.unavailable, "\(option) \(text): \(error)")
      case .misuse, .invalidRequest: throw CommandFailure(.badData, "\(option) \(text): \(error)")
      }
    }
  }
}
