import LatchkeyTestSupport
import Foundation
import Glibc
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

@Suite("Temporary folders") struct ProcessTemporaryFolderTests {
  @Test("A temporary folder is readable by its owner only, and its files are deleted with it") func lifetime() throws {
    let folder = try TemporaryFolder()
    var status = stat()
    try #require(stat(folder.path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o700 && status.st_uid == geteuid())
    try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/keychain.db"))
    let another = try TemporaryFolder()
    #expect(another.path != folder.path)
    TemporaryFolder.removeLeftovers(in: TemporaryFolder.parent)
    #expect(access(folder.path + "/keychain.db", F_OK) == 0, "a living process keeps its own")
    folder.remove()
    another.remove()
    #expect(access(folder.path, F_OK) != 0 && access(another.path, F_OK) != 0)
    folder.remove()
  }

  @Test("Its subfolders are deleted with it, and a link's target is not") func subfolders() throws {
    let other = try Folder()
    try other.write("file", [1])
    let folder = try TemporaryFolder()
    let inner = folder.path + "/a/b"
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
    try Data([1]).write(to: URL(fileURLWithPath: inner + "/file"))
    #expect(symlink(other.path, inner + "/link") == 0 && symlink(other.path, folder.path + "/link") == 0)
    folder.remove()
    #expect(access(folder.path, F_OK) != 0)
    #expect(try other.names() == ["file"])
  }

  @Test("Leftovers of a killed process are deleted, and nothing else") func leftovers() throws {
    let parent = try Folder()
    func make(_ name: String) throws {
      try FileManager.default.createDirectory(atPath: parent.path + "/" + name, withIntermediateDirectories: false)
      try Data([1]).write(to: URL(fileURLWithPath: parent.path + "/\(name)/keychain.db"))
    }
    try make("latchkey-keychain-1-left")
    try make("latchkey-keychain-2-alive")
    try make("latchkey-new-abcdef")
    try make("somebody-else")
    try parent.write("latchkey-keychain-3-file", [1])
    #expect(symlink(parent.path + "/somebody-else", parent.path + "/latchkey-keychain-4-link") == 0)
    let alive = open(parent.path + "/latchkey-keychain-2-alive", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(alive >= 0 && flock(alive, LOCK_EX | LOCK_NB) == 0)
    TemporaryFolder.removeLeftovers(in: parent.path)
    let kept = [
      "latchkey-keychain-2-alive", "latchkey-keychain-3-file", "latchkey-keychain-4-link", "latchkey-new-abcdef",
      "somebody-else",
    ]
    #expect(try parent.names() == kept)
    #expect(access(parent.path + "/somebody-else/keychain.db", F_OK) == 0)
    close(alive)
    TemporaryFolder.removeLeftovers(in: parent.path)
    #expect(try parent.names() == Array(kept.dropFirst()))
  }

  @Test("another user's folder stays", .enabled(if: geteuid() == 0, "only root can give folders away"))
  func foreign() throws {
    let parent = try Folder()
    let path = parent.path + "/latchkey-keychain-1-theirs"
    #expect(mkdir(path, 0o700) == 0 && chown(path, 12345, 12345) == 0)
    TemporaryFolder.removeLeftovers(in: parent.path)
    #expect(try parent.names() == ["latchkey-keychain-1-theirs"])
  }
}
