import LatchkeyTestSupport
import Foundation
import LatchkeyPKCS12
import Testing

/// Both ways with Java's keytool. A virtual machine starts for each run, so there are few.
@Suite(.enabled(if: PeerProgram.keytool != nil, "no keytool on this machine")) struct KeytoolTests {
  @Test("keytool opens what is written here, as an entry of a key", arguments: [PKCS12Profile.modern, .compatible])
  func ours(profile: PKCS12Profile) throws {
    let peer = try PeerProgram(PeerProgram.keytool)
    var file = try Sample().file
    file.keys[0].friendlyName = "mine"
    let input = try peer.write(
      "ours.p12", file.encoded(password: "password", profile: profile.quick, random: notRandom))
    let (code, text) = try peer.run([
      "-list", "-storetype", "PKCS12", "-keystore", input, "-storepass", "password",
    ])
    #expect(code == 0, "\(text)")
    #expect(text.contains("mine") && text.contains("PrivateKeyEntry"), "\(text)")
    let fingerprint = sha256(file.certificates[0].der).uppercased()
    #expect(text.replacing(":", with: "").contains(fingerprint), "\(text)")
  }

  @Test("A file from keytool opens here, with a trusted certificate beside the key")
  func theirs() throws {
    let peer = try PeerProgram(PeerProgram.keytool)
    let sample = try Sample()
    let store = ["-storetype", "PKCS12", "-keystore", peer.path("theirs.p12"), "-storepass", "password"]
    let made = try peer.run(
      ["-genkeypair", "-alias", "device", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=device"] + store)
    #expect(made.code == 0, "\(made.text)")
    let trusted = try peer.write("trusted.cer", sample.certificate)
    let imported = try peer.run(["-importcert", "-noprompt", "-alias", "trusted", "-file", trusted] + store)
    #expect(imported.code == 0, "\(imported.text)")
    let file = try PKCS12File(reading: peer.read("theirs.p12"), password: "password")
    #expect(file.keys.map(\.friendlyName) == ["device"])
    #expect(Set(file.certificates.map(\.friendlyName)) == ["device", "trusted"])
    #expect(file.identities.map(\.certificate.friendlyName) == ["device"])
    #expect(file.certificates.contains { $0.der == sample.certificate })
  }
}
