import Foundation
import LatchkeyEnclaveKeys
import Testing

/// OpenSSL's command as the other side. Where there is none, one line says that these tests were skipped.
@Suite("OpenSSL as a peer", .enabled(if: OpenSSLPeer.isThere, "no openssl command on this machine"))
struct OpenSSLPeerTests {
  @Test("each verifies what the other has signed", arguments: KeyFixture.all)
  func signatures(fixture: KeyFixture) throws {
    let key = try PrivateKey(pemRepresentation: fixture.pkcs8)
    let peer = try OpenSSLPeer()
    let message = Array("a message for both".utf8)
    let keyFile = try peer.write("key.pem", Array(fixture.pkcs8.utf8))
    let publicFile = try peer.write("public.pem", Array(key.publicKey.pemRepresentation.utf8))
    let messageFile = try peer.write("message", message)
    let algorithm: KeyAlgorithm =
      fixture.name == "rsa" ? .rsaPKCS1v15(.message, .sha256) : .ecdsa(.message, .sha256, .x962)

    let ours = try peer.write("ours", key.sign(message, by: algorithm))
    #expect(try peer.run(["dgst", "-sha256", "-verify", publicFile, "-signature", ours, messageFile]) == 0)
    let other = try peer.write("other", Array("another message".utf8))
    #expect(try peer.run(["dgst", "-sha256", "-verify", publicFile, "-signature", ours, other]) != 0)

    #expect(try peer.run(["dgst", "-sha256", "-sign", keyFile, "-out", peer.path("theirs"), messageFile]) == 0)
    #expect(try key.publicKey.isValid(peer.read("theirs"), of: message, by: algorithm))
    #expect(try !key.publicKey.isValid(peer.read("theirs"), of: message + [1], by: algorithm))
  }

  @Test("both agree on the same secret", arguments: [KeyFixture.p256, .p384, .p521])
  func agreement(fixture: KeyFixture) throws {
    let peer = try OpenSSLPeer()
    let theirs = try PrivateKey(pemRepresentation: fixture.pkcs8)
    let ours = try PrivateKey.generate(theirs.type)
    let keyFile = try peer.write("key.pem", Array(fixture.pkcs8.utf8))
    let publicFile = try peer.write("public.pem", Array(ours.publicKey.pemRepresentation.utf8))
    #expect(
      try peer.run(["pkeyutl", "-derive", "-inkey", keyFile, "-peerkey", publicFile, "-out", peer.path("secret")]) == 0)
    let secret = try ours.exchange(
      with: theirs.publicKey, by: .ecdh(isCofactor: false, nil), size: nil, sharedInfo: [])
    #expect(try peer.read("secret") == secret)
  }

  @Test("what OpenSSL encrypts by OAEP is decrypted here, and the other way round", arguments: ["sha1", "sha256"])
  func encryption(digest: String) throws {
    let peer = try OpenSSLPeer()
    let key = try PrivateKey(pemRepresentation: KeyFixture.rsa.pkcs8)
    let algorithm = KeyAlgorithm.rsaOAEP(digest == "sha1" ? .sha1 : .sha256)
    let keyFile = try peer.write("key.pem", Array(KeyFixture.rsa.pkcs8.utf8))
    let text = try peer.write("text", [1, 2, 3])
    let options = [
      "-inkey", keyFile, "-pkeyopt", "rsa_padding_mode:oaep", "-pkeyopt", "rsa_oaep_md:\(digest)",
    ]
    #expect(try peer.run(["pkeyutl", "-encrypt", "-in", text, "-out", peer.path("theirs")] + options) == 0)
    #expect(try key.decrypt(peer.read("theirs"), by: algorithm) == [1, 2, 3])
    let ours = try peer.write("ours", key.publicKey.encrypt([4, 5, 6], by: algorithm))
    #expect(try peer.run(["pkeyutl", "-decrypt", "-in", ours, "-out", peer.path("opened")] + options) == 0)
    #expect(try peer.read("opened") == [4, 5, 6])
  }
}

/// The command, and a folder for its files that goes with it.
final class OpenSSLPeer {
  private static let command = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  static var isThere: Bool { command != nil }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-openssl-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: folder.appending(path: name))
    return path(name)
  }

  func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

  /// The status with which `openssl` ends.
  func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.command))
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
