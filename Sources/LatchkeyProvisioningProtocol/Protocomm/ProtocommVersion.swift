import LatchkeyByteCoding

/// What a device says of itself at the endpoint `proto-ver`, to anyone and unprotected: who can alter it can choose the weakest
/// scheme that the app accepts.
package struct ProtocommVersion: Hashable, Sendable {
  /// `sec_ver`.
  package var security: Int
  /// Whether Security 2 counts its messages: `sec_patch_ver` is 1.
  package var counts: Bool
  package var capabilities: Set<String>

  package init(security: Int, counts: Bool, capabilities: Set<String> = []) {
    self.security = security
    self.counts = counts
    self.capabilities = capabilities
  }

  private static let limits = StrictJSON.Limits(
    size: ProtocommEndpoint.greatestLength, depth: 6, members: 32, numberLength: 32)

  /// - Throws: `unsupported` for a scheme, or a patch version, that is newer than this code, `malformed` for JSON that does not say.
  ///
  /// A text that is no JSON is the version of very old firmware, which spoke Security 1.
  package init(_ bytes: [UInt8]) throws(ProvisioningFailure) {
    guard !bytes.isEmpty else { throw .malformed("an empty version") }
    guard let json = try? StrictJSON.read(bytes, within: Self.limits), case .object(let object) = json else {
      self.init(security: 1, counts: false)
      return
    }
    guard let provisioning = object["prov"]?.object else { throw .malformed("a version without the member prov") }
    let capabilities = Set((provisioning["cap"]?.array ?? []).compactMap(\.string))
    guard let version = provisioning["sec_ver"] else {
      self.init(security: capabilities.contains("no_sec") ? 0 : 1, counts: false, capabilities: capabilities)
      return
    }
    guard case .number(let text) = version, let security = Int(text), (0...2).contains(security) else {
      throw .unsupported("a security scheme that is not 0, 1 or 2")
    }
    self.init(security: security, counts: false, capabilities: capabilities)
    guard security == 2, let patch = provisioning["sec_patch_ver"] else { return }
    switch patch {
    case .number("0"): break
    case .number("1"): counts = true
    default: throw .unsupported("a patch version of Security 2 that is not 0 or 1")
    }
  }

  /// The JSON of a device, laid out as Espressif's: clients in the field have only seen that.
  package func encoded(application: (name: String, version: String)? = nil) -> [UInt8] {
    let order = ["no_sec", "no_pop", "wifi_prov", "wifi_scan"]
    let listed = order.filter(capabilities.contains).map { "\"\($0)\"" }.joined(separator: ", ")
    var members = ["\"ver\":\t\"netprov-v1.2\"", "\"sec_ver\":\t\(security)"]
    if security == 2 { members.append("\"sec_patch_ver\":\t\(counts ? 1 : 0)") }
    members.append("\"cap\":\t[\(listed)]")
    var text = "{\n\t\"prov\":\t{\n\t\t" + members.joined(separator: ",\n\t\t") + "\n\t}"
    if let application {
      let quoted = [application.name, application.version].map { JSONString.quote($0, escapes: .required) }
      text += ",\n\t\(quoted[0]):\t{\n\t\t\"ver\":\t\(quoted[1]),\n\t\t\"cap\":\t[]\n\t}"
    }
    return Array((text + "\n}").utf8)
  }
}
