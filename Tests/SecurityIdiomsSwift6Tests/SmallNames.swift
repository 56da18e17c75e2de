// Written as programs write it.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// The C function, declared as code did while Apple's headers did not have it.
@_silgen_name("SecIdentityCreate")
private func createIdentity(_ allocator: CFAllocator?, _ certificate: SecCertificate, _ key: SecKey) -> SecIdentity?

@Suite(.temporaryKeychain(accessGroups: ["TEAM.app"])) struct SmallNames {
  static let certificate = Data(
    base64Encoded: """
      MIIBRTCB7QICCAAwCgYIKoZIzj0EAwIwSDELMAkGA1UEBhMCZGUxHzAdBgNVBAoTFiAgTWl4ZWQgICBDYXNlICBXb3JrcyAxGDAW
      BgNVBAMTD3ByaW50YWJsZSAgbmFtZTAeFw0yNjExMjExOTUwMjhaFw0zNjExMTgxOTUwMjhaMBYxFDASBgNVBAMMC1ZlcnNpb24g
      T25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHyxiV0UVZaluCoIlt+EoxhNU8r/22m8/T/r3ANQmz6/KH0CSQx3syh/2zAOA
      y3so79wr541xS9WBBfTiT6qcpTAKBggqhkjOPQQDAgNHADBEAiAjfw0HVq9HQDXDK/ClitRmryDJa85NPduxeKHSi5Ft9AIgTDLJ
      AcQck5YQdctrIpEATiVZG2YWjN3lIfwL5I1BM9w=
      """, options: .ignoreUnknownCharacters)!

  @Test func theProgramsOwnEntitlements() {
    let task = SecTaskCreateFromSelf(nil)!
    var error: Unmanaged<CFError>?
    let groups = SecTaskCopyValueForEntitlement(task, "keychain-access-groups" as CFString, &error) as? [String]
    #expect(groups?.first == "TEAM.app" && error == nil)
    let all = SecTaskCopyValuesForEntitlements(task, ["keychain-access-groups"] as CFArray, nil) as? [String: Any]
    #expect(all?.keys.first == "keychain-access-groups")
    #expect(SecTaskCopySigningIdentifier(task, &error) as String? == nil)
    error?.release()
  }

  @Test func integersAndBundles() {
    let count: NSInteger = [1, 2].count
    let natural: NSUInteger = 7
    let code: FourCharCode = "ada ".utf8.reduce(0) { $0 << 8 | FourCharCode($1) }
    let type: OSType = code
    #expect(count == 2 && natural == 7 && type == 0x6164_6120)
    let information: [String: Any] = [kCFBundleIdentifierKey as String: "com.example"]
    #expect(information["CFBundleIdentifier"] as? String == "com.example")
  }

  @Test func acceptingACertificateThatIsNotTrusted() throws {
    var trust: SecTrust?
    let certificate = try #require(SecCertificateCreateWithData(nil, Self.certificate as CFData))
    let policy = SecPolicyCreateSSL(true, "printer.local" as CFString)
    guard SecTrustCreateWithCertificates([certificate] as CFArray, policy, &trust) == errSecSuccess, let trust else {
      Issue.record("no trust")
      return
    }
    // A program without an evaluator has nothing to except.
    if let exceptions = SecTrustCopyExceptions(trust) {
      let saved = exceptions as Data
      #expect(SecTrustSetExceptions(trust, saved as CFData))
    }
    #expect(SecTrustSetExceptions(trust, Data("no exceptions".utf8) as CFData) == false)
    #expect(SecTrustSetExceptions(trust, nil))
  }

  @Test func anIdentityByTheNameInC() throws {
    let certificate = try #require(SecCertificateCreateWithData(nil, Self.certificate as CFData))
    let other = SecKeyCreateRandomKey(
      [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256] as CFDictionary, nil)!
    #expect(createIdentity(nil, certificate, other) == nil)
  }

  @Test func aPasswordForAWebSite() async {
    let password = SecCreateSharedWebCredentialPassword() as String?
    #expect(password?.count == 15)
    let status = await withCheckedContinuation { continuation in
      SecAddSharedWebCredential("example.com" as CFString, "ada" as CFString, password as CFString?) { error in
        continuation.resume(returning: error.map { CFErrorGetCode($0) })
      }
    }
    #expect(status == Int(errSecUnimplemented))
    #expect(kSecSharedPassword as String == "spwd")
  }
}
