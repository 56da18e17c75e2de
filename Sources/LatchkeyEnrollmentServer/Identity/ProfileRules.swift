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

  /// The required evidence for an identity key's attestation; nil for none.
  func identityAttestationPolicy(_ policy: ServerPolicy) -> AttestationPolicy? {
    switch attestation {
    case nil: policy.identityAttestationPolicy
    case .some(.none): nil
    case .software: AttestationPolicy(minimumLevel: .software)
    case .tpm: AttestationPolicy(minimumLevel: .tpm)
    }
  }

  /// Whether a name that the device chose itself would stand in its certificate.
  var namesDevices: Bool { alternativeNames.contains { $0.contains("{name}") } }

  /// The additional names that are the same for all devices.
  package var fixedNames: [AlternativeName] {
    get throws(AuthorityError) {
      var names: [AlternativeName] = []
      for template in alternativeNames where !template.contains("{") { names.append(try AlternativeName(template)) }
      return names
    }
  }

  /// The additional names of a device's certificate.
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
