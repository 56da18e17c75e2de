import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// The arithmetic of RFC 5054's 3072-bit group, against Python's integers.
@Suite struct ResidueTests {
  private func residue(_ text: String) throws -> Residue { try #require(Residue(bigEndian: hex(text))) }

  @Test("Powers, products, sums and differences are Python's", arguments: ProtocommVectors.all.powers)
  func agreesWithPython(_ vector: ProtocommVectors.Power) throws {
    let base = try residue(vector.base)
    let other = try residue(vector.other)
    #expect(base.power(SecretBytes(hex(vector.exponent))).bytes.array() == hex(vector.power))
    #expect((base * other).bytes.array() == hex(vector.product))
    #expect((base + other).bytes.array() == hex(vector.sum))
    #expect((base - other).bytes.array() == hex(vector.difference))
    // A square takes another way than a product.
    #expect((base * base).bytes.array() == base.power(SecretBytes([2])).bytes.array())
  }

  @Test("A comb gives the same powers as windows", arguments: [32, 64], [UInt8(0), 0x01, 0x80, 0xFF, 0xA5])
  func combEqualsWindows(_ length: Int, _ fill: UInt8) throws {
    let base = try residue(ProtocommVectors.all.powers[12].base)
    let comb = FixedBase(base, exponentByteCount: length)
    for exponent in [[UInt8](repeating: fill, count: length), [fill] + [UInt8](repeating: 0, count: length - 1)] {
      #expect(
        comb.power(SecretBytes(exponent)).bytes.array() == base.power(SecretBytes(exponent)).bytes.array())
    }
  }

  @Test("N is RFC 5054's, and N and zero are zero") func modulus() throws {
    let n = SRPGroup.modulusBytes
    #expect(n.count == 384)
    #expect(Array(n.prefix(16)) == hex("ffffffffffffffffc90fdaa22168c234"))
    #expect(Array(n.suffix(16)) == hex("4b82d120a93ad2caffffffffffffffff"))
    #expect(try #require(Residue(bigEndian: n)).isZero)
    #expect(try #require(Residue(bigEndian: [])).isZero)
    #expect(!Residue(small: 1).isZero)
    #expect(Residue(small: 1).bytes.array() == Residue.one.bytes.array())
  }

  @Test("385 bytes are no number of the group, be the first one zero") func lengths() {
    #expect(Residue(bigEndian: [UInt8](repeating: 0, count: 385)) == nil)
    #expect(Residue(bigEndian: [UInt8](repeating: 0xFF, count: 384)) != nil)
  }

  @Test("The generator has the order (N - 1) / 2 or twice that") func order() throws {
    // N - 1 is even, and its half is prime: g to the power of the half is 1 or -1.
    var half = [UInt8](repeating: 0, count: 384)
    var carry: UInt8 = 0
    for (index, byte) in SRPGroup.modulusBytes.enumerated() {
      half[index] = byte >> 1 | carry << 7
      carry = byte & 1
    }
    let power = SRPGroup.generator.power(SecretBytes(half))
    #expect((power * power).bytes.array() == Residue.one.bytes.array())
  }
}
