import Glibc

/// What the system knows of a network interface.
struct LinkState: Hashable, Sendable {
  /// Addresses of IPv4 and then IPv6 as text, without those that a machine gives itself.
  var addresses: [String] = []
  /// Whether there is a route to all other networks.
  var hasDefaultRoute = false
}

/// Reads the state of network interfaces.
package struct NetworkLink: Sendable {
  let state: @Sendable (_ interface: String) -> LinkState

  /// The system's own.
  static let system = NetworkLink { interface in
    LinkState(
      addresses: InterfaceAddresses.read(interface),
      hasDefaultRoute: RouteTable.hasDefault(interface, ipv4: "/proc/self/net/route", ipv6: "/proc/self/net/ipv6_route")
    )
  }

  /// For tests: what `state` gives.
  package init(addressesAndRoute state: @escaping @Sendable (_ interface: String) -> ([String], Bool)) {
    self.init { interface in
      let (addresses, hasDefaultRoute) = state(interface)
      return LinkState(addresses: addresses, hasDefaultRoute: hasDefaultRoute)
    }
  }

  init(state: @escaping @Sendable (String) -> LinkState) { self.state = state }
}

/// The addresses of an interface, by getifaddrs(3).
enum InterfaceAddresses {
  static func read(_ interface: String) -> [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var (version4, version6): ([String], [String]) = ([], [])
    var next = first
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let address = entry.ifa_addr, let name = entry.ifa_name, String(cString: name) == interface else {
        continue
      }
      switch CInt(address.pointee.sa_family) {
      case AF_INET:
        let bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
        if let text = withUnsafeBytes(of: bytes, { text(AF_INET, $0) }) { version4.append(text) }
      case AF_INET6:
        let bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_addr }
        if let text = withUnsafeBytes(of: bytes, { text(AF_INET6, $0) }) { version6.append(text) }
      default: continue
      }
    }
    return version4 + version6
  }

  /// The address as text; nil for one that no other machine has given: 0.0.0.0, ::, 169.254.0.0/16 and fe80::/10 (RFC 3927, RFC 4291).
  static func text(_ family: CInt, _ bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count == (family == AF_INET ? 4 : 16), bytes.contains(where: { $0 != 0 }) else { return nil }
    let isLocal =
      family == AF_INET ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    guard !isLocal else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      guard let start = buffer.baseAddress,
        inet_ntop(family, bytes.baseAddress, start, socklen_t(buffer.count)) != nil
      else { return nil }
      return String(cString: start)
    }
  }
}

/// The kernel's tables of routes (proc_pid_net(5)), by a path that a service with its own view of /proc has, too.
enum RouteTable {
  static func hasDefault(_ interface: String, ipv4: String, ipv6: String) -> Bool {
    contains(ipv4) { isDefault4($0, interface) } || contains(ipv6) { isDefault6($0, interface) }
  }

  /// `Iface Destination Gateway Flags RefCnt Use Metric Mask …`, in hexadecimal digits.
  static func isDefault4(_ line: String, _ interface: String) -> Bool {
    let fields = line.split(whereSeparator: \.isWhitespace)
    guard fields.count >= 8, fields[0] == interface, let flags = Int(fields[3], radix: 16) else { return false }
    return fields[1] == "00000000" && fields[7] == "00000000" && isUsable(flags)
  }

  /// `destination length source length gateway metric references uses flags interface`.
  static func isDefault6(_ line: String, _ interface: String) -> Bool {
    let fields = line.split(whereSeparator: \.isWhitespace)
    guard fields.count >= 10, fields[9] == interface, let flags = Int(fields[8], radix: 16) else { return false }
    return fields[1] == "00" && fields[0].allSatisfy { $0 == "0" } && isUsable(flags)
  }

  /// RTF_UP, and not RTF_REJECT.
  private static func isUsable(_ flags: Int) -> Bool { flags & 0x1 != 0 && flags & 0x200 == 0 }

  private static func contains(_ path: String, _ isWanted: (String) -> Bool) -> Bool {
    guard let file = fopen(path, "re") else { return false }
    defer { fclose(file) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      guard let start = buffer.baseAddress else { return false }
      for _ in 0..<maximumLines {
        guard fgets(start, CInt(buffer.count), file) != nil else { return false }
        if isWanted(String(cString: start)) { return true }
      }
      return false
    }
  }

  private static let maximumLines = 100_000
}
