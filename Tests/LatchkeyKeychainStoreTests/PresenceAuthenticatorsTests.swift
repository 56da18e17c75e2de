import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import Glibc
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// Who may vouch is the keychain's to say: another program's configuration, and the environment, add nobody.
@Suite("Presence: who may vouch, from outside") struct PresenceOutsideTests {
  /// Two programs that say whether the user is there, and a keychain: what one shell at an unlocked screen has.
  private struct Stage {
    let folder: Folder
    let sensor: String
    let stranger: String

    init() throws {
      folder = try Folder()
      sensor = try folder.write(
        "sensor",
        Array("#!/bin/sh\n[ $1 = enrolment ] && echo set && exit 0; exit $(cat \(folder.path)/verdict)\n".utf8),
        mode: 0o700)
      stranger = try folder.write("stranger", Array("#!/bin/sh\necho set; exit 0\n".utf8), mode: 0o700)
      try says(1)
    }

    func says(_ status: Int) throws { try folder.write("verdict", Array("\(status)\n".utf8)) }

    func run(_ words: [String], presence: String?, _ more: [String: String] = [:]) throws -> RunningProgram.Result {
      var environment = ["LATCHKEY_KEYCHAIN": folder.path + "/k.db"].merging(more) { $1 }
      environment["LATCHKEY_PRESENCE"] = presence
      return try RunningProgram(words, environment).result()
    }
  }

  @Test(
    "another program that says yes is refused; the first one counts",
    arguments: ["biometryAny", "biometryCurrentSet", "userPresence"])
  func anotherProgram(_ flag: String) throws {
    let stage = try Stage()
    let (sensor, stranger) = ("program:" + stage.sensor, "program:" + stage.stranger)
    #expect(try stage.run(["guard", "vault pin", flag], presence: sensor).status == 0)
    for presence in [stranger, "\(stranger),\(sensor)", "\(sensor),\(stranger)", "fprintd", "pam:login", nil, sensor] {
      let result = try stage.run(["list"], presence: presence)
      #expect(result.status == 1 && !result.output.contains("vault pin"), "\(presence ?? "none")")
    }
    let refused = try stage.run(["list"], presence: stranger)
    // Where the passcode is enough, it is that which is missing.
    #expect(refused.output.contains(flag == "userPresence" ? "passcode" : "may not vouch"))
    #expect(refused.output.contains(flag == "userPresence" ? "passcode" : "latchkey keychain presence"))
    try stage.says(0)
    #expect(try stage.run(["list"], presence: sensor).lines == ["vault pin"])
    #expect(try stage.run(["list"], presence: "\(stranger),\(sensor)").lines == ["vault pin"])
    #expect(try stage.run(["list"], presence: stranger).status == 1)
  }

  @Test(
    "a program that cannot be asked is refused with its path and what helps, and may not vouch from then on",
    arguments: [
      ("none", "cannot be found"), ("plain", "chmod u+x"), ("folder", "is not a plain file"), ("open", "chmod go-w"),
      ("deaf", "ended with status 7"), ("empty", "nothing is enrolled"),
    ], ["biometryAny", "biometryCurrentSet", "userPresence"])
  func cannotBeAsked(program: (name: String, text: String), flag: String) throws {
    let stage = try Stage()
    let script = Array("#!/bin/sh\nexit 0\n".utf8)
    _ = try stage.folder.write("plain", script, mode: 0o600)
    _ = try stage.folder.write("open", script, mode: 0o777)
    _ = try stage.folder.write("deaf", Array("#!/bin/sh\nexit 7\n".utf8), mode: 0o700)
    _ = try stage.folder.write("empty", Array("#!/bin/sh\nexit 3\n".utf8), mode: 0o700)
    try FileManager.default.createDirectory(atPath: stage.folder.path + "/folder", withIntermediateDirectories: false)
    let path = stage.folder.path + "/" + program.name
    let refused = try stage.run(["guard", "vault pin", flag], presence: "program:" + path)
    #expect(
      refused.status == 1 && refused.output.contains(path) && refused.output.contains(program.text), "\(refused.output)"
    )
    // Nothing was stored, and nobody was named: another one may still.
    #expect(try !stage.run(["list"], presence: nil).output.contains("vault pin"))
    try stage.says(0)
    let sensor = "program:" + stage.sensor
    #expect(try stage.run(["guard", "vault pin", flag], presence: sensor).status == 0)
    #expect(try stage.run(["list"], presence: sensor).lines == ["vault pin"])
  }

  @Test("of two it is enough that one can be asked") func oneOfTwo() throws {
    let stage = try Stage()
    let both = "program:\(stage.folder.path)/none,program:\(stage.sensor)"
    #expect(try stage.run(["guard", "vault pin", "biometryAny"], presence: both).status == 0)
    try stage.says(0)
    #expect(try stage.run(["list"], presence: both).lines == ["vault pin"])
  }

  @Test("A passcode that another process sets first does not replace biometry, nor change the allowed authenticators")
  func firstPasscode() throws {
    let stage = try Stage()
    let (sensor, stranger) = ("program:" + stage.sensor, "program:" + stage.stranger)
    #expect(try stage.run(["guard", "vault pin", "userPresence"], presence: sensor).status == 0)
    for presence in [stranger, sensor, nil] {
      #expect(try stage.run(["passcode", "battery staple"], presence: presence).status == 1)
    }
    let database = try KeychainDatabase(.init(path: stage.folder.path + "/k.db"))
    #expect(try !database.status().hasPasscode)
    #expect(try database.allowedAuthenticators() == [sensor])
    database.close()
    try stage.says(0)
    #expect(try stage.run(["passcode", "battery staple"], presence: sensor).status == 0)
  }

  @Test(
    "After a repair without the header no authenticator is allowed, until the passcode or root allows one",
    arguments: [false, true])
  func afterARepairWithoutTheHeader(hasPasscode: Bool) throws {
    let stage = try Stage()
    let (sensor, stranger) = ("program:" + stage.sensor, "program:" + stage.stranger)
    let passcode = Array("battery staple".utf8)
    try stage.says(0)
    #expect(try stage.run(["guard", "vault pin", "biometryAny"], presence: sensor).status == 0)
    if hasPasscode { #expect(try stage.run(["passcode", "battery staple"], presence: sensor).status == 0) }
    let path = stage.folder.path + "/k.db"
    try ForeignConnection(path).execute("UPDATE header SET state = zeroblob(200) WHERE id = 1")
    let database = try KeychainDatabase(.init(path: path))
    let report = try database.repair(passcode: hasPasscode ? passcode : nil, acceptsUnproven: true)
    #expect(report.findings.contains { $0.contains("who may vouch") && $0.contains("presence.conf") })
    #expect(try database.allowedAuthenticators() == ["nobody"])
    #expect(failure { () throws(StoreError) in try database.allowAuthenticators([stranger], passcode: nil) } != nil)
    if !hasPasscode {
      #expect(failure { () throws(StoreError) in try database.setPasscode(passcode, current: nil) } != nil)
    }
    for presence in [stranger, sensor] {
      let refused = try stage.run(["list"], presence: presence)
      #expect(refused.status == 1 && !refused.output.contains("vault pin"), "\(refused.output)")
    }
    #expect(try database.allowedAuthenticators() == ["nobody"], "asking settles nothing")
    if hasPasscode {
      try database.allowAuthenticators([sensor], passcode: passcode)
      #expect(try database.allowedAuthenticators() == [sensor])
    }
    database.close()
  }

  @Test(
    "fprintd on another bus than the system's is not asked, whatever the environment says",
    .enabled(if: FprintdDouble.isHere, "no dbus-daemon or python3 with D-Bus (Debian: dbus, python3-dbus, python3-gi)"),
    arguments: ["biometryAny", "biometryCurrentSet"])
  func anotherBus(_ flag: String) throws {
    let stage = try Stage()
    let double = try FprintdDouble(
      #"{"fingers": ["right-index-finger"], "starts": [[["verify-match", true]], [["verify-match", true]]]}"#)
    // The item is made where fprintd is the double, as the system's would be.
    var configuration = KeychainDatabase.Configuration(path: stage.folder.path + "/k.db")
    configuration.presence.biometry = [
      RenamedAuthenticator(fixedName: "fprintd", bus: FprintdBus(address: double.address, owner: getuid()))
    ]
    let database = try KeychainDatabase(configuration)
    var item = NewItem(.genericPassword, attributes: [.account: .text("a")], data: Array("vault pin".utf8))
    let flags: AccessControl.Flags = flag == "biometryAny" ? .biometryAny : .biometryCurrentSet
    item.accessControl = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags)
    try database.add(item, as: .none)
    #expect(try database.allowedAuthenticators() == ["fprintd"])
    database.close()
    let result = try stage.run(["list"], presence: "fprintd", ["DBUS_SYSTEM_BUS_ADDRESS": double.address])
    #expect(result.status == 1 && !result.output.contains("vault pin"))
    #expect(result.output.contains("D-Bus") || result.output.contains("finger"), "\(result.output)")
  }

  @Test(
    "fprintd's name in the hands of another user's program is no fprintd",
    .enabled(if: FprintdDouble.isHere, "no dbus-daemon or python3 with D-Bus (Debian: dbus, python3-dbus, python3-gi)"))
  func anotherOwner() throws {
    let double = try FprintdDouble(#"{"fingers": ["right-index-finger"], "starts": [[["verify-match", true]]]}"#)
    let fprintd = FprintdAuthenticator(on: FprintdBus(address: double.address, owner: getuid() + 1))
    let error = authenticatorError { () throws(PresenceError) in
      try fprintd.authenticate(PresenceAttempt(reason: "to test"))
    }
    #expect(error.isNotAvailable)
    #expect(throws: PresenceError.self) { try fprintd.enrollment() }
    #expect(throws: PresenceError.self) { try fprintd.checkAvailability() }
  }
}

/// An authenticator under a name that a program could not give it.
private struct RenamedAuthenticator: NamedAuthenticator {
  let fixedName: String
  let bus: FprintdBus
  var name: String { fixedName }
  var strength: PresenceStrength { .asserted }
  private var fprintd: FprintdAuthenticator { FprintdAuthenticator(on: bus) }

  func checkAvailability() throws(PresenceError) { try fprintd.checkAvailability() }
  func enrollment() throws(PresenceError) -> [UInt8] { try fprintd.enrollment() }
  func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof {
    try fprintd.authenticate(attempt)
  }
}

@Suite("Presence: who may vouch") struct PresenceAuthenticatorsTests {
  /// A keychain, opened by programs with authenticators of their own.
  private final class Bench {
    let folder: StoreFolder
    let user = ScriptedPrompter(always: "correct horse")
    var machine = MachineAuthenticators(path: "/nonexistent/presence.conf", owner: getuid())

    init() throws { folder = try StoreFolder() }

    func open(_ biometry: [any Authenticator]) throws -> KeychainDatabase {
      var configuration = folder.configuration()
      configuration.presence = PresenceConfiguration(biometry: biometry, prompter: user)
      configuration.presence.machine = machine
      return try KeychainDatabase(configuration)
    }

    func add(_ database: KeychainDatabase, _ flags: AccessControl.Flags = .biometryAny) throws {
      var item = NewItem.password("a", data: "secret")
      item.accessControl = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags)
      try database.add(item, as: me)
    }

    func find(_ database: KeychainDatabase, _ consent: Consent = Consent()) throws(StoreError) -> [UInt8]? {
      var query = ItemQuery.password("a", wantsData: true)
      query.consent = consent
      return try database.find(query, as: me).first?.data
    }

    func writeMachine(_ text: String, mode: mode_t = 0o644) throws {
      let path = folder.path + "/presence.conf"
      try Data(text.utf8).write(to: URL(filePath: path))
      chmod(path, mode)
      chmod(folder.path, 0o755)
      machine = MachineAuthenticators(path: path, owner: getuid())
    }
  }

  private let fprintd = ProgramStandIn(fixedName: "fprintd")
  private let stranger = ProgramStandIn(fixedName: "program:/bin/true")

  @Test("the first guarded item settles it, for items and keys, and for programs that come later") func settled() throws
  {
    let bench = try Bench()
    let database = try bench.open([fprintd])
    #expect(try database.allowedAuthenticators().isEmpty)
    try database.add(NewItem.password("plain", data: "x"), as: me)
    #expect(try database.allowedAuthenticators().isEmpty, "what nobody guards names nobody")
    try bench.add(database)
    #expect(try database.allowedAuthenticators() == ["fprintd"])
    #expect(try bench.find(database) == Array("secret".utf8))
    let other = try bench.open([stranger])
    #expect(storeError { try bench.find(other) }.isUnavailable)
    #expect(storeError { try bench.add(other) }.isUnavailable, "nor does it guard anything new")
    let enclave = try #require(other.enclave)
    let control = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: [.privateKeyUsage, .biometryAny])
    #expect(storeError { try enclave.create(control, consent: Consent()) }.isUnavailable)
    #expect(try database.allowedAuthenticators() == ["fprintd"])
    #expect(try bench.find(try bench.open([stranger, fprintd])) == Array("secret".utf8))
    #expect(stranger.finger.timesAsked == 0)
  }

  @Test(
    "while nobody can be asked nothing is made that biometry alone would open, and nobody is named",
    arguments: [
      .biometryAny, .biometryCurrentSet, .userPresence, [.biometryAny, .applicationPassword],
    ] as [AccessControl.Flags], [PresenceError.biometryNotAvailable("unplugged"), .biometryNotEnrolled("no finger")])
  func nobodyThere(_ flags: AccessControl.Flags, _ reason: PresenceError) throws {
    let bench = try Bench()
    let database = try bench.open([fprintd])
    let enclave = try #require(database.enclave)
    let control = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags.union(.privateKeyUsage))
    let session = try #require(database.presence).makeSession()
    try session.setApplicationPassword([1])
    let consent = Consent(session: session)
    fprintd.finger.unavailability = reason
    #expect(presenceError { try bench.add(database, flags) } == reason)
    #expect(presenceError { try enclave.create(control, consent: consent) } == reason)
    #expect(try database.allowedAuthenticators().isEmpty)
    // Where somebody was named before, too.
    fprintd.finger.unavailability = nil
    _ = try enclave.create(control, consent: consent)
    #expect(try database.allowedAuthenticators() == ["fprintd"])
    fprintd.finger.unavailability = reason
    #expect(presenceError { try enclave.create(control, consent: consent) } == reason)
    var query = ItemQuery.password("a")
    query.limit = nil
    #expect(storeError { try database.find(query, as: me) } == .itemNotFound)
    #expect(fprintd.finger.timesAsked == 0, "making asks nobody")
  }

  @Test("where the passcode would do as well, and while biometry is locked out, it is made") func mayComeLater() throws
  {
    let bench = try Bench()
    let database = try bench.open([fprintd])
    try database.setPasscode(Array("correct horse".utf8), current: nil)
    fprintd.finger.unavailability = .biometryNotAvailable("unplugged")
    #expect(
      presenceError { try bench.add(database, [.biometryAny, .devicePasscode]) }.isNotAvailable, "both are wanted")
    try bench.add(database, .userPresence)
    #expect(try bench.find(database) == Array("secret".utf8))
    fprintd.finger.unavailability = .biometryLockout("too many")
    let enclave = try #require(database.enclave)
    let control = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: [.privateKeyUsage, .biometryAny])
    _ = try enclave.create(control, consent: Consent())
  }

  @Test(
    "a bus without fprintd, and a user without fingers, refuse what only a finger would open",
    .enabled(if: FprintdDouble.isHere, "no dbus-daemon or python3 with D-Bus (Debian: dbus, python3-dbus, python3-gi)"),
    arguments: [(nil, "install fprintd"), (#"{"fingers": []}"#, "fprintd-enroll")] as [(String?, String)])
  func withoutFprintd(_ scenario: String?, _ text: String) throws {
    let double = try FprintdDouble(scenario)
    let bench = try Bench()
    let database = try bench.open([FprintdAuthenticator(on: FprintdBus(address: double.address, owner: getuid()))])
    let error = try #require(presenceError { try bench.add(database) })
    #expect(error.description.contains(text))
    #expect(try database.allowedAuthenticators().isEmpty)
  }

  @Test("a PAM service that is not there refuses what it alone would open") func withoutService() throws {
    let bench = try Bench()
    let database = try bench.open([PAMAuthenticator(service: "no-such-service")])
    let error = try #require(presenceError { try bench.add(database) })
    #expect(error.description.contains("make /etc/pam.d/no-such-service"))
    #expect(try database.allowedAuthenticators().isEmpty)
  }

  @Test("A program's own authenticator cannot use another's name") func ownNames() throws {
    let bench = try Bench()
    let database = try bench.open([fprintd])
    try bench.add(database)
    let impostor = ScriptedAuthenticator(name: "fprintd")
    #expect(storeError { try bench.find(try bench.open([impostor])) }.isUnavailable)
    #expect(impostor.timesAsked == 0)
    #expect(FprintdAuthenticator(user: "mallory").storedName != "fprintd")
    #expect(FprintdAuthenticator().storedName == "fprintd")
    #expect(FprintdAuthenticator(on: FprintdBus(address: "unix:path=/tmp/bus", owner: 0)).storedName != "fprintd")
  }

  @Test("A program's own authenticator is identified by its name alone, as the page says") func sameName() throws {
    let bench = try Bench()
    let own = ScriptedAuthenticator(name: "face")
    let database = try bench.open([own])
    try bench.add(database)
    #expect(try database.allowedAuthenticators() == ["code:face"])
    let other = ScriptedAuthenticator(name: "voice")
    #expect(storeError { try bench.find(try bench.open([other])) }.isUnavailable)
    #expect(other.timesAsked == 0)
    let namesake = ScriptedAuthenticator(name: "face")
    #expect(try bench.find(try bench.open([namesake])) == Array("secret".utf8))
    #expect(namesake.timesAsked == 1 && own.timesAsked == 0)
  }

  @Test("changing it wants the passcode, which is tried as one") func change() throws {
    let bench = try Bench()
    let database = try bench.open([fprintd])
    try database.setPasscode(Array("correct horse".utf8), current: nil)
    try bench.add(database)
    #expect(throws: StoreError.self) { try database.allowAuthenticators(["program:/bin/true"], passcode: nil) }
    let wrong = storeError { try database.allowAuthenticators(["program:/bin/true"], passcode: Array("wrong".utf8)) }
    if case .wrongPasscode = wrong {} else { Issue.record("\(String(describing: wrong))") }
    #expect(try database.status().failedAttempts == 1)
    #expect(try database.allowedAuthenticators() == ["fprintd"])
    try database.allowAuthenticators(["program:/bin/true"], passcode: Array("correct horse".utf8))
    #expect(try database.allowedAuthenticators() == ["program:/bin/true"])
    let other = try bench.open([stranger])
    try other.unlock(passcode: Array("correct horse".utf8))
    #expect(try bench.find(other) == Array("secret".utf8))
    #expect(storeError { try bench.find(database) }.isUnavailable, "in another process, at once")
    let events = try database.auditEntries().map(\.event)
    #expect(events.count(where: { $0 == .authenticatorsChanged }) == 2)
  }

  @Test("without a passcode only root's list changes it") func withoutPasscode() throws {
    let bench = try Bench()
    var database = try bench.open([fprintd])
    try bench.add(database)
    #expect(storeError { try database.allowAuthenticators(["pam:login"], passcode: nil) }.isUnavailable)
    #expect(storeError { try database.allowAuthenticators(["pam:login"], passcode: [1]) }.isUnavailable)
    try bench.writeMachine("# ours\n pam:login , fprintd # both\n\n")
    database = try bench.open([fprintd])
    #expect(try database.machineAuthenticators() == ["pam:login", "fprintd"])
    #expect(storeError { try database.allowAuthenticators(["program:/x"], passcode: nil) }.isUnavailable)
    try database.allowAuthenticators(["pam:login"], passcode: nil)
    #expect(try database.allowedAuthenticators() == ["pam:login"])
  }

  @Test("Root's list replaces the keychain's, and an empty one allows no authenticator") func machine() throws {
    let bench = try Bench()
    try bench.add(try bench.open([fprintd]))
    try bench.writeMachine("program:/bin/true\n")
    #expect(try bench.find(try bench.open([stranger])) == Array("secret".utf8))
    #expect(storeError { try bench.find(try bench.open([fprintd])) }.isUnavailable)
    try bench.writeMachine("# nobody\n")
    for biometry in [stranger, fprintd] {
      #expect(storeError { try bench.find(try bench.open([biometry])) }.isUnavailable)
    }
  }

  @Test("a list of root's that others can write is an error, not a list", arguments: [0o666, 0o664] as [mode_t])
  func unsafeMachine(_ mode: mode_t) throws {
    let bench = try Bench()
    try bench.add(try bench.open([fprintd]))
    try bench.writeMachine("fprintd\n", mode: mode)
    let error = storeError { try bench.find(try bench.open([fprintd])) }
    if case .unsafeLocation = error {} else { Issue.record("\(String(describing: error))") }
    try bench.writeMachine("fprintd\n")
    bench.machine.owner = getuid() + 1
    #expect(throws: StoreError.self) { try bench.find(try bench.open([fprintd])) }
    try bench.writeMachine("nonsense\n")
    #expect(throws: StoreError.self) { try bench.find(try bench.open([fprintd])) }
    #expect(fprintd.finger.timesAsked == 0)
  }

  @Test("A factor from an authenticator that is no longer allowed does not count in an older context") func withdrawn()
    throws
  {
    let bench = try Bench()
    let database = try bench.open([fprintd])
    try database.setPasscode(Array("correct horse".utf8), current: nil)
    try bench.add(database)
    let session = try #require(database.presence).makeSession()
    let consent = Consent(session: session)
    #expect(try bench.find(database, consent) == Array("secret".utf8))
    #expect(try bench.find(database, consent) == Array("secret".utf8))
    #expect(fprintd.finger.timesAsked == 1)
    try bench.open([stranger]).allowAuthenticators(["program:/bin/true"], passcode: Array("correct horse".utf8))
    #expect(storeError { try bench.find(database, consent) }.isUnavailable)
  }

  @Test("a set of fingers is that of all who may vouch, whomever a program chooses") func currentSet() throws {
    let bench = try Bench()
    try bench.add(try bench.open([fprintd, stranger]), .biometryCurrentSet)
    // Those that a program does not name are asked what is enrolled by their names alone: doubles cannot be.
    #expect(throws: StoreError.self) { try bench.find(try bench.open([fprintd])) }
    #expect(fprintd.finger.timesAsked == 0)
    let both = try bench.open([stranger, fprintd])
    #expect(try bench.find(both) == Array("secret".utf8))
    stranger.finger.enrolled = [9]
    #expect(storeError { try bench.find(both) }.isInvalidated)
  }

  @Test(
    "names that there are not, none, too many and twice the same are refused",
    arguments: [
      [], ["face"], ["fprintd", "fprintd"], ["program:relative"], ["code:finger"], ["pam:../x"],
      (0..<17).map { "pam:a\($0)" }, ["program:/" + String(repeating: "x", count: 512)],
    ])
  func refusedNames(_ names: [String]) throws {
    let database = try Bench().open([])
    let error = storeError { try database.allowAuthenticators(names, passcode: nil) }
    if case .configuration = error {} else { Issue.record("\(String(describing: error))") }
    #expect(try database.allowedAuthenticators().isEmpty)
  }

  @Test("a keychain from before is settled at the first use of what biometry guards; reading alone does not do it")
  func earlier() throws {
    let bench = try Bench()
    let database = try bench.open([fprintd])
    try bench.add(database)
    // As if it had been written before there was such a list.
    try database.writing { (transaction) throws(StoreError) in
      transaction.header.state.authenticators = []
      try transaction.log(.updated)
    }
    database.close()
    var configuration = bench.folder.configuration()
    configuration.presence.biometry = [stranger]
    configuration.isReadOnly = true
    let reader = try KeychainDatabase(configuration)
    #expect(throws: StoreError.self) { try bench.find(reader) }
    #expect(stranger.finger.timesAsked == 0)
    #expect(try bench.find(try bench.open([fprintd])) == Array("secret".utf8))
    #expect(storeError { try bench.find(try bench.open([stranger])) }.isUnavailable)
  }
}

/// A finger under the name of an authenticator of this library.
private struct ProgramStandIn: NamedAuthenticator {
  let fixedName: String
  let finger = ScriptedAuthenticator()
  var name: String { fixedName }
  var strength: PresenceStrength { .asserted }

  func checkAvailability() throws(PresenceError) { try finger.checkAvailability() }
  func enrollment() throws(PresenceError) -> [UInt8] { try finger.enrollment() }
  func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof {
    try finger.authenticate(attempt)
  }
}
