internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

// Names that devices ask for in their signing requests, and what a profile permits of them.
//
// Clients put names into requests by themselves, so a profile that permits none ignores them. One that permits some refuses what it
// does not permit: a certificate without a name that its device relies on would fail later, and elsewhere.

extension DeviceProfile {
  /// The most patterns of a profile.
  static let mostPatterns = 16

  /// The patterns for a user's devices. One that this user's name does not go with permits nothing.
  private func patterns(for user: UserName) -> [NamePattern] {
    (requestedNames ?? []).compactMap { text in
      guard text.contains("{user}") else { return try? NamePattern(text) }
      // Of other names a part could be a wildcard, a network or another path.
      guard Self.isPart(user.text) else { return nil }
      return try? NamePattern(text.replacing("{user}", with: user.text))
    }
  }

  private static func isPart(_ text: String) -> Bool {
    let isAlphanumeric = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) }
    return text.utf8.first.map(isAlphanumeric) ?? false
      && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
  }

  /// - Throws: `AuthorityError`: `.misuse` for a text that is no pattern.
  func checkPatterns() throws(AuthorityError) {
    for text in requestedNames ?? [] { _ = try NamePattern(text.replacing("{user}", with: "user")) }
  }

  /// The names of a signing request that the certificates get beside those of the profile.
  ///
  /// - Parameter name: the device's.
  /// - Throws: ``Problem``: `.invalidSigningRequest` for names that no certificate gets, `.notPermitted` for others.
  func requestedNames(
    in request: Base64Bytes, name: String, user: UserName
  ) throws(Problem) -> [AlternativeName] {
    guard requestedNames?.isEmpty == false else { return [] }
    let names: [AlternativeName]
    do throws(AuthorityError) { names = try CertificateAuthority.alternativeNames(ofRequest: request.bytes) } catch {
      throw Problem(.invalidSigningRequest, detail: "\(error)")
    }
    // Which a client repeats that was told of them, by csrattrs, say.
    let given = (try? alternativeNames(device: "", name: name, user: user.text)) ?? (try? fixedNames) ?? []
    let patterns = patterns(for: user)
    let requested = names.filter { !given.contains($0) }
    for name in requested where !patterns.contains(where: { $0.permits(name) }) {
      throw Problem(
        .notPermitted,
        detail:
          "the signing request asks for the name \(name), which the profile \(self.name) does not permit: leave it out, "
          + "or ask who runs the service")
    }
    return requested
  }

  /// The names of a device that the profile still permits.
  func permitted(_ names: [String], of user: UserName) -> [AlternativeName] {
    let patterns = patterns(for: user)
    return names.compactMap { try? AlternativeName($0) }.filter { name in patterns.contains { $0.permits(name) } }
  }
}

extension StoreTransaction {
  /// The names that a device's next certificate gets beside those of its profile.
  func requestedNames(of device: DeviceRecord, _ profile: DeviceProfile) throws -> [AlternativeName] {
    guard profile.requestedNames?.isEmpty == false else { return [] }
    return profile.permitted(try requestedNames(of: device.id), of: device.user)
  }

  /// A name is one user's: another user's device could otherwise pass for a device by its name.
  ///
  /// - Throws: `.notPermitted`.
  func refuseTaken(_ names: [AlternativeName], user: UserName) throws {
    for name in names where try isRequestedName(name.description, ofOtherUserThan: user) {
      throw Problem(
        .notPermitted,
        detail: "a device of another user has the name \(name), which is free again when that device is revoked")
    }
  }
}
