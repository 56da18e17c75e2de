import LatchkeyTestSupport
import Foundation
import Glibc
import Testing

/// Programs that have more than their caller: set-uid ones, and those with capabilities of their file. Anyone who starts them
/// writes their environment, and decides nothing by it.
@Suite("Programs with more rights than their callers", .enabled(if: getuid() == 0, "only root can make such programs"))
struct ProcessRaisedTests {
  /// Nobody's number, and that of the user whom the set-uid program acts for: one without an entry, and so without a home.
  private static let caller: uid_t = 65_534
  private static let owner: uid_t = 64_321

  @Test("a set-uid program believes no variable: nothing is made where its caller points") func setUserID() throws {
    let stage = try RaisedStage(owner: Self.owner)
    try stage.makeSetUID(Self.owner)
    for environment in stage.environments {
      let result = try stage.run(["add", "planted"], environment, as: Self.caller)
      #expect(result.status == 1 && result.output.contains("there is no place for a keychain"), "\(environment)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: stage.planted).isEmpty, "\(environment)")
    }
    let variables = try stage.run(["variables"], ["LATCHKEY_ASKPASS": "/bin/true", "A": "1"], as: Self.caller)
    #expect(variables.output == "1\n", "none counts, and programs get a search path alone")
  }

  @Test("the same program without the bit, run by its owner, believes all of them") func ordinary() throws {
    let stage = try RaisedStage(owner: Self.owner)
    for environment in stage.environments {
      let result = try stage.run(["add", "planted"], environment, as: Self.owner)
      // Entitlements that are not there stop it after it has believed them.
      let isOfEntitlements = environment["LATCHKEY_ENTITLEMENTS"] != nil
      #expect(result.status == (isOfEntitlements ? 1 : 0), "\(environment) \(result.output)")
      #expect(!result.output.contains("no place for a keychain"), "\(environment)")
    }
    let variables = try stage.run(["variables"], ["LATCHKEY_ASKPASS": "/bin/true", "A": "1"], as: Self.owner)
    #expect(variables.output == "A\nLATCHKEY_ASKPASS\n2\n")
  }

  @Test("a program with capabilities of its file believes no variable") func capabilities() throws {
    let stage = try RaisedStage(owner: Self.caller)
    guard stage.makeCapable() else {
      return skipHere("setcap is missing, or the file system keeps no capabilities")
    }
    let variables = try stage.run(["variables"], ["LATCHKEY_KEYCHAIN": stage.planted + "/k.db"], as: Self.caller)
    #expect(variables.output == "1\n")
    let added = try stage.run(["add", "planted"], ["LATCHKEY_KEYCHAIN": stage.planted + "/k.db"], as: Self.caller)
    #expect(added.status == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: stage.planted).isEmpty)
  }
}

/// A copy of the tests' worker in a folder that everybody can reach, and a folder that only its user can write to.
private final class RaisedStage {
  let folder: String
  let planted: String
  private var program: String { folder + "/program" }

  init(owner: uid_t) throws {
    var template = Array("/tmp/latchkey-raised-XXXXXX".utf8CString)
    let isMade = mkdtemp(&template) != nil
    try #require(isMade)
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    planted = folder + "/planted"
    chmod(folder, 0o755)
    mkdir(planted, 0o700)
    chown(planted, owner, owner)
    try FileManager.default.copyItem(at: RunningProgram.worker(), to: URL(filePath: program))
    chmod(program, 0o755)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Each of the ways to point a program at a place.
  var environments: [[String: String]] {
    [
      ["LATCHKEY_KEYCHAIN": planted + "/k.db"], ["XDG_DATA_HOME": planted], ["HOME": planted],
      ["LATCHKEY_KEYCHAIN": "temporary:", "TMPDIR": planted],
      ["LATCHKEY_KEYCHAIN": planted + "/k.db", "LATCHKEY_ENTITLEMENTS": planted + "/none"],
    ]
  }

  func makeSetUID(_ owner: uid_t) throws {
    try #require(chown(program, owner, owner) == 0)
    try #require(chmod(program, 0o4755) == 0)
  }

  /// Gives the program's file a capability that containers leave to their processes.
  func makeCapable() -> Bool {
    let arguments = ["cap_net_bind_service+ep", program]
    return (try? ProgramRun("/usr/sbin/setcap", arguments).status) == 0
  }

  func run(
    _ words: [String], _ environment: [String: String], as user: uid_t
  ) throws -> (status: Int32, output: String) {
    let run = try ProgramRun(
      "/usr/bin/setpriv",
      ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", program, "program"] + words,
      folder: URL(filePath: "/"), environment: environment)
    return (run.status, run.output)
  }
}
