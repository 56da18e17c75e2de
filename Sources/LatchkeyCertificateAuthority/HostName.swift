internal import Foundation
internal import SwiftASN1
internal import X509

/// A server's name in a certificate (RFC 5280 4.2.1.6): an address, or a DNS name in ASCII.
///
/// A label neither begins nor ends with a hyphen (RFC 1123 2.1, RFC 5890 2.3.1). The host names of `LatchkeyCertificateTrust`
/// allow it: an authority issues no name that some verifiers refuse, while a verifier compares with certificates of less strict
/// authorities. So the two grammars stay separate.
enum HostName: Hashable {
  case address([UInt8])
  case dns(String)

  init(_ text: String) throws(AuthorityError) {
    if let address = Self.address(text) {
      self = .address(address)
    } else if Self.isDNS(text) {
      self = .dns(text.lowercased())
    } else {
      throw .misuse("neither a DNS name nor an address: \(text.debugDescription)")
    }
  }

  var generalName: GeneralName {
    switch self {
    case .address(let bytes): .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    case .dns(let name): .dnsName(name)
    }
  }

  /// The usual text of an address of 4 or 16 bytes; nil for another count.
  static func text(ofAddress bytes: [UInt8]) -> String? {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
      return nil
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func address(_ text: String) -> [UInt8]? {
    for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: size)
      if bytes.withUnsafeMutableBytes({ inet_pton(family, text, $0.baseAddress) }) == 1 { return bytes }
    }
    return nil
  }

  /// RFC 1123 2.1, plus underscores and one leading wildcard, as real servers are named.
  private static func isDNS(_ text: String) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    let name = text.hasPrefix("*.") ? text.dropFirst(2) : text[...]
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
            || $0 == 0x5F
        }
    }
  }
}
