import LatchkeyTestSupport
import Foundation
import LatchkeyEnclaveKeys
import Testing

/// OpenSSL's command as the other side. Where there is none, one line says that these tests were skipped.
@Suite("OpenSSL as a peer", .enabled(if: PeerProgram.openssl != nil, "no openssl command on this machine"))
struct OpenSSLPeerTests {
  @Test("each verifies what the other has signed", arguments: KeyFixture.all)
  func signatures(fixture: KeyFixture) throws {
    let key = try PrivateKey(pemRepresentation: fixture.pkcs8)
    let peer = try PeerProgram(PeerProgram.openssl)
    let message = Array("a message for both".utf8)
    let keyFile = try peer.write("key.pem", Array(fixture.pkcs8.utf8))
    let publicFile = try peer.write("public.pem", Array(key.publicKey.pemRepresentation.utf8))
    let messageFile = try peer.write("message", message)
    let algorithm: KeyAlgorithm =
      fixture.name == "rsa" ? .rsaPKCS1v15(.message, .sha256) : .ecdsa(.message, .sha256, .x962)

    let ours = try peer.write("ours", key.sign(message, by: algorithm))
    #expect(try peer.run(["dgst", "-sha256", "-verify", publicFile, "-signature", ours, messageFile]).code == 0)
    let other = try peer.write("other", Array("another message".utf8))
    #expect(try peer.run(["dgst", "-sha256", "-verify", publicFile, "-signature", ours, other]).code != 0)

    #expect(try peer.run(["dgst", "-sha256", "-sign", keyFile, "-out", peer.path("theirs"), messageFile]).code == 0)
    #expect(try key.publicKey.isValid(peer.read("theirs"), of: message, by: algorithm))
    #expect(try !key.publicKey.isValid(peer.read("theirs"), of: message + [1], by: algorithm))
  }

  @Test(
    "each verifies what the other has signed with SHA-224, of a digest and of bytes as they are",
    arguments: [
      (["rsa_padding_mode:pkcs1", "digest:sha224"], .rsaPKCS1v15(.digest, .sha224), 28),
      (["rsa_padding_mode:pss", "rsa_pss_saltlen:28", "digest:sha224"], .rsaPSS(.digest, .sha224), 28),
      (["rsa_padding_mode:pkcs1"], .rsaPKCS1v15(.digest, nil), 51),
      (["rsa_padding_mode:pkcs1"], .rsaPKCS1v15(.digest, nil), 64),
    ] as [([String], KeyAlgorithm, Int)])
  func rareSignatures(options: [String], algorithm: KeyAlgorithm, count: Int) throws {
    let key = try PrivateKey(pemRepresentation: KeyFixture.rsa.pkcs8)
    let peer = try PeerProgram(PeerProgram.openssl)
    let input = (0..<count).map { UInt8($0 & 0xFF) }
    let keyFile = try peer.write("key.pem", Array(KeyFixture.rsa.pkcs8.utf8))
    let inputFile = try peer.write("input", input)
    let common = ["-inkey", keyFile, "-in", inputFile] + options.flatMap { ["-pkeyopt", $0] }

    let ours = try peer.write("ours", key.sign(input, by: algorithm))
    #expect(try peer.run(["pkeyutl", "-verify", "-sigfile", ours] + common).code == 0)
    #expect(try peer.run(["pkeyutl", "-sign", "-out", peer.path("theirs")] + common).code == 0)
    let theirs = try peer.read("theirs")
    #expect(try key.publicKey.isValid(theirs, of: input, by: algorithm))
    #expect(try !key.publicKey.isValid(theirs, of: Array(input.reversed()), by: algorithm))
    #expect(try !key.publicKey.isValid(Array(theirs.reversed()), of: input, by: algorithm))
  }

  @Test("both agree on the same secret", arguments: [KeyFixture.p256, .p384, .p521])
  func agreement(fixture: KeyFixture) throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let theirs = try PrivateKey(pemRepresentation: fixture.pkcs8)
    let ours = try PrivateKey.generate(theirs.type)
    let keyFile = try peer.write("key.pem", Array(fixture.pkcs8.utf8))
    let publicFile = try peer.write("public.pem", Array(ours.publicKey.pemRepresentation.utf8))
    #expect(
      try peer.run(["pkeyutl", "-derive", "-inkey", keyFile, "-peerkey", publicFile, "-out", peer.path("secret")]).code
        == 0)
    let secret = try ours.exchange(
      with: theirs.publicKey, by: .ecdh(isCofactor: false, nil), size: nil, sharedInfo: [])
    #expect(try peer.read("secret") == secret)
  }

  @Test(
    "OAEP ciphertexts of OpenSSL are decrypted here, and the other way round",
    arguments: [
      ("sha1", .sha1), ("sha224", .sha224), ("sha256", .sha256), ("sha384", .sha384),
    ] as [(String, DigestAlgorithm)])
  func encryption(digest: String, function: DigestAlgorithm) throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let key = try PrivateKey(pemRepresentation: KeyFixture.rsa.pkcs8)
    let algorithm = KeyAlgorithm.rsaOAEP(function)
    let keyFile = try peer.write("key.pem", Array(KeyFixture.rsa.pkcs8.utf8))
    let text = try peer.write("text", [1, 2, 3])
    let options = [
      "-inkey", keyFile, "-pkeyopt", "rsa_padding_mode:oaep", "-pkeyopt", "rsa_oaep_md:\(digest)",
    ]
    #expect(try peer.run(["pkeyutl", "-encrypt", "-in", text, "-out", peer.path("theirs")] + options).code == 0)
    #expect(try key.decrypt(peer.read("theirs"), by: algorithm) == [1, 2, 3])
    let ours = try peer.write("ours", key.publicKey.encrypt([4, 5, 6], by: algorithm))
    #expect(try peer.run(["pkeyutl", "-decrypt", "-in", ours, "-out", peer.path("opened")] + options).code == 0)
    #expect(try peer.read("opened") == [4, 5, 6])
  }
}
