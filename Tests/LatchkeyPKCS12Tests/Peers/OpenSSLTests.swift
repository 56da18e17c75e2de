import LatchkeyTestSupport
import Foundation
import LatchkeyPKCS12
import Testing

/// Both ways with OpenSSL's command.
@Suite(.enabled(if: PeerProgram.openssl != nil, "no openssl command on this machine")) struct OpenSSLTests {
  /// Passwords that go through a file: command lines have an encoding of their own.
  static let passwords = ["secret", "pass wörd", "пароль", "a😀b"]

  @Test("OpenSSL opens what is written here", arguments: [PKCS12Profile.modern, .compatible], passwords)
  func ours(profile: PKCS12Profile, password: String) throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let sample = try Sample()
    var file = sample.file
    file.keys[0].friendlyName = "a key"
    file.certificates[0].friendlyName = "Zertifikat"
    let bytes = try file.encoded(password: password, profile: profile.quick, random: notRandom)
    let input = try peer.write("ours.p12", bytes)
    let secret = try peer.write("password", Array(password.utf8))
    let (code, text) = try peer.run(["pkcs12", "-in", input, "-passin", "file:\(secret)", "-nodes", "-info"])
    #expect(code == 0, "\(text)")
    #expect(text.contains(PEMText.block("CERTIFICATE", sample.certificate)))
    #expect(text.contains(PEMText.block("PRIVATE KEY", sample.key)))
    #expect(text.contains("friendlyName: a key") && text.contains("friendlyName: Zertifikat"))
    let wrong = try peer.write("wrong", Array("wrong".utf8))
    #expect(try peer.run(["pkcs12", "-in", input, "-passin", "file:\(wrong)", "-nodes"]).code != 0)
  }

  @Test("OpenSSL from 3.4 on opens PBMAC1; older ones do not support it")
  func pbmac1() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let version = try peer.run(["version"]).text
    let numbers = version.split(separator: " ").dropFirst().first?.split(separator: ".").compactMap { Int($0) } ?? []
    guard !numbers.lexicographicallyPrecedes([3, 4]) else {
      return print("skipped: PBMAC1 with openssl: \(version.split(separator: "\n").first ?? "") is older than 3.4")
    }
    let bytes = try Sample().file.encoded(password: "secret", profile: .pbmac1.quick, random: notRandom)
    let input = try peer.write("ours.p12", bytes)
    #expect(try peer.run(["pkcs12", "-in", input, "-passin", "pass:secret", "-nodes"]).code == 0)
  }

  @Test(
    "A file from OpenSSL opens here, with its names and its identifier",
    arguments: [
      [], ["-legacy"], ["-legacy", "-certpbe", "PBE-SHA1-RC2-128", "-keypbe", "PBE-SHA1-2DES"],
      ["-certpbe", "AES-128-CBC", "-keypbe", "AES-192-CBC", "-macalg", "sha512"],
      ["-certpbe", "NONE", "-keypbe", "NONE", "-macalg", "sha384"], ["-certpbe", "DES-EDE3-CBC", "-macalg", "sha224"],
      ["-descert", "-iter", "1", "-macalg", "sha1"], ["-nomaciter", "-macalg", "sha512-256"],
    ], passwords + [""])
  func theirs(options: [String], password: String) throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let sample = try Sample()
    let input = try peer.write(
      "input.pem",
      Array((PEMText.block("PRIVATE KEY", sample.key) + PEMText.block("CERTIFICATE", sample.certificate)).utf8))
    let secret = try peer.write("password", Array("\(password)\n".utf8))
    let (code, text) = try peer.run(
      [
        "pkcs12", "-export", "-in", input, "-out", peer.path("theirs.p12"), "-passout", "file:\(secret)", "-name",
        "Ключ",
      ]
        + options)
    // Some builds have no old ciphers.
    guard code == 0 else { return print("skipped: openssl pkcs12 -export \(options): \(text)") }
    let file = try PKCS12File(reading: peer.read("theirs.p12"), password: password)
    #expect(file.certificates.map(\.der) == [sample.certificate])
    #expect(file.keys.map(\.pkcs8) == [sample.key])
    #expect(file.certificates.map(\.friendlyName) == ["Ключ"])
    #expect(file.keys.map(\.localKeyID) == file.certificates.map(\.localKeyID))
    #expect(file.keys[0].localKeyID?.count == 20)
    #expect(file.identities.count == 1)
    #expect(Refusal.of(try peer.read("theirs.p12"), password: "wrong") == .wrongPassword)
  }

  @Test("A file that OpenSSL writes without a MAC is read only on request")
  func withoutMAC() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let sample = try Sample()
    let input = try peer.write(
      "input.pem",
      Array((PEMText.block("PRIVATE KEY", sample.key) + PEMText.block("CERTIFICATE", sample.certificate)).utf8))
    let (code, text) = try peer.run([
      "pkcs12", "-export", "-in", input, "-out", peer.path("theirs.p12"), "-passout", "pass:secret",
      "-nomac",
    ])
    #expect(code == 0, "\(text)")
    let bytes = try peer.read("theirs.p12")
    #expect(Refusal.of(bytes, password: "secret") == .notAuthenticated)
    #expect(Refusal.of(bytes, password: "secret", allowsMissingMAC: true) == nil)
    #expect(Refusal.of(bytes, password: "wrong", allowsMissingMAC: true) == .wrongPassword)
  }
}
