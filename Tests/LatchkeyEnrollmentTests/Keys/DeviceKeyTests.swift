import Crypto
import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollment

@Suite(.temporaryKeychain(typing: "1234")) struct DeviceKeyTests {
  @Test("The identity key is in the enclave and needs no presence") func theIdentityKeyIsOfTheEnclaveAndAsksNobody()
    throws
  {
    let key = try DeviceKey.identity.make(label: "identity")
    let attributes = try #require(SecKeyCopyAttributes(key) as? [CFString: Any])
    #expect(attributes[kSecAttrTokenID] as? String == kSecAttrTokenIDSecureEnclave as String)
    #expect(SecKeyCopyExternalRepresentation(key, nil) == nil)
    #expect(
      try control(ofKey: "identity")
        == AccessControl(protection: .afterFirstUnlockThisDeviceOnly, flags: .privateKeyUsage))
  }

  @Test("The approval key needs the user") func theApprovalKeyNeedsTheUser() throws {
    _ = try DeviceKey.approval(.userPresence).make(label: "approval")
    #expect(
      try control(ofKey: "approval")
        == AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: [.userPresence, .privateKeyUsage]))
  }

  @Test("The approval key asks at each signature") func theApprovalKeyAsksAtEachSignature() throws {
    let user = ScriptedPrompter(always: "1234")
    try TemporaryKeychain(passcode: "1234", prompter: user).use {
      let key = try DeviceKey.approval(.userPresence).make(label: "approval")
      let asked = user.questions.count
      _ = try key.signature(of: [1, 2, 3], by: .ecdsaSignatureMessageX962SHA256)
      #expect(user.questions.count == asked + 1)
    }
  }

  @Test("A user who declines causes an error of the keychain") func aUserWhoDeclinesIsAnErrorOfTheKeychain() throws {
    try TemporaryKeychain(passcode: "1234", prompter: ScriptedPrompter(otherwise: .fails(.userCancel))).use {
      let key = try DeviceKey.approval(.userPresence).make(label: "approval")
      let error = #expect(throws: EnrollmentError.self) {
        try key.signature(of: [1], by: .ecdsaSignatureMessageX962SHA256)
      }
      guard case .keychain(errSecUserCanceled, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test("A label finds its key and no other") func aLabelFindsItsKeyAndNoOther() throws {
    let made = try DeviceKey.identity.findOrMake(label: "one")
    #expect(try DeviceKey.identity.findOrMake(label: "one") == made)
    #expect(try DeviceKey.identity.findOrMake(label: "two") != made)
    #expect(try DeviceKey.find(label: "three") == nil)
    try DeviceKey.delete(label: "one")
    #expect(try DeviceKey.find(label: "one") == nil)
    #expect(try DeviceKey.find(label: "two") != nil)
  }

  @Test("A signing request proves that its key is held") func aSigningRequestProvesThatItsKeyIsHeld() async throws {
    let key = try DeviceKey.identity.make(label: "identity")
    let request = try CertificateSigningRequest(
      derEncoded: try await SigningRequest.der(for: key, commonName: "my device"))
    #expect(request.publicKey.isValidSignature(request.signature, for: request))
    #expect(
      try request.publicKey
        == Certificate.PublicKey(P256.Signing.PublicKey(x963Representation: key.publicKeyX963())))
    #expect(request.subject == (try DistinguishedName { CommonName("my device") }))
  }

  @Test("There are no signing requests for other keys") func thereAreNoSigningRequestsForOtherKeys() async throws {
    let parameters: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048]
    let key = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
    await #expect(throws: EnrollmentError.self) { try await SigningRequest.der(for: key, commonName: "x") }
    let half = try #require(SecKeyCopyPublicKey(try DeviceKey.identity.make(label: "identity")))
    await #expect(throws: EnrollmentError.self) { try await SigningRequest.der(for: half, commonName: "x") }
  }

  @Test("The private key is not written out") func theKeyStaysInsideWhenItIsToBeWritten() throws {
    let signer = try KeychainSigner(DeviceKey.identity.make(label: "identity"))
    #expect(throws: EnrollmentError.self) { try Certificate.PrivateKey(signer).serializeAsPEM() }
  }

  private func control(ofKey label: String) throws -> AccessControl? {
    let session = try KeychainSession.current()
    let query = ItemQuery(.key, attributes: [.label: .text(label), .isPrivate: .number(1)])
    return try session.store.find(query, as: session.entitlements).first?.accessControl
  }
}
