import Foundation
import Testing

@testable import latchkey_port

struct SourceFolderTests {
  @Test("Swift files are found in order; manifests, products and packages of others are not") func found() throws {
    let folder = try TestFolder([
      "Sources/B.swift": "", "Sources/A.swift": "", "Sources/A.md": "", "Package.swift": "",
      "Package@swift-5.9.swift": "",
      "Sources/Package.swift": "", ".build/C.swift": "", "Pods/D.swift": "", "Carthage/E.swift": "", "App/F.swift": "",
    ])
    let sources = try SourceFolder(folder.url.path)
    #expect(sources.files == ["App/F.swift", "Sources/A.swift", "Sources/B.swift"])
    #expect(sources.skipped.isEmpty)
  }

  @Test("Symbolic links are not followed: neither loops nor files of elsewhere are found") func links() throws {
    let other = try TestFolder(["Secret.swift": "@objc class A {}"])
    let folder = try TestFolder(["Sources/A.swift": ""])
    try folder.link("Sources/loop", to: "..")
    try folder.link("Sources/self", to: "self")
    try folder.link("Elsewhere", to: other.url.path)
    try folder.link("Sources/Secret.swift", to: other.url.path + "/Secret.swift")
    try folder.link("Sources/Gone.swift", to: "nowhere")
    let sources = try SourceFolder(folder.url.path)
    #expect(sources.files == ["Sources/A.swift"])
    #expect(sources.skipped.map(\.path).sorted() == ["Sources/Gone.swift", "Sources/Secret.swift"])
  }

  @Test("The folder itself may be named by a link") func linkedRoot() throws {
    let folder = try TestFolder(["Real/A.swift": ""])
    try folder.link("Link", to: "Real")
    #expect(try SourceFolder(folder.url.path + "/Link").files == ["A.swift"])
  }

  @Test("What is no folder is refused") func noFolder() throws {
    let folder = try TestFolder(["A.swift": ""])
    #expect(throws: Refusal.self) { try SourceFolder(folder.url.path + "/A.swift") }
    #expect(throws: Refusal.self) { try SourceFolder(folder.url.path + "/nowhere") }
  }

  @Test("A folder with the name of a file is a folder, and a pipe is no source") func kinds() throws {
    let folder = try TestFolder(["A.swift/B.swift": ""])
    #expect(mkfifo(folder.url.path + "/Pipe.swift", 0o600) == 0)
    #expect(try SourceFolder(folder.url.path).files == ["A.swift/B.swift"])
  }

  @Test("Folders that lie too deep are named") func deep() throws {
    let folder = try TestFolder()
    try folder.write("", to: (0..<70).map { _ in "d/" }.joined() + "A.swift")
    let sources = try SourceFolder(folder.url.path)
    #expect(sources.files.isEmpty)
    #expect(sources.skipped.count == 1)
  }

  @Test("A file that is gone cannot be read") func gone() throws {
    let folder = try TestFolder(["A.swift": ""])
    let sources = try SourceFolder(folder.url.path)
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("A.swift"))
    #expect(throws: Refusal.self) { try sources.bytes(of: "A.swift") }
  }

  @Test("A file and a folder without permission are named", .enabled(if: getuid() != 0, "root may read everything"))
  func unreadable() throws {
    let folder = try TestFolder(["A.swift": "", "Closed/B.swift": ""])
    #expect(chmod(folder.url.path + "/A.swift", 0) == 0)
    #expect(chmod(folder.url.path + "/Closed", 0) == 0)
    defer { chmod(folder.url.path + "/Closed", 0o700) }
    let sources = try SourceFolder(folder.url.path)
    #expect(sources.skipped.map(\.path) == ["Closed"])
    #expect(throws: Refusal.self) { try sources.bytes(of: "A.swift") }
  }
}
