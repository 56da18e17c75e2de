import ArgumentParser
import LatchkeyEnrollmentServer

/// Blocks of addresses, by commas: `10.0.0.0/8,fd00::/8,192.0.2.1`.
struct ProxyAddresses: ExpressibleByArgument {
  let blocks: [AddressBlock]

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    blocks = parts.compactMap { AddressBlock(String($0)) }
    guard blocks.count == parts.count else { return nil }
  }

  /// As it is typed.
  var defaultValueDescription: String { blocks.map(\.description).joined(separator: ",") }
}
