import LatchkeyByteCoding
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Passwords' hashes")
struct PasswordHashTests {
  private let salt = [UInt8]("0123456789abcdef".utf8)

  @Test("a password has its hash, and another has not")
  func hashes() throws {
    let hash = try PasswordHash(of: SecretBytes(password: "correct horse"), salt: salt)
    #expect(try hash.isOf(SecretBytes(password: "correct horse")))
    for wrong in ["correct horsf", "correct hors", "correct horse ", "Correct horse", "", "\0correct horse"] {
      #expect(try !hash.isOf(SecretBytes(password: wrong)), "\(wrong)")
    }
  }

  @Test("the text is a PHC string, and reads back")
  func text() throws {
    let hash = try PasswordHash(of: SecretBytes(password: "a"), salt: salt)
    #expect(hash.text.hasPrefix("$scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$"))
    #expect(PasswordHash(hash.text) == hash)
  }

  @Test("Python's scrypt gives the same")
  func peer() throws {
    // hashlib.scrypt(b"correct horse", salt=b"0123456789abcdef", n=2**14, r=8, p=1, dklen=32)
    let theirs = "$scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$0LupyHkzAIgDr9UDsriAAf87vMbCbcaUfDvFOAHk0D0"
    let hash = try #require(PasswordHash(theirs))
    #expect(try hash.isOf(SecretBytes(password: "correct horse")))
  }

  @Test("it does not matter how a keyboard composes")
  func composition() throws {
    let hash = try PasswordHash(of: SecretBytes(password: "J\u{F6}rg"), salt: salt)
    #expect(try hash.isOf(SecretBytes(password: "Jo\u{308}rg")))
  }

  @Test(
    "what is no such string, or asks for more than there is, is not read",
    arguments: [
      "", "$", "scrypt", "$argon2id$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAA",
      "$scrypt$ln=19,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=30,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=14,r=1000,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=14,r=8,p=100$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=-1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=14,r=8$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$r=8,ln=14,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=14,r=8,p=1$$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "$scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAA", "$scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$*",
      "$scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA$more",
    ])
  func malformed(text: String) {
    #expect(PasswordHash(text) == nil)
  }

  @Test("a secret does not print")
  func secrets() {
    #expect("\(SecretBytes(password: "hunter2"))" == "a secret")
  }

  @Test("The hash for unknown users matches no password, and has the same cost")
  func nobody() throws {
    let nobody = PasswordHash.ofNobody { [UInt8](repeating: 0, count: $0) }
    #expect(nobody.cost == PasswordHash.Cost())
    #expect(try !nobody.isOf(SecretBytes(password: "")))
  }
}
