import Foundation
import Security
import Testing

@Suite("Shared web credentials")
struct SecSharedCredentialTests {
  private func add(_ domain: String, _ account: String, _ password: String?) async -> Int? {
    await withCheckedContinuation { continuation in
      SecAddSharedWebCredential(domain as CFString, account as CFString, password as CFString?) { error in
        continuation.resume(returning: error?.code)
      }
    }
  }

  @available(*, deprecated, message: "Tests a deprecated call.")
  private func request(_ domain: String?, _ account: String?) async -> (isFound: Bool, status: Int?) {
    await withCheckedContinuation { continuation in
      SecRequestSharedWebCredential(domain as CFString?, account as CFString?) { credentials, error in
        continuation.resume(returning: (credentials != nil, error?.code))
      }
    }
  }

  @Test("To add or to remove one is not there, and says so once")
  func adding() async {
    #expect(await add("example.org", "ada", "secret") == Int(errSecUnimplemented))
    #expect(await add("example.org", "ada", nil) == Int(errSecUnimplemented))
    #expect(await add("", "ada", "secret") == Int(errSecParam))
    #expect(await add("example.org", "", "secret") == Int(errSecParam))
  }

  @available(*, deprecated, message: "Tests a deprecated call.")
  @Test("None is found, whatever is asked for")
  func requesting() async {
    for (domain, account) in [("example.org", "ada"), (nil, "ada"), (nil, nil), ("example.org", nil)] {
      let answer = await request(domain, account)
      #expect(!answer.isFound && answer.status == Int(errSecUnimplemented))
    }
    for (domain, account) in [("", nil), (nil, "")] as [(String?, String?)] {
      let answer = await request(domain, account)
      #expect(!answer.isFound && answer.status == Int(errSecParam))
    }
  }

  @Test("A password has four groups of three, each kind of character, and none twice alike in a thousand")
  func password() throws {
    let kinds = ["abcdefghkmnopqrstuvwxy", "ABCDEFGHJKLMNPQRSTUVWXYZ", "3456789"]
    var seen: Set<String> = []
    for _ in 0..<1000 {
      let password = try #require(SecCreateSharedWebCredentialPassword()) as String
      #expect(password.split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [3, 3, 3, 3])
      for kind in kinds { #expect(password.contains(where: kind.contains)) }
      #expect(password.allSatisfy { ("-" + kinds.joined()).contains($0) })
      seen.insert(password)
    }
    #expect(seen.count == 1000)
  }
}
