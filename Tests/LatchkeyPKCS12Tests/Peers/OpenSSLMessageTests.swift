import Foundation
import LatchkeyTestSupport
import Testing

@testable import LatchkeyPKCS12

/// Messages of PKCS #7 and CMS, both ways with OpenSSL's command.
@Suite(.enabled(if: PeerProgram.openssl != nil, "no openssl command on this machine")) struct OpenSSLMessageTests {
  private let certificates: [[UInt8]]

  init() throws {
    certificates = try ["root", "issuing", "p256", "rsa"].map { try Fixtures.bytes("identities/\($0).cer") }
  }

  @Test("OpenSSL lists the certificates of what is written here, and writes the same bytes for one")
  func ours() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let input = try peer.write("ours.p7b", CMSSignedData.encoded(certificates))
    let (code, text) = try peer.run("pkcs7", "-inform", "DER", "-in", input, "-print_certs")
    #expect(code == 0, "\(text)")
    #expect(text.components(separatedBy: "-----BEGIN CERTIFICATE-----").count == certificates.count + 1)
    for certificate in certificates { #expect(text.contains(PEMText.block("CERTIFICATE", certificate))) }
    for certificate in certificates {
      let file = try peer.writePEM("one.pem", [certificate])
      let theirs = try peer.output(["crl2pkcs7", "-nocrl", "-certfile", file, "-outform", "DER"])
      #expect(theirs == CMSSignedData.encoded([certificate]))
    }
  }

  @Test("The certificates in a file of OpenSSL's are read in its order")
  func theirs() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    for list in [certificates, certificates.reversed(), []] {
      let file = try peer.writePEM("list.pem", list)
      let bytes = try peer.output(["crl2pkcs7", "-nocrl", "-certfile", file, "-outform", "DER"])
      #expect(try CMSSignedData.certificates(in: bytes) ?? [] == list)
    }
  }

  @Test(
    "The certificates of signed content are read, however OpenSSL writes it",
    arguments: [
      ["-nodetach"], ["-nodetach", "-stream"], ["-nodetach", "-indef"], ["-md", "sha512"], ["-noattr", "-binary"],
    ])
  func signed(options: [String]) throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let signer = try peer.writePEM("signer.pem", [certificates[2]])
    let others = try peer.writePEM("others.pem", [certificates[0], certificates[1]])
    let key = try peer.write(
      "key.pem", Array(PEMText.block("PRIVATE KEY", try Fixtures.bytes("identities/p256.key")).utf8))
    let content = try peer.write("content", Array("content".utf8))
    let command = ["cms", "-sign", "-in", content, "-signer", signer, "-inkey", key, "-outform", "DER"] + options
    let bytes = try peer.output(command + ["-certfile", others])
    let read = try #require(try CMSSignedData.certificates(in: bytes))
    #expect(Set(read) == Set(certificates.prefix(3)) && read.count == 3)
    #expect(try CMSSignedData.certificates(in: peer.output(command + ["-nocerts"])) == nil)
  }

  @Test("What OpenSSL encrypts or only digests is not supported")
  func otherContent() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let content = try peer.write("content", Array("content".utf8))
    let receiver = try peer.writePEM("receiver.pem", [certificates[3]])
    for command in [
      ["-encrypt", "-aes128"], ["-encrypt", "-aes128", "-stream"], ["-digest_create"], ["-data_create"],
      ["-EncryptedData_encrypt", "-aes128", "-secretkey", "000102030405060708090a0b0c0d0e0f"],
    ] {
      let receivers = command[0] == "-encrypt" ? [receiver] : []
      let bytes = try peer.output(["cms", "-in", content, "-outform", "DER"] + command + receivers)
      #expect {
        try CMSSignedData.certificates(in: bytes)
      } throws: { error in
        if case .unsupported? = error as? PKCS12Error { true } else { false }
      }
    }
  }
}
