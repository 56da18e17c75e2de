import LatchkeyTestSupport
import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import Testing

@testable import LatchkeyKeychainStore

@Suite("Settings of a process") struct ProcessSettingsTests {
  private func settings(_ environment: [String: String], home: String? = nil) throws(StoreError) -> ProcessSettings {
    try ProcessSettings(environment: environment, workingDirectory: "/work", home: { home })
  }

  @Test(
    "the place is what LATCHKEY_KEYCHAIN says, else the user's data folder",
    arguments: [
      (["LATCHKEY_KEYCHAIN": "/a/b.db", "HOME": "/home/u"], "/a/b.db"),
      (["LATCHKEY_KEYCHAIN": "b.db"], "/work/b.db"),
      (["LATCHKEY_KEYCHAIN": "temporary"], "/work/temporary"),
      (["LATCHKEY_KEYCHAIN": "", "XDG_DATA_HOME": "/x", "HOME": "/home/u"], "/x/latchkey/keychain.db"),
      (["XDG_DATA_HOME": "relative", "HOME": "/home/u"], "/home/u/.local/share/latchkey/keychain.db"),
      (["HOME": "/home/u"], "/home/u/.local/share/latchkey/keychain.db"),
      (["HOME": ""], "/home/listed/.local/share/latchkey/keychain.db"),
      ([:], "/home/listed/.local/share/latchkey/keychain.db"),
    ])
  func location(_ environment: [String: String], _ path: String) throws {
    let settings = try settings(environment, home: "/home/listed")
    #expect(settings.location == .file(path))
  }

  @Test("temporary: is a keychain of the process's own") func temporary() throws {
    #expect(try settings(["LATCHKEY_KEYCHAIN": "temporary:"]).location == .temporary)
  }

  @Test("A process that runs tests has a temporary keychain, unless the environment names another") func tests() throws
  {
    #expect(TestProcess.isThisOne)
    func settings(_ environment: [String: String]) throws(StoreError) -> ProcessSettings {
      try ProcessSettings(environment: environment, workingDirectory: "/work", runsTests: true, home: { nil })
    }
    for environment in [["HOME": "/home/u"], ["LATCHKEY_KEYCHAIN": "", "XDG_DATA_HOME": "/x"], [:]] {
      #expect(try settings(environment).location == .temporary)
      #expect(try settings(environment).isTemporaryForTests)
    }
    #expect(try settings(["LATCHKEY_KEYCHAIN": "/a/b.db"]).location == .file("/a/b.db"))
    #expect(try !settings(["LATCHKEY_KEYCHAIN": "temporary:"]).isTemporaryForTests)
    for path in ["/b/appPackageTests.xctest", "xctest", "/usr/libexec/swift/pm/swiftpm-testing-helper"] {
      #expect(TestProcess.isName(of: path))
    }
    for path in ["", "/", "/bin/latchkey", "/b/app.xctest/latchkey", "xctest2"] {
      #expect(!TestProcess.isName(of: path))
    }
  }

  @Test("The root key is at LATCHKEY_ROOT_KEY, and no other file replaces it") func rootKey() throws {
    #expect(try settings(["HOME": "/h"]).rootKey == nil)
    #expect(try settings(["HOME": "/h", "LATCHKEY_ROOT_KEY": ""]).rootKey == nil)
    #expect(try settings(["HOME": "/h", "LATCHKEY_ROOT_KEY": "file"]).rootKey == .keyFile())
    for text in ["TPM", "tpm:", "tmp", "file:", "/etc/key", "tpm2"] {
      #expect(storeError { try settings(["HOME": "/h", "LATCHKEY_ROOT_KEY": text]) }.isConfiguration)
    }
    #if TPM
      #expect(try settings(["HOME": "/h", "LATCHKEY_ROOT_KEY": "tpm"]).rootKey == .tpm())
      #expect(
        try settings(["HOME": "/h", "LATCHKEY_ROOT_KEY": "tpm:swtpm:port=1"]).rootKey == .tpm(tcti: "swtpm:port=1"))
    #else
      #expect(storeError { try settings(["HOME": "/h", "LATCHKEY_ROOT_KEY": "tpm"]) }.isConfiguration)
    #endif
  }

  @Test("registers stand behind the TPM's place") func registers() throws {
    let known: [(String, RootKeyChoice)] = [
      ("file", .file), ("tpm", .tpm(tcti: nil, registers: [])), ("tpm?pcrs=7", .tpm(tcti: nil, registers: [7])),
      ("tpm:device:/dev/tpm0?pcrs=0,23,7", .tpm(tcti: "device:/dev/tpm0", registers: [0, 7, 23])),
      ("tpm:swtpm:host=localhost,port=1", .tpm(tcti: "swtpm:host=localhost,port=1", registers: [])),
    ]
    for (text, choice) in known { #expect(try RootKeyChoice(text) == choice) }
    for text in [
      "file?pcrs=7", "tpm?pcrs=", "tpm?pcrs=24", "tpm?pcrs=7,7", "tpm?pcrs=7,", "tpm?pcrs=-1", "tpm?pcrs=+1",
      "tpm?pcrs=a",
      "tpm?pcrs=007", "tpm:?pcrs=7", "tpm?pcrs=1?pcrs=2", "tpm ?pcrs=1", "?pcrs=1",
    ] {
      #expect(storeError { try RootKeyChoice(text) }.isConfiguration, "\(text)")
    }
  }

  @Test("no home and no variable is an error, not a keychain somewhere") func nowhere() {
    #expect(storeError { try settings([:]) }.isConfiguration)
    #expect(storeError { try settings(["HOME": "relative"], home: "/home/listed") }.isConfiguration)
  }

  @Test("files are named from the folder in which the process began") func files() throws {
    let settings = try settings([
      "HOME": "/h", "LATCHKEY_ENTITLEMENTS": "app.entitlements", "LATCHKEY_PASSCODE_FILE": "/p",
      "CREDENTIALS_DIRECTORY": "/run/credentials/x",
    ])
    #expect(settings.entitlements == EntitlementsFile(path: "/work/app.entitlements"))
    #expect(settings.passcodeFile == "/p")
    #expect(settings.credentialsDirectory == "/run/credentials/x")
    let none = try self.settings(["HOME": "/h", "LATCHKEY_ENTITLEMENTS": "", "LATCHKEY_PASSCODE_FILE": ""])
    #expect(none.entitlements == nil && none.passcodeFile == nil && none.credentialsDirectory == nil)
  }

  @Test("entitlements beside the program count where the variable names none") func entitlementsBesideProgram() throws {
    let folder = try Folder()
    let program = folder.path + "/app"
    func entitlements(_ variables: [String: String] = [:], program: String?) throws -> String? {
      let environment = ["HOME": "/h"].merging(variables) { $1 }
      return try ProcessSettings(environment: environment, workingDirectory: "/work", program: program, home: { nil })
        .entitlements?.path
    }
    #expect(try entitlements(program: program) == nil, "there is no file")
    try folder.write("other.entitlements", [])
    #expect(try entitlements(program: program) == nil, "that is another program's")
    try folder.write("app.entitlements", [])
    #expect(try entitlements(program: program) == program + ".entitlements")
    #expect(try entitlements(["LATCHKEY_ENTITLEMENTS": ""], program: program) == program + ".entitlements")
    #expect(try entitlements(["LATCHKEY_ENTITLEMENTS": "/e"], program: program) == "/e")
    #expect(try entitlements(program: nil) == nil, "not believed, or not known")
    #expect(try entitlements(program: "/" + String(repeating: "n", count: 300)) == nil)
    // A file that cannot be examined may exist: reading it is an error.
    #expect(try entitlements(program: folder.path + "/other.entitlements/app") != nil)
  }

  @Test("a program's file keeps its name after its removal") func programFile() {
    #expect(ProgramFile.path?.hasPrefix("/") == true)
    #expect(
      ProgramFile.path == ProgramFile.folder.map { "\($0)/\(ProgramFile.path?.split(separator: "/").last ?? "")" })
    #expect(ProgramFile.named(by: "/a/app", exists: { _ in true }) == "/a/app")
    #expect(ProgramFile.named(by: "/a/app", exists: { _ in false }) == "/a/app")
    #expect(ProgramFile.named(by: "/a/app (deleted)", exists: { _ in false }) == "/a/app")
    #expect(ProgramFile.named(by: "/a/app (deleted)", exists: { _ in true }) == "/a/app (deleted)")
  }
}

@Suite("Passcode of a process") struct ProcessPasscodeTests {
  private func passcode(credentials: String? = nil, file: String? = nil) throws -> String? {
    var environment = ["HOME": "/h"]
    environment["CREDENTIALS_DIRECTORY"] = credentials
    environment["LATCHKEY_PASSCODE_FILE"] = file
    let settings = try ProcessSettings(environment: environment, workingDirectory: nil, home: { nil })
    return try PasscodeSource.passcode(settings).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("the credential comes before the file; without both there is none") func order() throws {
    let folder = try Folder()
    let file = try folder.write("file", Array("from the file".utf8))
    #expect(try passcode() == nil)
    #expect(try passcode(credentials: folder.path) == nil)
    #expect(try passcode(credentials: folder.path, file: file) == "from the file")
    try folder.write("latchkey.passcode", Array("from systemd\n".utf8), mode: 0o400)
    #expect(try passcode(credentials: folder.path, file: file) == "from systemd")
  }

  @Test(
    "one end of line is not part of the passcode",
    arguments: [
      ("secret\n", "secret"), ("secret\r\n", "secret"), ("secret", "secret"), ("secret\n\n", "secret\n"),
      (" secret ", " secret "), ("two\nlines\n", "two\nlines"),
    ])
  func lineEnd(_ content: String, _ expected: String) throws {
    let folder = try Folder()
    #expect(try passcode(file: folder.write("p", Array(content.utf8))) == expected)
  }

  @Test("a passcode file that others can read is refused", arguments: [0o644, 0o640, 0o604, 0o606])
  func openFile(_ mode: Int) throws {
    let folder = try Folder()
    let path = try folder.write("p", Array("secret".utf8), mode: .init(mode))
    let error = storeError { try passcode(file: path) }
    #expect(error.isUnsafeLocation)
    #expect(error?.description.contains("chmod 600") == true && error?.description.contains("secret") == false)
  }

  @Test("a passcode file that is missing, empty or no passcode is an error") func unusable() throws {
    let folder = try Folder()
    #expect(storeError { try passcode(file: folder.path + "/none") }.isConfiguration)
    for content in ["", "\n", "\r\n", String(repeating: "x", count: 1025), String(repeating: "x", count: 100_000)] {
      let path = try folder.write("p", Array(content.utf8))
      #expect(storeError { try passcode(file: path) }.isConfiguration)
    }
    let full = try folder.write("p", Array((String(repeating: "x", count: 1024) + "\r\n").utf8))
    #expect(try passcode(file: full)?.count == 1024)
  }
}
