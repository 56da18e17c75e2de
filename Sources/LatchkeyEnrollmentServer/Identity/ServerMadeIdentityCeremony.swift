internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeyPKCS12

/// Registers a device whose key is generated here and sent as a PKCS#12 file, for clients that cannot generate one. The key is
/// not stored, and is wiped when the file is complete; a lost response therefore cannot be repeated, and the session's one
/// registration is used up.
struct ServerMadeIdentityCeremony: Sendable {
  let registration: RegistrationCeremony
  let profile: PKCS12Profile
  /// The minimum number of characters of a passphrase.
  let shortestPassphrase: Int

  init(_ registration: RegistrationCeremony, profile: PKCS12Profile = .modern, shortestPassphrase: Int = 8) {
    self.registration = registration
    self.profile = profile
    self.shortestPassphrase = shortestPassphrase
  }

  /// - Throws: ``Problem``; ``TryLater`` if too many hashes are computed at once.
  func register(_ request: ServerMadeIdentityRequest) async throws -> EnrolledDevice {
    try DeviceName.check(request.name)
    // Counts characters as JSON Schema does.
    guard (shortestPassphrase...256).contains(request.passphrase.unicodeScalars.count) else {
      throw Problem(.malformedRequest, detail: "a passphrase has \(shortestPassphrase) to 256 characters")
    }
    let services = registration.services
    let start = services.now
    let grant = try await registration.auditingRefusals(at: start) { store in
      let grant = try registration.grant(for: nil, in: store, now: start)
      try grant.permit(name: request.name)
      try services.requireRoom(for: grant.user, in: store, now: start)
      return grant
    }
    try KeyEvidence(services: services).requireNone(grant.profile)
    guard grant.profile.approval == .none else {
      throw Problem(
        .notPermitted,
        detail: "a device that needs an approval generates its own key: the file could not be sent after the approval")
    }
    let key = P256.Signing.PrivateKey()
    let made = try await registration.make(
      grant.device(request.name, Array(key.publicKey.x963Representation), "server-made", now: services.now),
      grant.profile)
    let file = try await services.heavyWork.run { [profile] in
      try Self.file(
        key, certificate: made.certificate.der, issuers: made.certificate.chain, name: request.name,
        passphrase: request.passphrase, profile: profile, random: services.random)
    }
    try await services.store.write { try registration.keep(made, in: $0) }
    return made.answer(file)
  }

  private static func file(
    _ key: P256.Signing.PrivateKey, certificate: [UInt8], issuers: [[UInt8]], name: String, passphrase: String,
    profile: PKCS12Profile, random: (Int) throws -> [UInt8]
  ) throws -> [UInt8] {
    let label = Array(Insecure.SHA1.hash(data: certificate))
    var file = PKCS12File(
      certificates: [.init(der: certificate, friendlyName: name, localKeyID: label)] + issuers.map { .init(der: $0) },
      keys: [.init(pkcs8: Array(key.derRepresentation), friendlyName: name, localKeyID: label)])
    defer { file.keys[0].pkcs8.wipe() }
    return try file.encoded(password: passphrase, profile: profile, random: random)
  }
}
