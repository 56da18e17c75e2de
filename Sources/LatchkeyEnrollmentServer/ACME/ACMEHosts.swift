internal import HTTPTypes
internal import Hummingbird
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The hosts under which ACME is called: the names of the server's TLS certificate.
///
/// A request's signature covers the URL that its client called (RFC 8555 6.4). Were each Host accepted, a server that a client calls by
/// mistake could pass the client's requests on here, under its own name, and direct the client by the URLs of the answers.
final class ACMEHosts: Sendable {
  private let names: Mutex<Names>

  /// - Parameter certificate: the server's TLS certificate, DER.
  init(certificate: [UInt8]?) { names = Mutex(Names(certificate)) }

  /// Records that the certificate was replaced.
  func note(certificate: [UInt8]?) {
    let fresh = Names(certificate)
    names.withLock { $0 = fresh }
  }

  /// `https://` and the host of a request, with its port.
  ///
  /// The port is not compared: a proxy in front may have another, and TLS does not tell ports apart either.
  ///
  /// - Throws: `malformed`, 421, for another server's host.
  func base(of request: Request) throws(ACMEProblem) -> String {
    guard let authority = request.head.authority, contains(authority) else {
      throw ACMEProblem(
        .malformed, status: 421, detail: "call this server by a name of its TLS certificate: the request's host is none"
      )
    }
    return "https://\(authority)"
  }

  /// Whether an authority, as of a URL, has one of the names. It may have a port.
  func contains(_ authority: String) -> Bool {
    guard authority.utf8.count <= 262 else { return false }
    let host = ListenerNames.host(of: authority[...])
    return names.withLock { $0.contain(host) }
  }

  private struct Names {
    /// In lower case, without the dot of the root. A wildcard has its asterisk.
    private var hosts: Set<String> = []
    private var addresses: Set<[UInt8]> = []

    init(_ certificate: [UInt8]?) {
      guard let certificate, let parsed = try? Certificate(derEncoded: certificate),
        let names = try? parsed.extensions.subjectAlternativeNames
      else { return }
      for name in names {
        switch name {
        case .dnsName(let host): hosts.insert(ListenerNames.folded(host))
        case .ipAddress(let octets): addresses.insert(Array(octets.bytes))
        default: break
        }
      }
    }

    /// - Parameter host: without brackets and port.
    func contain(_ host: String) -> Bool {
      if let address = AddressBlock.bytes(of: host) { return !host.contains("%") && addresses.contains(address) }
      let name = ListenerNames.folded(host)
      guard !name.isEmpty, !name.contains("*") else { return false }
      if hosts.contains(name) { return true }
      // RFC 9525 6.3: one label, and no name of a single label behind it.
      let rest = name.drop { $0 != "." }
      return rest.dropFirst().contains(".") && !name.hasPrefix(".") && hosts.contains("*\(rest)")
    }
  }
}
