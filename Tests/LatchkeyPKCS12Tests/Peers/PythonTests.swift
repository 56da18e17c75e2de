import LatchkeyTestSupport
import Foundation
import LatchkeyPKCS12
import Testing

/// Both ways with Python's cryptography, which has a reader and a writer of its own.
@Suite(.enabled(if: PeerProgram.python != nil, "no python3 with cryptography on this machine")) struct PythonTests {
  @Test("cryptography opens what is written here", arguments: [PKCS12Profile.modern, .compatible])
  func ours(profile: PKCS12Profile) throws {
    let peer = try PeerProgram(PeerProgram.python)
    var file = try Sample().file
    file.certificates[0].friendlyName = "Ключ"
    let other = try PKCS12File(reading: Fixtures.bytes("pyca/java-truststore.p12"), password: nil).certificates[0]
    file.certificates.append(.init(der: other.der, friendlyName: "another"))
    let input = try peer.write(
      "ours.p12", file.encoded(password: "pässword", profile: profile.quick, random: notRandom))
    let (code, text) = try peer.run(["-c", Self.reading, input, "pässword"])
    #expect(code == 0, "\(text)")
    let lines = text.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        sha256(file.keys[0].pkcs8), "\(sha256(file.certificates[0].der)) Ключ", "\(sha256(other.der)) another",
      ])
  }

  @Test("A file from Python's cryptography opens here", arguments: ["best", "aes", "3des", "none"])
  func theirs(kind: String) throws {
    let peer = try PeerProgram(PeerProgram.python)
    let sample = try Sample()
    let (key, certificate) = (
      try peer.write("key", sample.key), try peer.write("certificate", sample.certificate)
    )
    let (code, text) = try peer.run([
      "-c", Self.writing, key, certificate, peer.path("theirs.p12"), "pässword", kind,
    ])
    #expect(code == 0, "\(text)")
    let file = try PKCS12File(reading: peer.read("theirs.p12"), password: kind == "none" ? nil : "pässword")
    #expect(file.keys.map(\.pkcs8) == [sample.key])
    #expect(file.certificates.map(\.der) == [sample.certificate])
    #expect(file.certificates.map(\.friendlyName) == ["naïve"])
    #expect(file.identities.count == 1)
  }

  private static let reading = """
    import sys, hashlib
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.serialization import pkcs12
    sys.stdout.reconfigure(encoding="utf-8")
    digest = lambda data: hashlib.sha256(data).hexdigest()
    found = pkcs12.load_pkcs12(open(sys.argv[1], "rb").read(), sys.argv[2].encode())
    print(digest(found.key.private_bytes(s.Encoding.DER, s.PrivateFormat.PKCS8, s.NoEncryption())))
    for each in [found.cert, *found.additional_certs]:
      print(digest(each.certificate.public_bytes(s.Encoding.DER)), each.friendly_name.decode())
    """

  private static let writing = """
    import sys
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization as s
    from cryptography.hazmat.primitives.serialization import pkcs12
    key, certificate, output, password, kind = sys.argv[1:]
    builder = s.PrivateFormat.PKCS12.encryption_builder().kdf_rounds(3)
    protection = {
      "best": s.BestAvailableEncryption(password.encode()),
      "aes": builder.key_cert_algorithm(pkcs12.PBES.PBESv2SHA256AndAES256CBC).hmac_hash(hashes.SHA256()).build(
        password.encode()),
      "3des": builder.key_cert_algorithm(pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC).hmac_hash(hashes.SHA1()).build(
        password.encode()),
      "none": s.NoEncryption(),
    }[kind]
    made = pkcs12.serialize_key_and_certificates(
      "naïve".encode(), s.load_der_private_key(open(key, "rb").read(), None),
      x509.load_der_x509_certificate(open(certificate, "rb").read()), None, protection)
    open(output, "wb").write(made)
    """
}
