import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import Testing

@Suite("Tasks and their entitlements", .temporaryKeychain)
struct SecTaskTests {
  private static let list = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
      <key>application-identifier</key><string>TEAM000000.com.example.app</string>
      <key>com.apple.developer.team-identifier</key><string>TEAM000000</string>
      <key>keychain-access-groups</key><array><string>TEAM000000.shared</string></array>
      <key>get-task-allow</key><true/>
      <key>count</key><integer>-7</integer>
      <key>large</key><integer>18446744073709551615</integer>
      <key>share</key><real>0.5</real>
      <key>blob</key><data>AAEC</data>
      <key>since</key><date>2001-01-01T00:00:01Z</date>
      <key>nested</key><dict><key>a</key><array><false/></array></dict>
    </dict></plist>
    """

  /// The task of a program with this entitlements file; of `list` by default.
  private func task(_ list: String = Self.list) throws -> SecTask {
    let entitlements = try Entitlements(parsing: Array(list.utf8), named: "test")
    return try #require(try task(entitlements))
  }

  private func task(_ entitlements: Entitlements) throws -> SecTask? {
    let keychain = try #require(TemporaryKeychain.current)
    return keychain.use(entitlements: entitlements) { SecTaskCreateFromSelf(kCFAllocatorDefault) }
  }

  @Test("An entitlement has its value and its type")
  func values() throws {
    let task = try task()
    func value(_ name: String) -> CFTypeRef? { SecTaskCopyValueForEntitlement(task, name as CFString, nil) }
    #expect(value("application-identifier") as? String == "TEAM000000.com.example.app")
    #expect(value("keychain-access-groups") as? [String] == ["TEAM000000.shared"])
    #expect(value("get-task-allow") as? Bool == true)
    #expect(CFGetTypeID(value("get-task-allow")) == CFBooleanGetTypeID())
    #expect(value("count") as? Int == -7)
    #expect(value("large") as? UInt64 == .max)
    #expect(value("share") as? Double == 0.5)
    #expect(value("blob") as? Data == Data([0, 1, 2]))
    #expect(value("since") as? Date == Date(timeIntervalSinceReferenceDate: 1))
    #expect((value("nested") as? [String: Any])?["a"] as? [Bool] == [false])
  }

  @Test("An entitlement that the program does not have is nil without an error")
  func absent() throws {
    var error: Unmanaged<CFError>?
    #expect(SecTaskCopyValueForEntitlement(try task(), "APPLICATION-IDENTIFIER", &error) == nil && error == nil)
    let none = try #require(try task(Entitlements.none))
    #expect(SecTaskCopyValueForEntitlement(none, "keychain-access-groups", &error) == nil && error == nil)
    #expect(SecTaskCopyValuesForEntitlements(none, ["keychain-access-groups"] as CFArray, &error)?.count == 0)
    #expect(error == nil)
  }

  @Test("Of several names those that are there are returned, and no others")
  func several() throws {
    let names = ["count", "none", 7, "share", "count"] as NSArray
    let values = SecTaskCopyValuesForEntitlements(try task(), names, nil) as? [String: Double]
    #expect(values == ["count": -7, "share": 0.5])
    #expect(SecTaskCopyValuesForEntitlements(try task(), [], nil) == [:])
  }

  @Test("The groups that a test gives its program are its entitlements")
  func groups() throws {
    let task = try #require(try task(Entitlements(accessGroups: ["a", "b"])))
    #expect(SecTaskCopyValueForEntitlement(task, "keychain-access-groups", nil) as? [String] == ["a", "b"])
  }

  @Test("The identifier is the application's without the team; another prefix stays")
  func identifier() throws {
    #expect(SecTaskCopySigningIdentifier(try task(), nil) == "com.example.app")
    for (team, identifier) in [
      ("TEAM", "TEAM00.com.example"), ("", "com.example"), ("com.example", "com.example"), ("TEAM", "com.TEAM.example"),
    ] {
      let list = """
        <plist version="1.0"><dict>
          <key>com.apple.application-identifier</key><string>\(identifier)</string>
          <key>com.apple.developer.team-identifier</key><string>\(team)</string>
        </dict></plist>
        """
      #expect(SecTaskCopySigningIdentifier(try task(list), nil) as String? == identifier)
    }
  }

  @Test("Without an application identifier there is none, and EINVAL says so")
  func noIdentifier() throws {
    var error: Unmanaged<CFError>?
    #expect(SecTaskCopySigningIdentifier(try task("<plist version=\"1.0\"><dict/></plist>"), &error) == nil)
    let fault = try #require(error).takeRetainedValue()
    #expect(fault.domain == NSPOSIXErrorDomain && fault.code == Int(EINVAL))
  }

  @Test("Entitlements that cannot be read are the error of each call, not a program without entitlements")
  func unreadable() throws {
    let task = SecTask(.failure(.configuration("broken")))
    var errors = [Unmanaged<CFError>?](repeating: nil, count: 3)
    #expect(SecTaskCopyValueForEntitlement(task, "count", &errors[0]) == nil)
    #expect(SecTaskCopyValuesForEntitlements(task, ["count"] as CFArray, &errors[1]) == nil)
    #expect(SecTaskCopySigningIdentifier(task, &errors[2]) == nil)
    for error in errors { #expect(try #require(error).takeRetainedValue().domain == NSOSStatusErrorDomain) }
  }

  @Test("A task is an object with a type of its own, equal to itself alone, that shows no entitlement")
  func object() throws {
    let (a, b) = (try task(), try task())
    #expect(CFGetTypeID(a) == SecTaskGetTypeID())
    #expect(CFEqual(a, a) && !CFEqual(a, b))
    #expect(!"\(a)".contains("example") && Mirror(reflecting: a).children.isEmpty)
  }
}
