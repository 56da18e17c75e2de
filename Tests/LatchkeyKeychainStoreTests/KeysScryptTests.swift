import Crypto
import CryptoExtras
import LatchkeyByteCoding
import LatchkeySecretData
import Testing

@testable import LatchkeyKeychainStore

@Suite("Passcode derivation") struct KeysScryptTests {
  /// RFC 7914 §12; the fourth vector takes 1 GiB and is left out.
  static let vectors: [(password: String, salt: String, n: Int, r: Int, p: Int, output: String)] = [
    (
      "", "", 16, 1, 1,
      "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17"
        + "e8d3e0fb2e0d3628cf35e20c38d18906"
    ),
    (
      "password", "NaCl", 1024, 8, 16,
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830da"
        + "c727afb94a83ee6d8360cbdfa2cc0640"
    ),
    (
      "pleaseletmein", "SodiumChloride", 16384, 8, 1,
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9"
        + "e61e85dc0d651e40dfcf017b45575887"
    ),
  ]

  @Test("RFC 7914 §12: scrypt answers as the vectors say", arguments: vectors.indices)
  func vector(_ index: Int) throws {
    let vector = Self.vectors[index]
    let key = try KDF.Scrypt.deriveKey(
      from: Array(vector.password.utf8), salt: Array(vector.salt.utf8), outputByteCount: 64, rounds: vector.n,
      blockSize: vector.r, parallelism: vector.p)
    #expect(Hexadecimal.encode(key.exposedBytes) == vector.output)
  }

  @Test("the passcode's derivation is RFC 7914's third vector with that vector's salt") func ownDerivation() throws {
    let vector = Self.vectors[2]
    let parameters = ScryptParameters(rounds: vector.n, salt: Array(vector.salt.utf8))
    let key = try #require(parameters.derive(Array(vector.password.utf8)))
    #expect(Hexadecimal.encode(key.exposedBytes) == String(vector.output.prefix(64)))
  }

  @Test("parameters come back as they were written") func coding() throws {
    let parameters = ScryptParameters(rounds: 1 << 16)
    let encoded = parameters.encoded
    #expect(encoded.count == 45)
    #expect(Hexadecimal.encode(encoded.prefix(13)) == "01000001000800000001000000")
    #expect(try ScryptParameters(encoded: encoded) == parameters)
    #expect(ScryptParameters(rounds: 1 << 16).salt != parameters.salt)
  }

  @Test("costs below the floor, above the ceiling, or no power of two are refused")
  func bounds() throws {
    let good = ScryptParameters(rounds: 1 << 15).encoded
    _ = try ScryptParameters(encoded: good)
    for rounds: UInt32 in [0, 1, 2, 1 << 14, (1 << 15) - 1, (1 << 15) + 1, 3 << 15, 1 << 21, 1 << 31, .max] {
      var bad = good
      for index in 0..<4 { bad[1 + index] = UInt8(truncatingIfNeeded: rounds >> UInt32(8 * index)) }
      #expect(throws: ByteCodingError.self, "N = \(rounds)") { try ScryptParameters(encoded: bad) }
    }
    var top = good
    (top[2], top[3]) = (0, 0x10)
    #expect(try ScryptParameters(encoded: top).rounds == 1 << 20)
  }

  @Test("another algorithm, r, p or length of salt is refused") func otherFields() throws {
    let good = ScryptParameters(rounds: 1 << 15).encoded
    for index in [0, 5, 6, 7, 8, 9, 10, 11, 12] {
      for value: UInt8 in [0, 2, 7, 9, 255] where good[index] != value {
        var bad = good
        bad[index] = value
        #expect(throws: ByteCodingError.self, "byte \(index) = \(value)") { try ScryptParameters(encoded: bad) }
      }
    }
    for count in 0..<good.count {
      #expect(throws: ByteCodingError.self) { try ScryptParameters(encoded: Array(good.prefix(count))) }
    }
    #expect(throws: ByteCodingError.self) { try ScryptParameters(encoded: good + [0]) }
  }

  @Test("The cheap cost of tests does not lower the minimum for other costs") func switchForTests() {
    #expect(PasscodeCost.calibrated.minimumRounds == 1 << 15)
    #expect(PasscodeCost(rounds: 16).minimumRounds == 16)
    #expect(PasscodeCost(rounds: 1 << 17).minimumRounds == 1 << 15)
    #expect(!PasscodeCost.calibrated.takesWeakPasscodes)
  }

  @Test("calibration aims at 250 ms, and never goes below the floor or above 256 MiB")
  func calibration() {
    #expect(ScryptParameters.floor == 1 << 17)
    for (time, exponent) in [(2000, 17), (200, 17), (120, 18), (60, 18), (1, 18), (0, 18)] {
      #expect(PasscodeCost.rounds(time: .milliseconds(time), at: ScryptParameters.floor) == 1 << exponent)
    }
    #expect(PasscodeCost.rounds(time: .milliseconds(60), at: 1 << 15) == 1 << 17)
  }

  @Test("a cost is raised where the machine is faster, or where it lies below the floor, and never lowered")
  func raising() {
    func raised(_ exponent: Int, _ milliseconds: Int) -> Int? {
      PasscodeCost.calibrated.raised(ScryptParameters(rounds: 1 << exponent), time: .milliseconds(milliseconds))?
        .rounds
    }
    #expect(raised(15, 10_000) == 1 << 17, "however slow: it is below the floor")
    #expect(raised(17, 300) == nil && raised(17, 100) == 1 << 18)
    #expect(raised(18, 1) == nil && raised(20, 1) == nil)
  }

  @Test("only this thread's processor time counts: no waiting, and no other thread's work") func processorTime() {
    let sample = ScryptParameters(rounds: 1 << 12)
    let own = PasscodeCost.processorTime { _ = sample.derive([1]) }
    let others = PasscodeCost.processorTime { inThreads(1) { _ in _ = sample.derive([1]) } }
    #expect(others * 4 < own, "\(others) of a wait, \(own) of work")
  }
}
