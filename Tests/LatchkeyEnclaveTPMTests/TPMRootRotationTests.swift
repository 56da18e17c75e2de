#if TPM
  import Foundation
  import Glibc
  import LatchkeyEnclaveKeys
  import LatchkeyKeychainModel
  @testable import LatchkeyKeychainStore
  import Testing

  /// Operations that replace or repair a keychain whose root key is sealed in a TPM: a new root key, a restore, a repair.
  @Suite(
    "A keychain whose root is in a TPM, replaced (swtpm)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm is not installed"))
  struct TPMRootRotationTests {
    private let passcode = Array("correct horse".utf8)

    /// A keychain in a folder of its own beside the TPM's state.
    private struct Bench {
      let tpm: SoftwareTPM
      var folder: String { tpm.folder + "/keychain" }
      var path: String { folder + "/keychain.db" }
      var sealed: String { folder + "/keychain.tpm" }

      init() throws { tpm = try SoftwareTPM() }

      func configuration(registers: Set<Int> = []) -> KeychainDatabase.Configuration {
        var configuration = KeychainDatabase.Configuration(path: path)
        configuration.rootKey = .tpm(registers: registers, tcti: tpm.tcti)
        configuration.scryptRounds = 16
        return configuration
      }

      func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

      /// All files as they are at this moment, under another name, for ``putBack(_:)``.
      func keep(_ name: String) throws {
        try FileManager.default.copyItem(atPath: folder, toPath: tpm.folder + "/" + name)
      }

      func putBack(_ name: String) throws {
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.copyItem(atPath: tpm.folder + "/" + name, toPath: folder)
      }

      /// The value of the counter in the TPM.
      func counted(_ configuration: KeychainDatabase.Configuration) throws -> UInt64? {
        try configuration.rootKey.open(databasePath: path).counter?.value()
      }
    }

    private func add(_ name: String, to database: KeychainDatabase) throws {
      try database.add(
        NewItem(.genericPassword, attributes: [.account: .text(name)], data: Array(name.utf8)), as: .none)
    }

    private func names(_ database: KeychainDatabase) throws -> Set<String> {
      let query = ItemQuery(.genericPassword, limit: nil, wantsData: true)
      return Set(try database.find(query, as: .none).map { String(decoding: $0.data ?? [], as: UTF8.self) })
    }

    @Test(
      "A new root key is sealed to the same registers, and the counter stays and counts on", arguments: [false, true])
    func rotated(_ hasPasscode: Bool) throws {
      let bench = try Bench()
      let configuration = bench.configuration(registers: [16])
      var database = try KeychainDatabase(configuration)
      if hasPasscode { try database.setPasscode(passcode, current: nil) }
      try add("a", to: database)
      let root = database.parts.ring.root
      let count = try #require(try bench.counted(configuration))
      let old = try bench.bytes(bench.sealed)
      let before = try #require(FileHandle(forReadingAtPath: bench.sealed))
      try bench.keep("before")
      // Which registers it is sealed to, the file says.
      database.close()
      database = try KeychainDatabase(bench.configuration())
      try database.rotateRootKey(passcode: hasPasscode ? passcode : nil)
      #expect(refusal { try names(database) }?.isRootKeyUnavailable == true)
      database.close()
      #expect(try before.readToEnd() == Data(count: old.count), "the old one is overwritten")
      #expect(try bench.bytes(bench.sealed).prefix(8) == old.prefix(8), "the same counter")
      #expect(access(bench.sealed + ".next", F_OK) != 0)
      #expect(try bench.counted(configuration) == count + 1)
      #expect(try bench.tpm.run("tpm2_getcap", ["handles-nv-index"]).output.split(separator: "\n").count == 1)
      #expect(try bench.tpm.run("tpm2_getcap", ["handles-transient"]).output == "")

      #expect(try bench.tpm.run("tpm2_pcrextend", ["16:sha256=" + String(repeating: "01", count: 32)]).code == 0)
      #expect(refusal { try KeychainDatabase(configuration) }?.isRootKeyUnavailable == true)
      #expect(try bench.tpm.run("tpm2_pcrreset", ["16"]).code == 0)
      database = try KeychainDatabase(configuration)
      #expect(database.parts.ring.root.key != root.key)
      if hasPasscode { try database.unlock(passcode: passcode) }
      #expect(try names(database) == ["a"])
      #expect(try database.verify().findings.isEmpty)
      try add("b", to: database)
      database.close()
      // All files of before, in the same TPM.
      try bench.keep("after")
      try bench.putBack("before")
      #expect(refusal { try KeychainDatabase(configuration) } == .rolledBack(path: bench.path))
      // The old sealed key alone.
      try bench.putBack("after")
      try old.write(to: URL(filePath: bench.sealed))
      #expect(chmod(bench.sealed, 0o600) == 0)
      #expect(refusal { try KeychainDatabase(configuration) }?.isRootKeyUnavailable == true)
    }

    @Test(
      "A machine that stops at any step of it opens the keychain by the one key or the other, and then by the new one alone",
      arguments: RotationStep.allCases)
    func stopped(_ last: RotationStep) throws {
      let bench = try Bench()
      let configuration = bench.configuration()
      var ending = configuration
      let (folder, stopped) = (bench.folder, bench.tpm.folder + "/stopped")
      ending.rotationStep = { (step) throws(StoreError) in
        guard step == last else { return }
        // The disk's content at that moment, without the changes on the way out of here.
        do {
          try FileManager.default.copyItem(atPath: folder, toPath: stopped)
        } catch {
          throw .inputOutput("\(error)")
        }
        throw .inputOutput("stopped")
      }
      var database = try KeychainDatabase(ending)
      try add("a", to: database)
      let root = database.parts.ring.root
      #expect(throws: StoreError.self) { try database.rotateRootKey(passcode: nil) }
      database.close()
      try bench.putBack("stopped")
      try bench.tpm.restart()

      let isDone = ![.keysMade, .rootKeyWritten, .rowsSealed].contains(last)
      let restarted = bench.configuration()
      var reading = restarted
      reading.isReadOnly = true
      database = try KeychainDatabase(reading)
      #expect((database.parts.ring.root.key != root.key) == isDone)
      #expect(try names(database) == ["a"])
      database.close()
      database = try KeychainDatabase(restarted)
      #expect(access(bench.sealed + ".next", F_OK) != 0)
      #expect(try names(database) == ["a"])
      #expect(try database.verify().findings.isEmpty)
      let next = database.parts.ring.root
      #expect((next.key != root.key) == isDone)
      try database.rotateRootKey(passcode: nil)
      database.close()
      database = try KeychainDatabase(restarted)
      #expect(database.parts.ring.root.key != next.key)
      #expect(try names(database) == ["a"])
    }

    @Test(
      "A restore makes a backup the newest copy for the TPM, and what it replaced an old one", arguments: [false, true])
    func restored(_ hasPasscode: Bool) throws {
      let bench = try Bench()
      let configuration = bench.configuration()
      let first = try KeychainDatabase(configuration)
      if hasPasscode { try first.setPasscode(passcode, current: nil) }
      try add("backed up", to: first)
      let snapshot = try first.snapshot()
      #expect(snapshot.rootKey == nil)
      try first.rotateKeys(passcode: hasPasscode ? passcode : nil)
      try add("later", to: first)
      first.close()
      try bench.keep("later")
      // By other means it is an old copy.
      try Data(snapshot.database).write(to: URL(filePath: bench.path))
      #expect(chmod(bench.path, 0o600) == 0)
      for suffix in ["-wal", "-shm"] { unlink(bench.path + suffix) }
      #expect(refusal { try KeychainDatabase(configuration) } == .rolledBack(path: bench.path))
      try bench.putBack("later")

      let aside = try #require(try KeychainDatabase.restore(snapshot, to: configuration, replacing: true))
      let restored = try KeychainDatabase(configuration)
      if hasPasscode { try restored.unlock(passcode: passcode) } else { try restored.retireCopies() }
      #expect(try names(restored) == ["backed up"])
      #expect(try restored.verify().findings.isEmpty)
      restored.close()
      for suffix in ["-wal", "-shm"] { unlink(bench.path + suffix) }
      try FileManager.default.removeItem(atPath: bench.path)
      try FileManager.default.copyItem(atPath: aside, toPath: bench.path)
      #expect(refusal { try KeychainDatabase(configuration) } == .rolledBack(path: bench.path))
    }

    /// Whether it opens or not.
    private func repair(_ configuration: KeychainDatabase.Configuration) throws(StoreError) -> VerificationReport {
      do throws(StoreError) {
        return try KeychainDatabase(configuration).repair(acceptsUnproven: true)
      } catch {
        return try KeychainDatabase.salvage(configuration, acceptsUnproven: true)
      }
    }

    @Test(
      "Without its header a keychain is repaired, says what the TPM tells no more, and counts on from there",
      arguments: ["UPDATE header SET state = zeroblob(200) WHERE id = 1", "DELETE FROM header WHERE id = 1"])
    func lostHeader(_ loss: String) throws {
      let bench = try Bench()
      let configuration = bench.configuration()
      var database = try KeychainDatabase(configuration)
      try add("a", to: database)
      for _ in 0..<2 { try database.retireCopies() }
      let count = try #require(try bench.counted(configuration))
      database.close()
      try bench.keep("before")
      database = try KeychainDatabase(configuration)
      try database.pool.withWriter { (connection) throws(StoreError) in try connection.run(loss) }.get()
      database.close()
      #expect(refusal { try add("b", to: KeychainDatabase(configuration)) }?.isDamaged == true)
      let report = try repair(configuration)
      #expect(report.findings.contains { $0.contains("the counter in the TPM does not tell any more") })
      #expect(report.items.map(\.isProven) == [false])
      database = try KeychainDatabase(configuration)
      #expect(try names(database) == ["a"])
      #expect(try bench.counted(configuration) == count, "the repair counts nothing by itself")
      try database.retireCopies()
      #expect(try bench.counted(configuration) == count + 1)
      try add("b", to: database)
      database.close()
      #expect(try names(KeychainDatabase(configuration)) == ["a", "b"])
      try bench.putBack("before")
      #expect(refusal { try KeychainDatabase(configuration) } == .rolledBack(path: bench.path))
    }
  }

  extension StoreError {
    fileprivate var isRootKeyUnavailable: Bool { if case .rootKeyUnavailable = self { true } else { false } }
    fileprivate var isDamaged: Bool { if case .damaged = self { true } else { false } }
  }
#endif
