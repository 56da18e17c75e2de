import LatchkeyCertificateAuthority
import LatchkeyCommandLine

/// Where an authority's key lies, as the command line says it: `keychain:LABEL`, or a file.
enum AuthorityKeyArgument {
  /// The key.
  ///
  /// - Parameter option: what named it, for messages.
  static func key(_ text: String, option: String) throws(CommandFailure) -> any AuthorityKey {
    let scheme = "keychain:"
    let file: [UInt8]?
    do throws(CommandFailure) {
      file = text.hasPrefix(scheme) ? nil : try ServerFile.read(text, isSecret: true)
    } catch {
      guard error.status == .inputOutput else { throw error }
      throw CommandFailure(
        .badData, "\(option) \(text): \(error.message); for a key in the keychain say keychain:LABEL")
    }
    do throws(AuthorityError) {
      if let file { return try FileAuthorityKey(fileContents: file) }
      return try KeychainAuthorityKey(label: String(text.dropFirst(scheme.count)))
    } catch {
      switch error {
      case .keyUnavailable: throw CommandFailure(.unavailable, "\(option) \(text): \(error)")
      case .misuse, .invalidRequest: throw CommandFailure(.badData, "\(option) \(text): \(error)")
      }
    }
  }
}
