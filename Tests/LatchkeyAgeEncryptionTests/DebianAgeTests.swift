import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyAgeEncryption
import Testing

/// Debian's `age` opens what is made here, and what it makes is opened here.
@Suite struct DebianAgeTests {
  private let identity = AgeIdentity(Curve25519.KeyAgreement.PrivateKey())

  @Test(
    "Debian's age opens files of this module, and this module opens its files",
    .enabled(if: PeerProgram.age != nil, "age is not installed (Debian: age)"))
  func bothDirectionsByKey() throws {
    let age = try PeerProgram(PeerProgram.age)
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let made = try AgeEncryptor.encrypt(bytes, for: .recipients([identity.recipient])) { count in
      (0..<count).map { _ in UInt8.random(in: 0...255) }
    }
    let key = try age.write("key", Array((identity.text + "\n").utf8))
    let file = try age.write("made.age", made)
    #expect(try age.output(["-d", "-i", key, file]) == bytes)
    let armored = try age.write("armored.age", Array(AgeArmor.encode(made).utf8))
    #expect(try age.output(["-d", "-i", key, armored]) == bytes)

    let plain = try age.write("plain", bytes)
    let theirs = try age.output(["-r", identity.recipient.text, plain])
    #expect(try AgeDecryptor.decrypt(theirs, .identities([identity])) == bytes)
    let theirsArmored = try age.output(["-a", "-r", identity.recipient.text, plain])
    #expect(try AgeDecryptor.decrypt(theirsArmored, .identities([identity])) == bytes)
  }
}
