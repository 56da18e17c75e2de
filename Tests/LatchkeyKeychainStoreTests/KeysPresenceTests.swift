import Crypto
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

@Suite("Presence key") struct KeysPresenceTests {
  private let passcode = RingFixture.passcode
  private let other = Array("another passcode".utf8)

  private func publicKey(_ ring: KeyRing) -> [UInt8]? { ring.presencePublicKey.map { Array($0.rawRepresentation) } }

  @Test("it is made with the first passcode, and opens for the passcode alone") func made() throws {
    let bare = try RingFixture().ring()
    #expect(publicKey(bare) == nil)
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    #expect(fixture.records.count == 14 && ring.lockState == .beforeFirstUnlock)
    let key = try ring.presenceKey(after: ring.attempt(passcode))
    #expect(publicKey(ring) == Array(key.publicKey.rawRepresentation))
    #expect(ring.lockState == .beforeFirstUnlock, "it does not unlock")
    for wrong in [other, [], Array(passcode.dropLast())] {
      #expect(storeError { try ring.presenceKey(after: ring.attempt(wrong)) }.isWrongPasscode)
    }
    #expect(try ring.addingPresenceKey(after: ring.attempt(passcode)) == nil, "there is one")
    let record = try #require(fixture.records.first { $0.kind == .presenceKey })
    #expect(record.parameters == publicKey(ring))
    #expect(!record.encoded.contains(key.rawBytes))
  }

  @Test("neither user root nor device root opens it") func wrapping() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    try ring.unlock(passcode: passcode)
    let record = try #require(fixture.records.first { $0.kind == .presenceKey })
    let attempt = try ring.attempt(passcode)
    let opened = try #require(attempt.opened)
    #expect(record.open(under: opened.key.presenceWrapping, seal: ring.seal) != nil)
    for key in [opened.key.wrapping, opened.userRoot, ring.deviceWrap, fixture.root.key] {
      #expect(record.open(under: key, seal: ring.seal) == nil)
    }
  }

  @Test("a change of passcode makes another, which opens the one before; the old passcode opens neither") func change()
    throws
  {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    let before = try ring.presenceKey(after: ring.attempt(passcode))
    let publicHalf = try #require(publicKey(ring))
    let stale = try ring.attempt(passcode)
    try ring.adopt(ring.settingPasscode(other, current: ring.attempt(passcode)))
    #expect(storeError { try ring.presenceKey(after: stale) }.isWrongPasscode)
    let after = try ring.presenceKey(after: ring.attempt(other))
    #expect(after.rawRepresentation != before.rawRepresentation)
    #expect(ring.presenceKey(for: publicHalf, by: after)?.rawRepresentation == before.rawRepresentation)
  }

  @Test("removal destroys it, and the next passcode makes another") func removal() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    let first = publicKey(ring)
    let removed = try ring.removingPasscode(current: ring.attempt(passcode))
    #expect(!removed.records.contains { $0.kind == .presenceKey })
    try ring.adopt(removed)
    #expect(publicKey(ring) == nil)
    try ring.adopt(ring.settingPasscode(passcode, current: nil))
    #expect(publicKey(ring) != nil && publicKey(ring) != first)
  }

  @Test("a keychain of the first format opens without one, and gets one with its passcode") func growth() throws {
    var fixture = try RingFixture(passcode: passcode)
    fixture.records = try fixture.recordsOfFirstFormat(passcode)
    let ring = try fixture.ring()
    #expect(publicKey(ring) == nil)
    #expect(storeError { try ring.presenceKey(after: ring.attempt(passcode)) }.isDamaged)
    #expect(try ring.addingPresenceKey(after: ring.attempt(other)) == nil)
    let attempt = try ring.attempt(passcode)
    let grown = try #require(try ring.addingPresenceKey(after: attempt))
    #expect(grown.records.count == 9)
    try ring.adopt(grown.records)
    #expect(storeError { try ring.presenceKey(after: attempt) }.isWrongPasscode, "its record is another one now")
    #expect(throws: Never.self) { try ring.unlock(after: grown.attempt) }
    #expect(
      try ring.presenceKey(after: ring.attempt(passcode)).publicKey.rawRepresentation.elementsEqual(
        publicKey(ring) ?? []))
    try fixture.ring(grown.records).unlock(passcode: passcode)
    // A change of passcode makes one, too.
    let changed = try fixture.ring().settingPasscode(other, current: fixture.ring().attempt(passcode)).records
    #expect(changed.contains { $0.kind == .presenceKey })
  }

  @Test("its record dropped, doubled, or put beside an older user root is damage") func composition() throws {
    let fixture = try RingFixture(passcode: passcode)
    let presence = try #require(fixture.records.first { $0.kind == .presenceKey })
    let others = fixture.records.filter { $0.kind != .presenceKey }
    #expect(storeError { try fixture.ring(others) }.isDamaged)
    #expect(storeError { try fixture.ring(fixture.records + [presence]) }.isDamaged)
    #expect(storeError { try fixture.ring(fixture.recordsOfFirstFormat(passcode) + [presence]) }.isDamaged)
    let bare = try RingFixture()
    let set = try bare.ring().settingPasscode(passcode, current: nil).records
    let made = try #require(set.first { $0.kind == .presenceKey })
    #expect(storeError { try bare.ring(bare.records + [made]) }.isDamaged)
    // Another public half under the same MAC.
    var altered = fixture.records
    let index = try #require(altered.firstIndex { $0.kind == .presenceKey })
    altered[index].parameters = Array(Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
    #expect(storeError { try fixture.ring(altered) }.isDamaged)
  }

  @Test("the record of an earlier passcode in its place is damage") func replay()
    throws
  {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    let old = try #require(fixture.records.first { $0.kind == .presenceKey })
    var changed = try ring.settingPasscode(other, current: ring.attempt(passcode)).records
    let index = try #require(changed.firstIndex { $0.kind == .presenceKey })
    changed[index] = old
    #expect(storeError { try fixture.ring(changed) }.isDamaged)
  }
}
