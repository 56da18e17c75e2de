import LatchkeyByteCoding
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyEnclaveKeys

@Suite struct EngineRepresentationTests {
  /// One of every field, small enough to be written out.
  static let sample: KeyRepresentation = {
    var sample = KeyRepresentation(
      backend: .tpm2, storeUUID: [UInt8](repeating: 0x11, count: 16), keyID: [UInt8](repeating: 0x22, count: 16),
      stored: StoredControl(
        control: AccessControl(
          protection: .whenUnlockedThisDeviceOnly, flags: [.biometryCurrentSet, .or, .devicePasscode, .privateKeyUsage]),
        enrollment: [0xE1, 0xE2], isBoundToPasscode: true), publicKey: [4] + [UInt8](repeating: 0x33, count: 64),
      blob: [0xB1, 0xB2, 0xB3])
    sample.sealedSecret = [0x5E, 0xA1]
    sample.mac = [UInt8](repeating: 0x44, count: 32)
    return sample
  }()

  static let sampleHexadecimal =
    "454e31" + "02" + String(repeating: "11", count: 16) + String(repeating: "22", count: 16) + "03616b75"
    + "1840004000000000" + "02e1e2" + "01" + "04" + String(repeating: "33", count: 64) + "0300b1b2b3" + "02005ea1"
    + String(repeating: "44", count: 32)

  @Test("A key has the bytes that the format says") func aKeyHasTheBytesThatTheFormatSays() throws {
    #expect(Self.sample.encoded == (try Hexadecimal.decode(Self.sampleHexadecimal)))
    #expect(try KeyRepresentation(encoded: Self.sample.encoded) == Self.sample)
  }

  @Test("The binding is what comes before the sealed secret") func theBindingIsWhatComesBeforeTheSealedSecret() {
    let sample = Self.sample
    #expect(sample.encoded.starts(with: sample.authenticated))
    #expect(sample.authenticated.count == sample.encoded.count - 32)
    #expect(sample.authenticated.starts(with: sample.binding))
    #expect(sample.authenticated.count == sample.binding.count + 4)
  }

  @Test("Every protection of this device and every backend comes back")
  func everyProtectionOfThisDeviceAndEveryBackendComesBack() throws {
    for protection in Accessibility.allCases where protection.isThisDeviceOnly {
      for backend in [EnclaveBackend.software, .tpm2] {
        var sample = Self.sample
        sample.backend = backend
        sample.stored = StoredControl(control: AccessControl(protection: protection, flags: .privateKeyUsage))
        sample.blob = []
        #expect(try KeyRepresentation(encoded: sample.encoded) == sample)
      }
    }
  }

  @Test("The longest fields come back") func theLongestFieldsComeBack() throws {
    var sample = Self.sample
    sample.stored.enrollment = [UInt8](repeating: 1, count: KeyRepresentation.maximumEnrollment)
    sample.blob = [UInt8](repeating: 2, count: KeyRepresentation.maximumBlob)
    sample.sealedSecret = [UInt8](repeating: 3, count: KeyRepresentation.maximumSealedSecret)
    #expect(try KeyRepresentation(encoded: sample.encoded) == sample)
  }

  @Test("A field one byte too long is refused") func aFieldOneByteTooLongIsRefused() {
    var enrollment = Self.sample
    enrollment.stored.enrollment = [UInt8](repeating: 1, count: KeyRepresentation.maximumEnrollment + 1)
    var blob = Self.sample
    blob.blob = [UInt8](repeating: 2, count: KeyRepresentation.maximumBlob + 1)
    var secret = Self.sample
    secret.sealedSecret = [UInt8](repeating: 3, count: KeyRepresentation.maximumSealedSecret + 1)
    for sample in [enrollment, blob, secret] {
      #expect(throws: ByteCodingError.self) { try KeyRepresentation(encoded: sample.encoded) }
    }
  }

  @Test("A key of any other length is refused") func aKeyOfAnyOtherLengthIsRefused() {
    let encoded = Self.sample.encoded
    for count in 0..<encoded.count {
      #expect(throws: ByteCodingError.self) { try KeyRepresentation(encoded: Array(encoded.prefix(count))) }
    }
    #expect(throws: ByteCodingError.self) { try KeyRepresentation(encoded: encoded + [0]) }
  }

  /// Bytes that must never be read, no matter who marked them: offsets into the sample, and their values.
  @Test(
    "A control that contradicts itself is refused",
    arguments: [
      ("another version", 2, [0x32]), ("no backend", 3, [0]), ("an unknown backend", 3, [3]),
      ("a protection that leaves the device", 37, [0x61, 0x6B, 0x76]),
      ("an unknown flag", 40, [0x1C]), ("or and and", 41, [0xC0]), ("two kinds of biometry", 40, [0x1A]),
      ("a flag beyond those that exist", 44, [1]), ("an enrollment without its flag", 40, [0x10]),
      ("a binding that is neither", 51, [2]), ("a compressed point", 52, [2]), ("a point of infinity", 52, [0]),
    ])
  func whatMakesNoSenseIsRefused(_ what: String, at offset: Int, bytes: [UInt8]) {
    var encoded = Self.sample.encoded
    #expect(Array(encoded[offset..<offset + bytes.count]) != bytes, "\(what): nothing is changed")
    encoded.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    #expect(throws: ByteCodingError.self, "\(what)") { try KeyRepresentation(encoded: encoded) }
  }

  @Test("A protection that may leave the device is refused") func aProtectionThatMayLeaveTheDeviceIsRefused() {
    var sample = Self.sample
    for protection in Accessibility.allCases where !protection.isThisDeviceOnly {
      sample.stored.control.protection = protection
      #expect(throws: ByteCodingError.self) { try KeyRepresentation(encoded: sample.encoded) }
    }
  }

  @Test("A key without a secret is refused") func aKeyWithoutASecretIsRefused() {
    var sample = Self.sample
    sample.sealedSecret = []
    #expect(throws: ByteCodingError.self) { try KeyRepresentation(encoded: sample.encoded) }
  }

  @Test("One key has one encoding") func oneKeyHasOneEncoding() throws {
    // Whatever one byte says: what is read encodes to the same bytes again.
    let encoded = Self.sample.encoded
    for offset in encoded.indices {
      for bit in 0..<8 {
        var altered = encoded
        altered[offset] ^= 1 << bit
        guard let read = try? KeyRepresentation(encoded: altered) else { continue }
        #expect(read.encoded == altered)
        #expect(read != Self.sample)
      }
    }
  }
}
