import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyEnclaveKeys

/// The error that `body` throws.
private func failure(_ body: () throws(StoreError) -> some Any) -> StoreError? {
  do throws(StoreError) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

extension StoreError? {
  fileprivate var isDamaged: Bool { if case .damaged = self { true } else { false } }
  fileprivate var isInvalidParameter: Bool { if case .invalidParameter = self { true } else { false } }
}

@Suite struct EngineSoftwareTests {
  private let engine = SoftwareEngine(now: { 1_700_000_000.9 })
  private let control = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage)

  private func load(_ made: CreatedKey) throws(StoreError) -> any LoadedKey {
    try engine.load(publicKey: made.publicKey, blob: made.blob, secret: made.secret, control: control)
  }

  private func digest(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) } }

  // MARK: Making

  @Test("A new key is a pair that says when it was made") func aNewKeyIsAPairWithItsCreationDate() throws {
    let made = try engine.create(control)
    #expect(made.publicKey.count == 65)
    #expect(made.publicKey.first == 4)
    let key = try P256.Signing.PrivateKey(rawRepresentation: made.secret)
    #expect([UInt8](key.publicKey.x963Representation) == made.publicKey)
    #expect(made.blob == [1, 0x00, 0xF1, 0x53, 0x65, 0, 0, 0, 0])
    #expect(engine.backend == .software)
  }

  @Test("No two keys are the same") func noTwoKeysAreTheSame() throws {
    let keys = try (0..<32).map { _ in try engine.create(control).secret }
    #expect(Set(keys).count == 32)
  }

  @Test("A wrong clock does not prevent new keys") func aClockThatIsWrongMakesKeysAllTheSame() throws {
    for now in [-1, Double.nan, .infinity, -.infinity, 1e300] {
      let engine = SoftwareEngine(now: { now })
      let made = try engine.create(control)
      #expect(made.blob.count == 9)
      _ = try engine.load(publicKey: made.publicKey, blob: made.blob, secret: made.secret, control: control)
    }
  }

  // MARK: Signing

  @Test("Digests of every length from one to 64 are signed") func digestsOfEveryLengthFromOneTo64AreSigned() throws {
    let made = try engine.create(control)
    let key = try load(made)
    let verifier = try P256.Signing.PublicKey(x963Representation: made.publicKey)
    for count in 1...64 {
      let signature = try key.sign(digest: digest(count))
      #expect(signature.count == 64)
      let read = try P256.Signing.ECDSASignature(rawRepresentation: signature)
      #expect(verifier.isValidSignature(read, for: try #require(PreparedDigest(digest(count)))))
      #expect(!verifier.isValidSignature(read, for: try #require(PreparedDigest(digest(count).map { $0 ^ 0x80 }))))
    }
  }

  @Test("Of a long digest the first 32 bytes count") func ofALongDigestTheFirst32BytesCount() throws {
    let made = try engine.create(control)
    let verifier = try P256.Signing.PublicKey(x963Representation: made.publicKey)
    let signature = try P256.Signing.ECDSASignature(
      rawRepresentation: try load(made).sign(digest: digest(32) + [9, 9, 9]))
    #expect(verifier.isValidSignature(signature, for: try #require(PreparedDigest(digest(32)))))
    #expect(!verifier.isValidSignature(signature, for: try #require(PreparedDigest(digest(31)))))
  }

  @Test("A signature is one of the message whose digest it is") func aSignatureIsOneOfTheMessageWhoseDigestItIs() throws
  {
    let made = try engine.create(control)
    let message = Array("a challenge".utf8)
    let signature = try load(made).sign(digest: Array(SHA256.hash(data: message)))
    let verifier = try P256.Signing.PublicKey(x963Representation: made.publicKey)
    #expect(
      verifier.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: message))
  }

  @Test("No two signatures have the same nonce") func noTwoSignaturesHaveTheSameNonce() throws {
    let key = try load(try engine.create(control))
    let halves = try (0..<64).map { _ in Array(try key.sign(digest: digest(32)).prefix(32)) }
    #expect(Set(halves).count == 64)
  }

  @Test("Digests of other lengths are refused", arguments: [0, 65, 66, 128, 4096])
  func digestsOfOtherLengthsAreRefused(count: Int) throws {
    let key = try load(try engine.create(control))
    #expect(failure { () throws(StoreError) in try key.sign(digest: digest(count)) }.isInvalidParameter)
  }

  @Test("OpenSSL verifies what is signed", arguments: [("sha1", 20), ("sha256", 32), ("sha384", 48), ("sha512", 64)])
  func opensslVerifiesWhatIsSigned(name: String, count: Int) throws {
    let made = try engine.create(control)
    let signature = try P256.Signing.ECDSASignature(
      rawRepresentation: try load(made).sign(digest: digest(count))
    ).derRepresentation
    let key = try P256.Signing.PublicKey(x963Representation: made.publicKey).derRepresentation
    let command = ["pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-pkeyopt", "digest:\(name)"]
    #expect(try openssl(command, key: key, signature: signature, digest: digest(count)) == 0)
    #expect(try openssl(command, key: key, signature: signature, digest: digest(count).reversed()) != 0)
  }

  private func openssl(_ arguments: [String], key: Data, signature: Data, digest: [UInt8]) throws -> Int32 {
    let peer = try PeerProgram(PeerProgram.openssl)
    let files = [
      "-inkey", try peer.write("key", Array(key)), "-sigfile", try peer.write("signature", Array(signature)),
      "-in", try peer.write("digest", digest),
    ]
    return try peer.run(arguments + files).code
  }

  // MARK: Agreeing

  @Test("Both sides agree") func bothSidesAgree() throws {
    let made = try engine.create(control)
    let key = try load(made)
    for _ in 0..<8 {
      let other = P256.KeyAgreement.PrivateKey()
      let theirs = try other.sharedSecretFromKeyAgreement(
        with: P256.KeyAgreement.PublicKey(x963Representation: made.publicKey))
      let ours = try key.sharedSecret(with: Array(other.publicKey.x963Representation))
      #expect(ours == theirs.withUnsafeBytes { Array($0) })
      #expect(ours.count == 32)
    }
  }

  @Test("Two keys of the engine agree") func twoKeysOfTheEngineAgree() throws {
    let (a, b) = (try engine.create(control), try engine.create(control))
    #expect(try load(a).sharedSecret(with: b.publicKey) == load(b).sharedSecret(with: a.publicKey))
  }

  @Test("Bytes that are no point of the curve are refused") func whatIsNoPointOfTheCurveIsRefused() throws {
    let key = try load(try engine.create(control))
    let peer = P256.KeyAgreement.PrivateKey().publicKey
    let point = Array(peer.x963Representation)
    var offCurve = point
    offCurve[64] ^= 1
    var hybrid = point
    hybrid[0] = 6 | (point[64] & 1)
    // The order of the field, which no coordinate reaches (FIPS 186-4 D.1.2.3).
    let prime = try Hexadecimal.decode("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
    let bad: [(String, [UInt8])] = [
      ("nothing", []), ("infinity", [0]), ("infinity, padded", [UInt8](repeating: 0, count: 65)),
      ("the origin", [4] + [UInt8](repeating: 0, count: 64)), ("off the curve", offCurve), ("hybrid", hybrid),
      ("compressed", Array(peer.compressedRepresentation)), ("raw", Array(peer.rawRepresentation)),
      ("too short", Array(point.dropLast())), ("too long", point + [0]),
      ("a coordinate that is the prime", [4] + prime + point[33...]),
      ("another curve's", Array(P384.KeyAgreement.PrivateKey().publicKey.x963Representation)),
    ]
    for (what, peer) in bad {
      #expect(failure { () throws(StoreError) in try key.sharedSecret(with: peer) }.isInvalidParameter, "\(what)")
    }
    // And the key is as it was.
    #expect(try key.sharedSecret(with: point).count == 32)
  }

  // MARK: Loading

  @Test("A secret that does not belong to the public key is refused") func aSecretThatIsNotThePublicKeysIsRefused()
    throws
  {
    let (a, b) = (try engine.create(control), try engine.create(control))
    // The group's order (FIPS 186-4 D.1.2.3).
    let order = try Hexadecimal.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    for secret in [
      b.secret, [], Array(a.secret.dropLast()), a.secret + [0], [UInt8](repeating: 0, count: 32), order,
      [UInt8](repeating: 0xFF, count: 32),
    ] {
      var altered = a
      altered.secret = secret
      #expect(failure { () throws(StoreError) in try load(altered) }.isDamaged)
    }
  }

  @Test("A public key that does not belong to the secret is refused") func aPublicKeyThatIsNotTheSecretsIsRefused()
    throws
  {
    let (a, b) = (try engine.create(control), try engine.create(control))
    let others: [[UInt8]] = [
      b.publicKey, [], Array(a.publicKey.dropFirst()), a.publicKey + [0], [2] + Array(a.publicKey.dropFirst()),
    ]
    for publicKey in others {
      var altered = a
      altered.publicKey = publicKey
      #expect(failure { () throws(StoreError) in try load(altered) }.isDamaged)
    }
  }

  @Test("A blob of another form is refused") func aBlobOfAnotherFormIsRefused() throws {
    let made = try engine.create(control)
    let others: [[UInt8]] = [
      [], [1], [2] + Array(made.blob.dropFirst()), made.blob + [0], Array(made.blob.dropLast()),
    ]
    for blob in others {
      var altered = made
      altered.blob = blob
      #expect(failure { () throws(StoreError) in try load(altered) }.isDamaged)
    }
  }

  // MARK: Statements

  @Test("A statement says software and is signed by the key") func aStatementSaysSoftwareAndIsSignedByTheKey() throws {
    let made = try engine.create(control)
    let object = try AttestationObject(encoded: try #require(try load(made).attest(challenge: [1, 2, 3])))
    #expect(object.format == "latchkey-software")
    let signed = try SignedSoftwareStatement(object.statement)
    let statement = try SoftwareStatement(encoded: signed.statement)
    #expect(
      statement
        == SoftwareStatement(
          publicKey: made.publicKey, control: control, challengeDigest: Array(SHA256.hash(data: [1, 2, 3])),
          created: 1_700_000_000))
    let verifier = try P256.Signing.PublicKey(x963Representation: made.publicKey)
    let signature = try P256.Signing.ECDSASignature(derRepresentation: signed.signature)
    #expect(verifier.isValidSignature(signature, for: signed.statement))
  }

  // MARK: Secrecy

  @Test("No text contains the scalar") func noTextContainsTheScalar() throws {
    let made = try engine.create(control)
    let key = try load(made)
    var altered = made
    altered.blob = []
    var dumped = ""
    dump(key, to: &dumped)
    let texts = [
      "\(key)", String(reflecting: key), dumped, "\(engine)",
      "\(failure { () throws(StoreError) in try key.sign(digest: []) }!)",
      "\(failure { () throws(StoreError) in try load(altered) }!)",
    ]
    let scalar = made.secret
    for text in texts {
      #expect(!text.lowercased().contains(Hexadecimal.encode(scalar)))
      #expect(!text.contains(Data(scalar).base64EncodedString()))
      #expect(!text.contains("\(scalar)".dropFirst().dropLast()))
    }
  }

  @Test("Many tasks use one key") func manyTasksUseOneKey() async throws {
    let made = try engine.create(control)
    let key = try load(made)
    let verifier = try P256.Signing.PublicKey(x963Representation: made.publicKey)
    let peer = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
    let expected = try key.sharedSecret(with: peer)
    let valid = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<64 {
        group.addTask {
          let digest = [UInt8](repeating: UInt8(index), count: 32)
          guard let signature = try? key.sign(digest: digest), let prepared = PreparedDigest(digest),
            let read = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
          else { return false }
          return verifier.isValidSignature(read, for: prepared) && (try? key.sharedSecret(with: peer)) == expected
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(valid == 64)
  }
}
