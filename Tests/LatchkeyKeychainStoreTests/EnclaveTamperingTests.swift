import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// What somebody does to keys outside of the enclave, and what they look for.
@Suite struct EnclaveTamperingTests {
  @Test("A representation of which one byte changed is refused") func aRepresentationOfWhichOneByteChangedIsRefused()
    throws
  {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let key = try fixture.create([.privateKeyUsage, .biometryCurrentSet])
    let keychainName = 4..<20
    for offset in key.representation.indices {
      var altered = key
      altered.representation[offset] ^= UInt8(1 << (offset % 8))
      let errors = [
        failure { () throws(StoreError) in try enclave.key(representation: altered.representation) },
        failure { () throws(StoreError) in try enclave.sign(altered) },
        failure { () throws(StoreError) in try enclave.isInvalidated(altered) },
      ]
      for error in errors {
        #expect(error.fault == (keychainName.contains(offset) ? .foreignKey : .damaged), "byte \(offset)")
      }
    }
    #expect(fixture.timesAsked == 0)
    #expect(fixture.engine.loads == 0)
  }

  @Test("A representation of another length is refused") func aRepresentationOfAnotherLengthIsRefused() throws {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let bytes = try fixture.create().representation
    for count in 0..<bytes.count {
      #expect(
        failure { () throws(StoreError) in try enclave.key(representation: Array(bytes.prefix(count))) }.fault
          == .damaged)
    }
    for extra in [[0], bytes] {
      #expect(failure { () throws(StoreError) in try enclave.key(representation: bytes + extra) }.fault == .damaged)
    }
  }

  @Test("Another keychain's key is foreign") func anotherKeychainsKeyIsForeign() throws {
    let (ours, theirs) = (try EnclaveFixture(), try EnclaveFixture())
    let key = try theirs.create()
    #expect(
      failure { () throws(StoreError) in try ours.keychain.enclave?.key(representation: key.representation) }
        .fault == .foreignKey)
    #expect(failure { () throws(StoreError) in try ours.keychain.enclave?.sign(key) }.fault == .foreignKey)
    #expect(
      failure { () throws(StoreError) in
        try ours.keychain.enclave?.sharedSecret(
          with: key.publicKey, by: key, for: .exchange, consent: Consent())
      }.fault == .foreignKey)
  }

  @Test("A key of another keychain under this keychain's name is damage")
  func anotherKeychainsKeyUnderOurNameIsDamaged() throws {
    let (ours, theirs) = (try EnclaveFixture(), try EnclaveFixture())
    var bytes = try theirs.create().representation
    bytes.replaceSubrange(4..<20, with: try ours.create().representation[4..<20])
    #expect(
      failure { () throws(StoreError) in try ours.keychain.enclave?.key(representation: bytes) }.fault == .damaged)
  }

  @Test("A control that was lowered is refused") func aControlThatWasLoweredIsRefused() throws {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let key = try fixture.create([.privateKeyUsage, .biometryAny])
    // In the value, whose representation says otherwise.
    var reported = key
    reported.control.flags = .privateKeyUsage
    #expect(failure { () throws(StoreError) in try enclave.sign(reported) }.fault == .damaged)
    // In the representation, whose mark says otherwise.
    var representation = try KeyRepresentation(encoded: key.representation)
    representation.stored.control.flags = .privateKeyUsage
    var lowered = reported
    lowered.representation = representation.encoded
    #expect(failure { () throws(StoreError) in try enclave.sign(lowered) }.fault == .damaged)
    // By somebody who can make the mark: the secret was not sealed under it.
    lowered.representation = RepresentationSeal(ring: fixture.keychain.parts.ring).close(representation)
    #expect(try enclave.key(representation: lowered.representation).control.flags == .privateKeyUsage)
    #expect(failure { () throws(StoreError) in try enclave.sign(lowered) }.fault == .damaged)
    #expect(fixture.timesAsked == 0)
    #expect(fixture.engine.loads == 0)
  }

  @Test("A secret of another key is refused") func aSecretOfAnotherKeyIsRefused() throws {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let (key, other) = (try fixture.create(), try fixture.create())
    var representation = try KeyRepresentation(encoded: key.representation)
    representation.sealedSecret = try KeyRepresentation(encoded: other.representation).sealedSecret
    var mixed = key
    mixed.representation = RepresentationSeal(ring: fixture.keychain.parts.ring).close(representation)
    #expect(failure { () throws(StoreError) in try enclave.sign(mixed) }.fault == .damaged)
    #expect(fixture.engine.loads == 0)
  }

  @Test("A key that contradicts its representation is refused") func aKeyThatSaysAnotherThanItsRepresentationIsRefused()
    throws
  {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let (key, other) = (try fixture.create(), try fixture.create())
    var (named, publicly, placed) = (key, key, key)
    named.id = other.id
    publicly.publicKey = other.publicKey
    placed.backend = .tpm2
    for altered in [named, publicly, placed] {
      #expect(failure { () throws(StoreError) in try enclave.sign(altered) }.fault == .damaged)
    }
  }

  @Test("A key of an engine that is not here is unavailable") func aKeyOfAnEngineThatIsNotHereIsUnavailable() throws {
    let fixture = try EnclaveFixture(passcode: false, backend: .tpm2)
    let key = try fixture.create()
    #expect(key.backend == .tpm2)
    let again = try fixture.reopened([RecordingEngine()])
    // It is told what it is, and where it lives.
    #expect(try fixture.enclave(again).key(representation: key.representation) == key)
    #expect(try fixture.enclave(again).backend == .software)
    #expect(failure { () throws(StoreError) in try again.enclave?.sign(key) }.fault == .unavailable)
  }

  // MARK: Looking for the scalar

  @Test("No scalar is in the file the representations or any text")
  func noScalarIsInTheFileTheRepresentationsOrAnyText() throws {
    let fixture = try EnclaveFixture()
    let enclave = try fixture.enclave()
    let session = try fixture.session()
    try session.setApplicationPassword(Array("mine".utf8))
    let consent = Consent(session: session)
    var texts: [String] = []
    var bytes: [[UInt8]] = []
    for flags: AccessControl.Flags in [
      .privateKeyUsage, [.privateKeyUsage, .biometryCurrentSet], [.privateKeyUsage, .devicePasscode],
      [.privateKeyUsage, .applicationPassword],
    ] {
      let key = try fixture.create(flags, consent: consent)
      bytes += [
        key.representation, key.publicKey, try enclave.sign(key, consent),
        try enclave.attest(key, challenge: [1], consent: consent),
      ]
      var dumped = ""
      dump(key, to: &dumped)
      dump(enclave, to: &dumped)
      dump(try #require(session as? any KeyHoldingSession).held(key.id), to: &dumped)
      texts += ["\(key)", String(reflecting: key), "\(enclave)", dumped]
      var altered = key
      altered.representation[key.representation.count - 1] ^= 1
      texts.append("\(failure { () throws(StoreError) in try enclave.sign(altered) } as Any)")
      texts.append(
        "\(failure { () throws(StoreError) in try enclave.sign(digest: [], with: key, consent: consent) } as Any)")
    }
    fixture.keychain.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) {
      bytes.append(
        Array(try #require(FileManager.default.contents(atPath: fixture.folder.path + "/" + name))))
    }
    #expect(fixture.engine.secrets.count == 4)
    for scalar in fixture.engine.secrets {
      let spellings = [
        scalar, Array(Hexadecimal.encode(scalar).utf8), Array(Hexadecimal.encode(scalar).uppercased().utf8),
        Array(Data(scalar).base64EncodedString().utf8), Array("\(scalar)".utf8.dropFirst().dropLast()),
      ]
      for place in bytes + texts.map({ Array($0.utf8) }) {
        for spelling in spellings { #expect(Data(place).range(of: Data(spelling)) == nil) }
      }
    }
  }
}
