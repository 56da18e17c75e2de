import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import LatchkeySecretData
import Testing

@Suite struct Secp192k1Tests {
  @Test("Key pairs match the vectors", arguments: Vectors.all.keyPairs) func keyPairsMatchTheVectors(
    _ vector: Vectors.KeyPair
  ) throws {
    let key = try Secp192k1.PrivateKey(bytes: hex(vector.private))
    #expect(key.publicKey.bytes == hex(vector.public))
    #expect([0x04] + key.publicKey.bytes == hex(vector.sec1Uncompressed))
    #expect(array(key.exposedBytes) == hex(vector.private))
    #expect(try Secp192k1.PublicKey(bytes: hex(vector.public)) == key.publicKey)
    #expect(LegacySession(role: .app, privateKey: key).keyFrame.encoded == hex(vector.appKeyFrame))
    var device = LegacySession(
      role: .device, privateKey: try LegacyHexadecimal.privateKey(vector.gmobjcPrivate64))
    #expect(device.offerKey().encoded == hex(vector.deviceKeyFrame))
    #expect(try LegacyHexadecimal.publicKey(vector.gmobjcPublic98).bytes == hex(vector.public))
  }

  @Test("Key agreement matches the vectors", arguments: Vectors.all.ecdh) func agreementMatchesTheVectors(
    _ vector: Vectors.Agreement
  ) throws {
    let own = try Secp192k1.PrivateKey(bytes: hex(vector.private))
    let peer = try Secp192k1.PrivateKey(bytes: hex(vector.peerPrivate))
    #expect(own.publicKey.bytes == hex(vector.ownPublic))
    #expect(peer.publicKey.bytes == hex(vector.peerPublic))
    let secret = try own.sharedSecret(with: Secp192k1.PublicKey(bytes: hex(vector.peerPublic)))
    let same = try peer.sharedSecret(with: own.publicKey)
    #expect(array(secret.exposedBytes) == hex(vector.sharedX))
    #expect(array(same.exposedBytes) == hex(vector.sharedX))

    // The secret, its published form and both of GMObjC's are one key.
    let ciphertext = try LegacyMessageKey(secret).encrypt([1, 2, 3])
    for text in [vector.aes192Key, vector.gmobjc3ComputeEcdh64, vector.gmobjc4ComputeEcdh48] {
      #expect(try LegacyMessageKey(bytes: hex(text)).encrypt([1, 2, 3]) == ciphertext)
    }
  }

  @Test("Invalid public keys are refused", arguments: Vectors.all.invalidPublicKeys) func invalidPublicKeysAreRefused(
    _ vector: Vectors.InvalidPublicKey
  ) {
    #expect(vector.expect == "reject")
    #expect(throws: Secp192k1.Failure.invalidPublicKey) { try Secp192k1.PublicKey(bytes: hex(vector.public)) }
    guard vector.public.count == 96 else { return }
    #expect(throws: Secp192k1.Failure.invalidPublicKey) { try LegacyHexadecimal.publicKey(vector.public) }
    #expect(throws: Secp192k1.Failure.invalidPublicKey) { try LegacyHexadecimal.publicKey("04" + vector.public) }
  }

  @Test("Invalid private keys are refused", arguments: Vectors.all.invalidPrivateKeys)
  func invalidPrivateKeysAreRefused(_ vector: Vectors.InvalidPrivateKey) {
    #expect(vector.expect == "reject")
    #expect(throws: Secp192k1.Failure.invalidPrivateKey) { _ = try Secp192k1.PrivateKey(bytes: hex(vector.private)) }
    #expect(throws: Secp192k1.Failure.invalidPrivateKey) { _ = try LegacyHexadecimal.privateKey(vector.private) }
  }

  @Test("Forms of a fixed size agree with arrays") func fixedSizeFormsAgreeWithArrays() throws {
    let vector = try #require(Vectors.all.ecdh.last)
    let own = try Secp192k1.PrivateKey(fixed(hex(vector.private)))
    let peer = try Secp192k1.PublicKey(fixed(hex(vector.peerPublic)))
    #expect(array(try own.sharedSecret(with: peer).exposedBytes) == hex(vector.sharedX))
    #expect(array(peer.fixedBytes) == hex(vector.peerPublic))
    var offCurve = hex(vector.peerPublic)
    offCurve[47] ^= 1
    #expect(throws: Secp192k1.Failure.invalidPublicKey) { try Secp192k1.PublicKey(fixed(offCurve)) }
    let zero: [24 of UInt8] = fixed([])
    #expect(throws: Secp192k1.Failure.invalidPrivateKey) { _ = try Secp192k1.PrivateKey(zero) }
  }

  @Test("A public key with any bit changed is refused") func everyBitOfAPublicKeyMatters() throws {
    let vector = try #require(Vectors.all.keyPairs.last)
    for bit in 0..<384 {
      var altered = hex(vector.public)
      altered[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: Secp192k1.Failure.invalidPublicKey) { try Secp192k1.PublicKey(bytes: altered) }
    }
  }

  /// Validation keeps such points out; were one to slip through, its secret would still be refused.
  @Test("A shared secret of zero bytes is refused") func aSecretOfZerosIsRefused() throws {
    for y in [1, 2, 0xFFFF_FFFF] as [UInt64] {
      let point = Secp192k1.PublicKey(trusted: AffinePoint(x: FieldElement(0), y: FieldElement(y)))
      for vector in Vectors.all.keyPairs {
        let key = try Secp192k1.PrivateKey(bytes: hex(vector.private))
        #expect(throws: Secp192k1.Failure.zeroSharedSecret) { _ = try key.sharedSecret(with: point) }
      }
    }
  }

  @Test("New keys agree on one secret") func newKeysAgree() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<20 {
      let one = try Secp192k1.PrivateKey(using: &generator)
      let other = try Secp192k1.PrivateKey(using: &generator)
      let secret = try one.sharedSecret(with: other.publicKey)
      let same = try other.sharedSecret(with: one.publicKey)
      #expect(array(secret.exposedBytes) == array(same.exposedBytes))
      #expect(one.publicKey != other.publicKey)
    }
  }

  @Test("Numbers out of range are drawn again") func numbersOutOfRangeAreDrawnAgain() throws {
    struct Scripted: RandomNumberGenerator {
      var numbers: [UInt64]
      mutating func next() -> UInt64 { numbers.isEmpty ? 0 : numbers.removeFirst() }
    }
    var second = Scripted(numbers: [.max, .max, .max, 5, 0, 0])
    #expect(array(try Secp192k1.PrivateKey(using: &second).exposedBytes) == Array(repeating: 0, count: 23) + [5])
    var broken = Scripted(numbers: [])
    #expect(throws: Secp192k1.Failure.invalidPrivateKey) { _ = try Secp192k1.PrivateKey(using: &broken) }
  }
}

func array<let count: Int>(_ fixed: [count of UInt8]) -> [UInt8] {
  fixed.indices.map { fixed[$0] }
}

/// `bytes`, zeros where there are too few.
func fixed<let count: Int>(_ bytes: [UInt8]) -> [count of UInt8] {
  InlineArray { $0 < bytes.count ? bytes[$0] : 0 }
}
