import Foundation
import Security
import Testing

@Suite("Policies")
struct SecPolicyTests {
  private func properties(_ policy: SecPolicy?) -> [String: AnyHashable]? {
    policy.flatMap { SecPolicyCopyProperties($0) } as? [String: AnyHashable]
  }

  @Test("A policy lists its requirements, and policies with equal requirements are equal")
  func contents() {
    #expect(properties(SecPolicyCreateBasicX509()) == ["SecPolicyOid": "1.2.840.113635.100.1.2"])
    #expect(
      properties(SecPolicyCreateSSL(true, "example.org"))
        == ["SecPolicyOid": "1.2.840.113635.100.1.3", "SecPolicyName": "example.org"])
    #expect(properties(SecPolicyCreateSSL(true, nil)) == ["SecPolicyOid": "1.2.840.113635.100.1.3"])
    #expect(
      properties(SecPolicyCreateSSL(false, nil)) == ["SecPolicyOid": "1.2.840.113635.100.1.3", "SecPolicyClient": true])
    let same = SecPolicyCreateSSL(true, "a")
    #expect(same == SecPolicyCreateSSL(true, "a") && same.hashValue == SecPolicyCreateSSL(true, "a").hashValue)
    #expect(CFEqual(same, SecPolicyCreateSSL(true, "a")) && CFGetTypeID(same) == SecPolicyGetTypeID())
    for other in [SecPolicyCreateSSL(true, "b"), SecPolicyCreateSSL(true, nil), SecPolicyCreateSSL(false, "a")] {
      #expect(same != other && !CFEqual(same, other))
    }
    #expect("\(same)" == "<SecPolicyRef: 1.2.840.113635.100.1.3.1, host a>")
  }

  @Test("A revocation policy has its flags, and bits without a meaning give none")
  func revocation() {
    let flags = kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse
    let reported = SecPolicyCreateRevocation(flags).flatMap { SecPolicyCopyProperties($0) }
    #expect(reported?.object(forKey: kSecPolicyOid) as? CFString == kSecPolicyAppleRevocation)
    #expect(reported?.object(forKey: kSecPolicyRevocationFlags) as? CFOptionFlags == flags)
    for flags: CFOptionFlags in 0..<32 {
      let properties = SecPolicyCreateRevocation(flags).flatMap { SecPolicyCopyProperties($0) }
      #expect(properties?.object(forKey: kSecPolicyRevocationFlags) as? CFOptionFlags == flags)
    }
    for bit in 5..<CFOptionFlags.bitWidth {
      #expect(SecPolicyCreateRevocation(1 << bit) == nil && SecPolicyCreateRevocation(1 << bit | 1) == nil)
    }
    #expect(kSecRevocationUseAnyAvailableMethod == 3 && kSecRevocationNetworkAccessDisabled == 16)
  }

  @Test("A policy is made from its identifier and properties; unsupported identifiers give none")
  func byIdentifier() {
    func make(_ identifier: CFString, _ properties: [CFString: Any]? = nil) -> SecPolicy? {
      SecPolicyCreateWithProperties(identifier, properties.map { $0 as CFDictionary })
    }
    #expect(make(kSecPolicyAppleX509Basic) == SecPolicyCreateBasicX509())
    #expect(make(kSecPolicyAppleSSL, [kSecPolicyName: "a"]) == SecPolicyCreateSSL(true, "a"))
    #expect(make(kSecPolicyAppleSSL, [kSecPolicyClient: true]) == SecPolicyCreateSSL(false, nil))
    #expect(make(kSecPolicyAppleSSL, [kSecPolicyClient: false]) == SecPolicyCreateSSL(true, nil))
    #expect(make(kSecPolicyAppleSSLServer, [kSecPolicyClient: true]) == SecPolicyCreateSSL(true, nil))
    #expect(make(kSecPolicyAppleSSLClient) == SecPolicyCreateSSL(false, nil))
    #expect(make(kSecPolicyAppleRevocation) == SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod))
    #expect(make(kSecPolicyAppleRevocation, [kSecPolicyRevocationFlags: 8]) == SecPolicyCreateRevocation(8))
    #expect(make(kSecPolicyAppleRevocation, [kSecPolicyRevocationFlags: 32]) == nil)
    #expect(make(kSecPolicyAppleRevocation, [kSecPolicyRevocationFlags: -1]) == nil)
    #expect(make(kSecPolicyAppleSSL, [kSecPolicyName: 1]) == nil)
    for none in [
      kSecPolicyAppleSMIME, kSecPolicyAppleEAP, kSecPolicyAppleEAPServer, kSecPolicyAppleEAPClient,
      kSecPolicyAppleIPsec,
      kSecPolicyAppleIPSecServer, kSecPolicyAppleIPSecClient, kSecPolicyAppleiChat, kSecPolicyApplePKINITClient,
      kSecPolicyApplePKINITServer, kSecPolicyAppleCodeSigning, kSecPolicyAppleIDValidation,
      kSecPolicyMacAppStoreReceipt,
      kSecPolicyAppleTimeStamping, kSecPolicyApplePassbookSigning, kSecPolicyApplePayIssuerEncryption, "", "1.2.3",
    ] { #expect(make(none) == nil, "\(none)") }
    #expect(SecPolicyCreateWithProperties(NSNumber(value: 1), nil) == nil)
  }
}
