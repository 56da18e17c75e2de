import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 6 Part B 1.3.2.2, 1.3.2.3.
@Suite("A resolver of private addresses") struct AddressResolverTests {
  private func key(_ number: UInt8) throws -> SecurityKey {
    try #require(SecurityKey((0..<16).map { number &+ 5 &* $0 }))
  }

  private func address(_ prand: UInt32, _ key: SecurityKey) throws -> BluetoothAddress {
    try #require(PairingCryptography.resolvableAddress(prand: prand, with: key))
  }

  private func resolver(_ count: UInt8) throws -> AddressResolver {
    var resolver = AddressResolver()
    for number in 0..<count { resolver.setKey(try key(number), of: .staticRandom(UInt64(number))) }
    return resolver
  }

  @Test("knows the address of the specification's sample data, and none with a bit changed") func sample() throws {
    // Vol 3 Part H D.7: the IRK, prand 708194 and the hash 0DFBAA.
    let bytes = try Hexadecimal.decode("ec0234a357c8ad05341010a60a397d9b")
    let irk = try #require(SecurityKey(Array(bytes.reversed())))
    let address = BluetoothAddress(0x7081_940D_FBAA, kind: .random)
    #expect(PairingCryptography.resolvableAddress(prand: 0x708194, with: irk) == address)
    var resolver = AddressResolver()
    resolver.setKey(irk, of: .staticRandom(7))
    #expect(resolver.resolve(address, now: nil) == .identity(.staticRandom(7)))
    for bit in 0..<48 as Range<UInt64> {
      let other = BluetoothAddress(address.value ^ 1 << bit, kind: .random)
      #expect(resolver.resolve(other, now: nil) == .stranger)
    }
    #expect(resolver.resolve(BluetoothAddress(address.value, kind: .public), now: nil) == .stranger)
  }

  @Test("makes no address of bits that no address has", arguments: [0, 0x3F_FFFF, 0x40_0000, 0xFFFF_FFFF] as [UInt32])
  func reserved(_ prand: UInt32) throws {
    #expect(PairingCryptography.resolvableAddress(prand: prand, with: try key(1)) == nil)
  }

  @Test("makes addresses that begin with the bits 01, whatever is drawn") func top() throws {
    for prand in [1, 0x80_0001, 0xC0_0001, 0xFF80_0001] as [UInt32] {
      #expect(try address(prand, key(1)).isResolvable)
      #expect(try address(prand, key(1)) == (try address(1, key(1))))
    }
  }

  @Test("finds the peer among many, and not one whose key is gone") func many() throws {
    var resolver = try resolver(100)
    for number in 0..<100 as Range<UInt8> {
      #expect(try resolver.resolve(address(9, key(number)), now: nil) == .identity(.staticRandom(UInt64(number))))
    }
    resolver.setKey(nil, of: .staticRandom(50))
    #expect(try resolver.resolve(address(9, key(50)), now: nil) == .stranger)
    #expect(try resolver.resolve(address(9, key(51)), now: nil) == .identity(.staticRandom(51)))
    resolver.setKey(try key(50), of: .staticRandom(51))
    #expect(try resolver.resolve(address(9, key(50)), now: nil) == .identity(.staticRandom(51)))
    #expect(try resolver.resolve(address(9, key(51)), now: nil) == .stranger)
  }

  @Test("computes nothing for addresses that are known, or not resolvable") func cached() throws {
    var resolver = try resolver(100)
    for _ in 0..<10 {
      for number in 1...500 as ClosedRange<UInt32> {
        #expect(try resolver.resolve(address(number, key(200)), now: .zero) != .tooMany)
      }
      #expect(resolver.resolve(.staticRandom(1), now: .zero) == .stranger)
      #expect(resolver.resolve(BluetoothAddress(0x0011_2233_4455, kind: .random), now: .zero) == .stranger)
      #expect(resolver.resolve(BluetoothAddress(0x4011_2233_4455, kind: .public), now: .zero) == .stranger)
    }
    #expect(resolver.computations == 500 * 100)
  }

  @Test("has a limit of computations in a second, and of memory, but not for links") func bounded() throws {
    var resolver = try resolver(100)
    let own = try address(1, key(42))
    var tooMany = 0
    for number in 0..<10_000 as Range<UInt64> {
      let address = BluetoothAddress(0x4000_0000_0000 + number * 0x1_0001, kind: .random)
      if resolver.resolve(address, now: .seconds(5)) == .tooMany { tooMany += 1 }
    }
    #expect(resolver.computations == AddressResolver.computationsPerSecond)
    #expect(tooMany == 10_000 - AddressResolver.computationsPerSecond / 100)
    #expect(resolver.count <= AddressResolver.capacity)
    #expect(resolver.resolve(own, now: .seconds(5)) == .tooMany)
    #expect(resolver.resolve(own, now: .milliseconds(5999)) == .tooMany)
    #expect(resolver.resolve(own, now: nil) == .identity(.staticRandom(42)))
    #expect(resolver.resolve(own, now: .seconds(5)) == .identity(.staticRandom(42)))
    #expect(try resolver.resolve(address(2, key(42)), now: .seconds(6)) == .identity(.staticRandom(42)))
  }

  @Test("forgets the oldest address first") func oldest() throws {
    var resolver = try resolver(1)
    let addresses = try (1...UInt32(AddressResolver.capacity) + 1).map { try address($0, key(9)) }
    for address in addresses { _ = resolver.resolve(address, now: nil) }
    #expect(resolver.count == AddressResolver.capacity)
    _ = resolver.resolve(addresses[1], now: nil)
    #expect(resolver.computations == addresses.count)
    _ = resolver.resolve(addresses[0], now: nil)
    #expect(resolver.computations == addresses.count + 1)
    _ = resolver.resolve(addresses[1], now: nil)
    #expect(resolver.computations == addresses.count + 2)
    #expect(resolver.count == AddressResolver.capacity)
  }
}
