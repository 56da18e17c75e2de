import Glibc
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyNetworkJoining

@Suite("The wait for an address")
struct AddressWaitTests {
  private static let ours = "192.168.7.5"

  private func look(
    _ wait: inout AddressWait, _ addresses: [String], _ hasRoute: Bool, _ seconds: Double
  ) -> AddressWait.Verdict? {
    wait.look(LinkState(addresses: addresses, hasDefaultRoute: hasRoute), at: .seconds(seconds))
  }

  @Test("A new address with a route is enough")
  func new() {
    var wait = AddressWait(before: [], limit: .seconds(45))
    #expect(look(&wait, [], false, 0) == nil)
    #expect(look(&wait, [Self.ours], true, 0.2) == .joined(address: Self.ours, reach: .unknown))
  }

  @Test("An address from before counts only when it has stayed, and a new one goes first")
  func old() {
    var wait = AddressWait(before: ["10.0.0.1"], limit: .seconds(45))
    #expect(look(&wait, ["10.0.0.1"], true, 4.9) == nil)
    #expect(look(&wait, ["10.0.0.1"], true, 5) == .joined(address: "10.0.0.1", reach: .unknown))
    #expect(look(&wait, ["10.0.0.1", Self.ours], true, 1) == .joined(address: Self.ours, reach: .unknown))
  }

  @Test("A route may come two seconds after the address; then there is no Internet")
  func route() {
    var wait = AddressWait(before: [], limit: .seconds(45))
    #expect(look(&wait, [Self.ours], false, 1) == nil)
    #expect(look(&wait, [Self.ours], false, 2.9) == nil)
    #expect(look(&wait, [Self.ours], false, 3) == .joined(address: Self.ours, reach: .noInternet))
    // An address that goes begins anew.
    #expect(look(&wait, [], false, 3.5) == nil)
    #expect(look(&wait, [Self.ours], false, 4) == nil)
    #expect(look(&wait, [Self.ours], true, 5) == .joined(address: Self.ours, reach: .unknown))
  }

  @Test("Without an address the end is the limit; out of the network it is another failure")
  func late() {
    var wait = AddressWait(before: [], limit: .seconds(45))
    #expect(look(&wait, [], false, 44.9) == nil)
    #expect(look(&wait, [], false, 45) == .failed(.noAddress))
    wait.link(isIn: false)
    #expect(look(&wait, [Self.ours], true, 44.9) == nil)
    #expect(look(&wait, [Self.ours], true, 45) == .failed(.timedOut))
    wait.link(isIn: true)
    #expect(look(&wait, [Self.ours], true, 44.9) == .joined(address: Self.ours, reach: .unknown))
  }

  @Test("Addresses that a machine gives itself are none")
  func ownAddresses() {
    func text(_ family: CInt, _ bytes: [UInt8]) -> String? {
      bytes.withUnsafeBytes { InterfaceAddresses.text(family, $0) }
    }
    #expect(text(AF_INET, [192, 168, 7, 5]) == Self.ours)
    #expect(text(AF_INET, [169, 253, 0, 1]) == "169.253.0.1")
    #expect(text(AF_INET6, [0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]) == "2001:db8::1")
    for bytes: [UInt8] in [[0, 0, 0, 0], [169, 254, 1, 1], [1, 2, 3], [], [1, 2, 3, 4, 5]] {
      #expect(text(AF_INET, bytes) == nil)
    }
    for first: [UInt8] in [[0xFE, 0x80], [0xFE, 0xBF], [0, 0]] {
      #expect(text(AF_INET6, first + Array(repeating: 0, count: 14)) == nil)
    }
    #expect(InterfaceAddresses.read("lo").first == "127.0.0.1")
    #expect(InterfaceAddresses.read("nowhere").isEmpty)
  }

  @Test("Lines of the kernel's tables are default routes of the interface, if they are up and no refusals")
  func routes() {
    let four = "wlan0\t00000000\t0107A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0"
    #expect(RouteTable.isDefault4(four, "wlan0"))
    for other in [
      four.replacing("wlan0", with: "wlan1"), four.replacing("0003", with: "0002"),
      four.replacing("0003", with: "0203"),
      "wlan0\t0007A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0",
      "wlan0\t00000000\t00000000\t0001\t0\t0\t600\t00000080\t0\t0\t0",
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT", "wlan0 00000000", "",
    ] { #expect(!RouteTable.isDefault4(other, "wlan0"), "\(other)") }
    let zeros = String(repeating: "0", count: 32)
    let six = "\(zeros) 00 \(zeros) 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003    wlan0"
    #expect(RouteTable.isDefault6(six, "wlan0"))
    for other in [
      six.replacing("wlan0", with: "lo"), six.replacing("00450003", with: "00200200"),
      six.replacing("\(zeros) 00 \(zeros)", with: "\(zeros) 40 \(zeros)"), six.replacing("00450003", with: "x"), "",
    ] { #expect(!RouteTable.isDefault6(other, "wlan0"), "\(other)") }
    #expect(!RouteTable.hasDefault("nowhere", ipv4: "/proc/self/net/route", ipv6: "/nonexistent"))
  }
}
