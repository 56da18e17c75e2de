import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Testing

/// `latchkey-server certificate list`.
@Suite("Lists of certificates of the program latchkey-server")
struct CertificateListProgramTests {
  /// A store with devices, each with a valid, an expired and a revoked certificate.
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-certificates-\(UUID().uuidString)")
    let devices: [Identifier]

    init(devices count: Int) async throws {
      devices = (0..<count).map { _ in .random() }.sorted { $0.description < $1.description }
      let store = try SQLiteStore(path: folder.appending(path: "server.db").path, node: "test")
      let devices = devices
      try await store.write { store in
        _ = try store.addUser(UserRecord(name: "ann", passwordHash: nil))
        for (number, device) in devices.enumerated() {
          try store.addDevice(
            DeviceRecord(id: device, user: "ann", name: "d\(number)", created: 0, identityKey: [4] + device.bytes))
          for (kind, end) in [Int64(4_000_000_000), 1_000_000_000, 3_000_000_000].enumerated() {
            let fingerprint = Fingerprint([UInt8](repeating: UInt8(kind), count: 16) + device.bytes)
            try store.addCertificate(
              CertificateRecord(
                fingerprint: fingerprint, serial: [UInt8(kind + 1)] + device.bytes.prefix(15), device: device,
                notAfter: end))
            if kind == 2 { _ = try store.revokeCertificate(fingerprint: fingerprint, at: 1_500_000_000, reason: 1) }
          }
        }
      }
      await store.close()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  private struct Line: Decodable, Equatable {
    let event: String
    let serial: String?
    let device: String?
    let state: String?
    let notAfter: String?
    let revoked: String?
    let reason: Int?
  }

  private func run(_ folder: URL, _ words: [String]) async throws -> ForeignProgram {
    try await ServedProgram.run(["certificate", "list", "--state", folder.path] + words)
  }

  private func lines(_ folder: URL, _ words: [String] = []) async throws -> [Line] {
    let run = try await run(folder, words + ["--json"])
    #expect(run.status == 0, "\(run.output)")
    var lines = try run.output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    #expect(lines.popLast()?.event == "done")
    #expect(lines.allSatisfy { $0.event == "certificate" })
    return lines
  }

  @Test("All certificates, those of a state, those of a device, and those of both are listed")
  func filters() async throws {
    let place = try await Place(devices: 3)
    let (folder, devices) = (place.folder, place.devices.map(\.description))
    let all = try await lines(folder)
    #expect(all.count == 9 && Set(all.compactMap(\.device)) == Set(devices))
    for state in ["valid", "expired", "revoked"] {
      let some = try await lines(folder, ["--only", state])
      #expect(some.map(\.state) == [state, state, state] && Set(some.compactMap(\.device)) == Set(devices))
      #expect(some == all.filter { $0.state == state })
      let one = try await lines(folder, [devices[1], "--only", state])
      #expect(one == some.filter { $0.device == devices[1] } && one.count == 1)
    }
    let own = try await lines(folder, [devices[2]])
    #expect(own.map(\.state) == ["expired", "revoked", "valid"], "in the order of their ends")
    #expect(own.map(\.device) == [devices[2], devices[2], devices[2]])
    #expect(own[1].revoked == "2017-07-14T02:40:00Z" && own[1].reason == 1 && own[1].notAfter == "2065-01-24T05:20:00Z")
    #expect(own[0].revoked == nil && own[0].serial == "02" + devices[2].prefix(30))
  }

  @Test("A table has a head, and a line for each certificate") func table() async throws {
    let place = try await Place(devices: 1)
    let (folder, device) = (place.folder, place.devices[0].description)
    let run = try await run(folder, ["--only", "revoked"])
    let pad = String(repeating: " ", count: 26)
    #expect(
      run.output == """
        SERIAL\(pad)  DEVICE\(pad)  STATE                         UNTIL
        03\(device.prefix(30))  \(device)  revoked 2017-07-14T02:40:00Z  2065-01-24T05:20:00Z

        """)
  }

  @Test("A list that is longer than a page has each certificate once") func pages() async throws {
    let place = try await Place(devices: 700)
    let all = try await lines(place.folder)
    #expect(all.count == 2100 && Set(all.compactMap(\.serial)).count == 2100)
    // Pages of a search may be empty in between.
    let expired = try await lines(place.folder, ["--only", "expired"])
    #expect(Set(expired.compactMap(\.device)).count == 700 && expired.count == 700)
  }

  @Test("An unknown device and a word that is no device or state are refused") func refused() async throws {
    let place = try await Place(devices: 1)
    let unknown = try await run(place.folder, [String(repeating: "0", count: 32)])
    #expect(unknown.status == 44 && unknown.output.contains("there is no device 000"), "\(unknown.output)")
    #expect(try await run(place.folder, ["kitchen"]).status == 64)
    #expect(try await run(place.folder, ["--only", "superseded"]).status == 64)
    let none = try await run(place.folder.appending(path: "none"), [])
    #expect(none.status != 0 && none.output.contains("none"), "\(none.output)")
  }
}
