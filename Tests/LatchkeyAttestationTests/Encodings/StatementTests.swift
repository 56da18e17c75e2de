import Crypto
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Testing

@Suite("Attestation statements")
struct StatementTests {
  let tpm = TPMStatement(
    algorithm: -7, certificates: [[1, 2], [3]], signature: [4], certifyInfo: [5], publicArea: [6])
  let software = SoftwareStatement(
    publicKey: [4] + [UInt8](repeating: 7, count: 64),
    control: AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: [.userPresence, .privateKeyUsage]),
    challengeDigest: [UInt8](repeating: 9, count: 32), created: 1_800_000_000)

  @Test("a TPM's statement has the bytes of WebAuthn's form")
  func tpmBytes() throws {
    let expected =
      "a2" + "63666d74" + "6374706d" + "6761747453746d74" + "a6" + "63616c67" + "26" + "63736967" + "4104"
      + "63766572" + "63322e30" + "63783563" + "82" + "420102" + "4103" + "6770756241726561" + "4106"
      + "6863657274496e666f" + "4105"
    #expect(Hexadecimal.encode(tpm.object.encoded) == expected)
    let object = try AttestationObject(encoded: Hexadecimal.decode(expected))
    #expect(object.format == TPMStatement.format)
    #expect(try TPMStatement(object.statement) == tpm)
  }

  @Test("authData may stand in an object and is left out")
  func authData() throws {
    var entries = ["fmt": CBORValue.text("tpm"), "attStmt": .map(tpm.object.statement)]
    entries["authData"] = .bytes([1, 2, 3])
    #expect(try AttestationObject(encoded: CBORValue.map(entries).encoded) == tpm.object)
    entries["other"] = .bytes([])
    #expect(throws: AttestationFormatError.field("other")) {
      try AttestationObject(encoded: CBORValue.map(entries).encoded)
    }
  }

  @Test("an object is a map with a short format and a statement")
  func objects() {
    for value: CBORValue in [
      .array([]), .map([:]), .map(["fmt": .text("tpm")]), .map(["attStmt": .map([:])]),
      .map(["fmt": .bytes([1]), "attStmt": .map([:])]), .map(["fmt": .text("tpm"), "attStmt": .array([])]),
      .map(["fmt": .text(String(repeating: "a", count: 33)), "attStmt": .map([:])]),
    ] {
      #expect(throws: AttestationFormatError.self) { try AttestationObject(encoded: value.encoded) }
    }
  }

  @Test("every field of a TPM's statement is needed, of its type and within its bounds")
  func tpmFields() {
    for (name, wrong) in [
      ("ver", .text("1.0")), ("ver", .bytes([])), ("alg", .text("-7")), ("alg", .unsigned(.max)), ("x5c", .bytes([])),
      ("x5c", .array([.text("a")])), ("x5c", .array([.bytes([])])),
      ("x5c", .array([CBORValue](repeating: .bytes([1]), count: 9))), ("sig", .bytes([])),
      ("sig", .bytes([UInt8](repeating: 0, count: 1025))), ("certInfo", .text("")), ("pubArea", .bytes([])),
      ("more", .boolean(true)),
    ] as [(String, CBORValue)] {
      var statement = tpm.object.statement
      statement[name] = wrong
      #expect(throws: AttestationFormatError.field(name)) { try TPMStatement(statement) }
    }
    for name in tpm.object.statement.keys {
      var statement = tpm.object.statement
      statement[name] = nil
      #expect(throws: AttestationFormatError.field(name)) { try TPMStatement(statement) }
    }
  }

  @Test("a software statement comes back as it was said")
  func softwareRoundTrip() throws {
    #expect(try SoftwareStatement(encoded: software.encoded) == software)
    let key = P256.Signing.PrivateKey()
    let raw = [UInt8](try key.signature(for: SHA256.hash(data: software.encoded)).rawRepresentation)
    let signed = try SignedSoftwareStatement(statement: software.encoded, rawSignature: raw)
    let object = try AttestationObject(encoded: signed.object.encoded)
    #expect(object.format == "latchkey-software")
    let back = try SignedSoftwareStatement(object.statement)
    #expect(back == signed)
    let signature = try P256.Signing.ECDSASignature(derRepresentation: back.signature)
    #expect(key.publicKey.isValidSignature(signature, for: back.statement))
  }

  @Test("A signature must have r and s of 32 bytes each")
  func rawSignature() {
    #expect(throws: AttestationFormatError.field("sig")) {
      try SignedSoftwareStatement(statement: software.encoded, rawSignature: [UInt8](repeating: 1, count: 63))
    }
  }

  @Test("a software statement that claims anything else than software is none")
  func softwareClaims() throws {
    guard case .map(let entries) = try CBORValue(encoded: software.encoded) else { return #expect(Bool(false)) }
    for (name, wrong) in [
      ("backend", .text("tpm2")), ("backend", .text("tpm")), ("backend", .text("software ")),
      ("publicKey", .bytes([4])), ("protection", .text("xx")), ("flags", .integer(-1)), ("flags", .unsigned(1 << 20)),
      ("flags", .unsigned(0xC000)), ("challenge", .bytes([])), ("created", .text("")), ("level", .text("tpm")),
    ] as [(String, CBORValue)] {
      var altered = entries
      altered[name] = wrong
      #expect(throws: AttestationFormatError.field(name)) {
        try SoftwareStatement(encoded: CBORValue.map(altered).encoded)
      }
    }
    for name in entries.keys {
      var altered = entries
      altered[name] = nil
      #expect(throws: AttestationFormatError.field(name)) {
        try SoftwareStatement(encoded: CBORValue.map(altered).encoded)
      }
    }
  }
}
