internal import LatchkeyAttestation
package import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
package import LatchkeyEnrollmentStore

// What a profile means for a registration and a certificate.

extension StoreTransaction {
  /// The profile of a name, or the built-in one.
  ///
  /// - Throws: `.notPermitted` if the operator has removed it.
  func rules(ofProfile name: String) throws -> DeviceProfile {
    if let profile = try profile(named: name) { return profile }
    guard name == DeviceProfile.defaultName else {
      throw Problem(.notPermitted, detail: "the profile of this device was removed; ask who runs the service")
    }
    return .builtIn
  }
}

extension Services {
  /// The profile whose name is the label in a path (RFC 7030 3.2.2).
  ///
  /// - Throws: `.notFound` if there is none.
  func profile(ofLabel label: String) async throws -> DeviceProfile {
    guard DeviceProfile.isName(label),
      let profile = try await store.read({ try $0.profile(named: label) })
        ?? (label == DeviceProfile.defaultName ? .builtIn : nil)
    else {
      throw Problem(
        .notFound, detail: "the label is no profile of this server: latchkey-server profile list names them")
    }
    return profile
  }
}

extension DeviceProfile {
  /// Permits a way to register.
  ///
  /// - Throws: `.notPermitted`.
  func require(_ way: Way) throws(Problem) {
    guard ways.contains(way) else {
      let other = ways.contains(.token) ? "; ask who runs the service for an enrollment token" : ""
      throw Problem(
        .notPermitted, detail: "devices of the profile \(name) are not registered by \(way.rawValue)\(other)")
    }
  }

  /// The required evidence for an identity key's attestation; nil for none. A profile adds to what the server requires of all
  /// devices: without that a device could register, and would then be refused.
  func identityAttestationPolicy(_ policy: ServerPolicy) -> AttestationPolicy? {
    let least = policy.identityAttestationPolicy
    return switch attestation {
    case nil, .some(.none): least
    case .software: least ?? AttestationPolicy(minimumLevel: .software)
    case .tpm: least.requiring(.tpm)
    case .apple: least.requiring(.secureEnclave)
    }
  }

  /// Validates the evidence that was recorded for a device's identity key, perhaps under other rules.
  ///
  /// - Throws: `.notPermitted` if it is less than the profile or the server requires now.
  func require(identityEvidence evidence: String?, _ policy: ServerPolicy) throws(Problem) {
    let isEnough =
      switch attestation {
      case nil, .some(.none): true
      case .software: ["latchkey-software", "tpm-unverified", "tpm", "apple"].contains(evidence)
      case .tpm: evidence == "tpm"
      case .apple: evidence == "apple"
      }
    guard isEnough, policy.takes(identityEvidence: evidence) else {
      throw Problem(
        .notPermitted,
        detail: "the identity key of this device is not attested as its profile requires now; enroll again")
    }
  }

  /// Whether certificates hold the device's name.
  var namesDevices: Bool { alternativeNames.contains { $0.contains("{name}") } }

  /// The additional names that are the same for all devices.
  package var fixedNames: [AlternativeName] {
    get throws(AuthorityError) {
      var names: [AlternativeName] = []
      for template in alternativeNames where !template.contains("{") { names.append(try AlternativeName(template)) }
      return names
    }
  }

  /// The additional names of a device's certificate. The device's name is one of them only if somebody else vouches for it:
  /// otherwise a device could have a certificate for any name.
  ///
  /// - Throws: `.notPermitted` for a name that nobody vouches for; `.invalidName` for one that makes no such name.
  func alternativeNames(of device: DeviceRecord) throws(Problem) -> [AlternativeName] {
    guard !namesDevices || device.nameApproval != nil else {
      throw Problem(
        .notPermitted,
        detail: "certificates of the profile \(name) hold the device's name, which nobody has approved; ask who "
          + "runs the service to give the device its name (latchkey-server device rename)")
    }
    do throws(AuthorityError) {
      return try alternativeNames(device: device.id.description, name: device.name, user: device.user.text)
    } catch {
      throw Problem(.invalidName, detail: "the names of the profile \(name) cannot be made of this device's name")
    }
  }

  /// All names of a device's certificate beside its own, each once.
  ///
  /// - Throws: as ``alternativeNames(of:)``.
  func names(of device: DeviceRecord, _ requested: [AlternativeName]) throws(Problem) -> [AlternativeName] {
    let names = try alternativeNames(of: device)
    return names + requested.filter { !names.contains($0) }
  }

  /// The additional names for these values.
  ///
  /// - Throws: `AuthorityError`: `.misuse` for a text that makes no such name.
  package func alternativeNames(
    device: String, name: String, user: String
  ) throws(AuthorityError) -> [AlternativeName] {
    var names: [AlternativeName] = []
    for template in alternativeNames {
      names.append(try AlternativeName(Self.filled(template, ["device": device, "name": name, "user": user])))
    }
    return names
  }

  /// Expands `{device}`, `{name}` and `{user}` in one pass, so that a value with braces in it is not expanded again.
  private static func filled(_ template: String, _ values: [String: String]) -> String {
    var (text, rest) = ("", template[...])
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      text += rest[..<open]
      text += values[String(rest[rest.index(after: open)..<close])] ?? String(rest[open...close])
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }
}

extension AttestationPolicy? {
  /// The policy with at least this level.
  fileprivate func requiring(_ level: Attestation.Level) -> AttestationPolicy {
    var policy = self ?? AttestationPolicy()
    policy.minimumLevel = max(policy.minimumLevel, level)
    return policy
  }
}
