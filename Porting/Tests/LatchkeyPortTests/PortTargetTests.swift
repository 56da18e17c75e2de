import ArgumentParser
import Foundation
import LatchkeyPorting
import Testing

@testable import latchkey_port

struct PortTargetTests {
  private static let before = "@objc class A {}\n"
  private static let after = "class A {}\n"

  /// Ports one file into a target.
  private func port(_ path: String, of sources: SourceFolder, to target: any PortTarget) throws {
    let bytes = try sources.bytes(of: path)
    let source = try SourceText(bytes)
    try target.take(path, bytes, Survey().port(source).edits)
  }

  @Test("A copy has all files, the ported ones and the others, and the folder stays as it is") func copy() throws {
    let folder = try TestFolder([
      "Sources/A.swift": Self.before, "README.md": "a", ".git/config": "b", ".swift-version": "6",
    ])
    try folder.link("Sources/link", to: "../README.md")
    #expect(chmod(folder.url.path + "/Sources/A.swift", 0o640) == 0)
    let place = try TestFolder()
    let sources = try SourceFolder(folder.url.path)
    try port("Sources/A.swift", of: sources, to: CopiedFolder(of: sources, at: place.url.path + "/copy"))
    #expect(try place.text(of: "copy/Sources/A.swift") == Self.after)
    #expect(try folder.text(of: "Sources/A.swift") == Self.before)
    #expect(try place.text(of: "copy/README.md") == "a")
    #expect(try place.text(of: "copy/.swift-version") == "6")
    #expect(!FileManager.default.fileExists(atPath: place.url.path + "/copy/.git"))
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: place.url.path + "/copy/Sources/link")
    #expect(link == "../README.md")
    let attributes = try FileManager.default.attributesOfItem(atPath: place.url.path + "/copy/Sources/A.swift")
    #expect(attributes[.posixPermissions] as? Int == 0o640)
  }

  @Test("A copy goes to no place that is there, nor into the folder itself") func places() throws {
    let folder = try TestFolder(["A.swift": Self.before])
    let other = try TestFolder(["there/B.swift": ""])
    let sources = try SourceFolder(folder.url.path)
    try other.link("link", to: "nowhere")
    try other.link("inside", to: folder.url.path)
    for path in [
      other.url.path + "/there", other.url.path + "/link", folder.url.path, folder.url.path + "/copy",
      other.url.path + "/inside/copy", other.url.path + "/missing/copy",
    ] {
      #expect(throws: Refusal.self, "\(path)") { try CopiedFolder(of: sources, at: path) }
    }
    #expect(try folder.text(of: "A.swift") == Self.before)
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/copy"))
  }

  @Test("Files are written in a clean working tree, and keep their permissions") func workingTree() throws {
    let folder = try TestFolder(["App/A.swift": Self.before, "App/B.swift": "let a = 1\n"])
    #expect(chmod(folder.url.path + "/App/A.swift", 0o755) == 0)
    try folder.commit()
    // A folder within the repository, too.
    let sources = try SourceFolder(folder.url.path + "/App")
    try port("A.swift", of: sources, to: WorkingTree(sources))
    #expect(try folder.text(of: "App/A.swift") == Self.after)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.url.path + "/App/A.swift")
    #expect(attributes[.posixPermissions] as? Int == 0o755)
  }

  @Test("Without a repository, or with changes in it, nothing is written") func notClean() throws {
    let folder = try TestFolder(["A.swift": Self.before])
    let sources = try SourceFolder(folder.url.path)
    #expect(throws: Refusal.self) { try WorkingTree(sources) }
    try folder.commit()
    try folder.write("let b = 2\n", to: "A.swift")
    #expect(throws: Refusal.self) { try WorkingTree(sources) }
    _ = try GitProgram.output(of: ["checkout", "-q", "."], in: folder.url)
    _ = try WorkingTree(sources)
    try folder.write("", to: "New.swift")
    #expect(throws: Refusal.self) { try WorkingTree(sources) }
  }

  @Test("A file that git ignores is left alone") func ignored() throws {
    let folder = try TestFolder(["A.swift": Self.before, ".gitignore": "Made.swift\n"])
    try folder.commit()
    try folder.write(Self.before, to: "Made.swift")
    let sources = try SourceFolder(folder.url.path)
    let target = try WorkingTree(sources)
    #expect(throws: Refusal.self) { try port("Made.swift", of: sources, to: target) }
    #expect(try folder.text(of: "Made.swift") == Self.before)
  }

  @Test("A file that has become a link is not written through") func replacedByLink() throws {
    let other = try TestFolder(["B.swift": Self.before])
    let folder = try TestFolder(["A.swift": Self.before])
    try folder.commit()
    let sources = try SourceFolder(folder.url.path)
    let target = try WorkingTree(sources)
    let bytes = try sources.bytes(of: "A.swift")
    let edits = try Survey().port(SourceText(bytes)).edits
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("A.swift"))
    try folder.link("A.swift", to: other.url.path + "/B.swift")
    #expect(throws: Refusal.self) { try target.take("A.swift", bytes, edits) }
    #expect(try other.text(of: "B.swift") == Self.before)
  }

  @Test("The command takes a folder, and one of two ways to write") func arguments() throws {
    #expect(try LatchkeyPort.parse(["a"]).folder == "a")
    #expect(try LatchkeyPort.parse(["a", "--write"]).write)
    #expect(throws: (any Error).self) { try LatchkeyPort.parse([]) }
    #expect(throws: (any Error).self) { try LatchkeyPort.parse(["a", "--write", "--output", "b"]) }
    #expect(throws: (any Error).self) { try LatchkeyPort.parse(["a", "b"]) }
  }
}
