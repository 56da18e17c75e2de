import LatchkeyTestSupport
import Glibc
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

@Suite("Entitlements files") struct AccessEntitlementsTests {
  private func parse(_ body: String) throws -> Entitlements {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">\(body)</plist>
      """
    return try Entitlements(parsing: Array(text.utf8), named: "app.entitlements")
  }

  @Test("groups come in Apple's order: shared ones, the application, its app groups; each once") func order() throws {
    let entitlements = try parse(
      """
      <dict>
        <key>com.apple.security.application-groups</key><array><string>group.one</string><string>T.shared</string></array>
        <key>application-identifier</key><string>T.app</string>
        <key>get-task-allow</key><true/>
        <key>keychain-access-groups</key>
        <array><string>T.shared</string><string>T.other</string><string>T.shared</string></array>
      </dict>
      """)
    #expect(entitlements.accessGroups == ["T.shared", "T.other", "T.app", "group.one"])
    #expect(entitlements.groupOfNewItems == "T.shared")
    #expect(entitlements.include("group.one") && !entitlements.include("T.foreign"))
  }

  @Test("the application alone is a group, by either platform's key") func applicationOnly() throws {
    for key in ["application-identifier", "com.apple.application-identifier"] {
      #expect(try parse("<dict><key>\(key)</key><string>T.app</string></dict>").accessGroups == ["T.app"])
    }
  }

  @Test(
    "a list without any group has none: nothing is let in by default",
    arguments: [
      "<dict/>", "<dict><key>keychain-access-groups</key><array/></dict>",
      "<dict><key>KEYCHAIN-ACCESS-GROUPS</key><array><string>T</string></array></dict>",
    ])
  func nothing(_ body: String) throws {
    #expect(try parse(body).accessGroups.isEmpty)
    #expect(try parse(body).groupOfNewItems == nil)
  }

  @Test("The group * opens all: a program's unsigned entitlements are honored") func wildcard() throws {
    let entitlements = try parse("<dict><key>keychain-access-groups</key><array><string>*</string></array></dict>")
    #expect(entitlements.coverEverything)
    #expect(entitlements.include("anybody's"))
  }

  @Test(
    "A malformed list is an error that names the file and the expected contents",
    arguments: [
      "<array/>", "<string>T.app</string>",
      "<dict><key>keychain-access-groups</key><string>T.shared</string></dict>",
      "<dict><key>keychain-access-groups</key><dict/></dict>",
      "<dict><key>keychain-access-groups</key><array><integer>1</integer></array></dict>",
      "<dict><key>keychain-access-groups</key><array><string></string></array></dict>",
      "<dict><key>keychain-access-groups</key><array><string>T</string><true/></array></dict>",
      "<dict><key>application-identifier</key><array><string>T.app</string></array></dict>",
      "<dict><key>application-identifier</key><string></string></dict>",
      "<dict><key>com.apple.security.application-groups</key><true/></dict>",
      "<dict><key>keychain-access-groups</key>", "", "<dict>",
    ])
  func malformed(_ body: String) {
    let error = storeError { try parse(body) }
    #expect(error.isConfiguration)
    #expect(error?.description.contains("app.entitlements") == true)
  }

  @Test("too many groups, or a name too long, are refused") func bounds() throws {
    func list(_ names: [String]) throws -> Entitlements {
      let strings = names.map { "<string>\($0)</string>" }.joined()
      return try parse("<dict><key>keychain-access-groups</key><array>\(strings)</array></dict>")
    }
    #expect(try list((0..<1024).map { "g\($0)" }).accessGroups.count == 1024)
    #expect(storeError { try list((0...1024).map { "g\($0)" }) }.isConfiguration)
    #expect(try list([String(repeating: "a", count: 1024)]).accessGroups.count == 1)
    #expect(storeError { try list([String(repeating: "a", count: 1025)]) }.isConfiguration)
    #expect(storeError { try list(["a&#0;b"]) }.isConfiguration)
  }

  @Test("a file is read; one that is missing, a folder, or too large is an error") func files() throws {
    let folder = try Folder()
    let plist = "<plist version=\"1.0\"><dict><key>application-identifier</key><string>T.app</string></dict></plist>"
    let path = try folder.write("app.entitlements", Array(plist.utf8), mode: 0o644)
    #expect(try EntitlementsFile(path: path).read().accessGroups == ["T.app"])
    #expect(storeError { try EntitlementsFile(path: path + ".not").read() }.isConfiguration)
    #expect(storeError { try EntitlementsFile(path: folder.path).read() }.isConfiguration)
    let large = try folder.write(
      "large", Array(repeating: 0x20, count: EntitlementsFile.maximumBytes) + Array(plist.utf8))
    #expect(storeError { try EntitlementsFile(path: large).read() }.isConfiguration)
    #expect(storeError { try EntitlementsFile(path: "/dev/zero").read() }.isConfiguration)
    let empty = try folder.write("empty", [])
    #expect(storeError { try EntitlementsFile(path: empty).read() }.isConfiguration)
    // Nobody writes into it: it is not waited for.
    let fifo = try folder.fifo("fifo")
    for (path, text) in [
      (folder.path, "are a folder"), (fifo, "are no plain file"), ("/dev/zero", "are no plain file"),
      (large, "are larger"),
      (empty, "are not a property list"), (path + "/x", "cannot be read"),
    ] {
      let words = storeError { try EntitlementsFile(path: path).read() }.map { "\($0)" } ?? ""
      #expect(
        words.hasPrefix("the entitlements \(path) \(text)") && words.contains("LATCHKEY_ENTITLEMENTS"), "\(words)")
    }
  }
}
