internal import Crypto
internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentServer
internal import LatchkeyEnrollmentStore
internal import LatchkeyLedger
internal import LatchkeySealedMessages
internal import Logging

/// The CPU time of a transfer's parts, each alone and in this process: microseconds by name.
struct TransferSplit {
  private let preparation: Preparation
  private static let rounds = 2000

  init(folder: String) { preparation = Preparation(folder: folder) }

  func run() async throws -> [(name: String, microseconds: Double)] {
    let (curve, fields) = try messages()
    return [("fields", fields - curve), ("P-256", curve), ("SQL", try await statements())]
  }

  /// One verification and one signature; and the same with the reading and writing of the messages' fields.
  private func messages() throws -> (curve: Double, all: Double) {
    let key = try preparation.key("client")
    let publicKey = [UInt8](key.publicKey.x963Representation)
    let answerKey = try preparation.key("answer")
    let sign: ([UInt8]) throws -> [UInt8] = { Array(try answerKey.signature(for: $0).derRepresentation) }
    let now = Int64(Date().timeIntervalSince1970)
    let transfers = try SignedTransfers(folder: preparation.folder.path, port: "443")
    let (request, body) = try transfers.message(0, now: now)
    let answer = [UInt8](repeating: UInt8(ascii: "1"), count: 120)
    let base = [UInt8](repeating: UInt8(ascii: "a"), count: 600)
    let signature = try key.signature(for: base)
    let curve = try Self.time {
      let known = try P256.Signing.PublicKey(x963Representation: publicKey)
      guard known.isValidSignature(signature, for: base) else { throw CocoaError(.coderInvalidValue) }
      _ = try sign(base)
    }
    let all = try Self.time {
      _ = try SealedProfile.verify(request, body: body, now: now) { _ throws(SealedMessageError) in publicKey }
      var response = HTTPResponseMessage(status: 201, fields: HTTPFields([("content-type", "application/json")]))
      try SealedProfile.sign(&response, body: answer, to: request, keyID: "benchmark", now: now, by: sign)
    }
    return (curve, all)
  }

  /// The statements of a transfer, 64 at a time, in a store of its own.
  private func statements() async throws -> Double {
    let folder = preparation.folder.appendingPathComponent("split-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: preparation.folder.path)
    where !name.contains("enrollment.db") && !name.hasPrefix("split") && !name.hasPrefix("plain") {
      try FileManager.default.copyItem(
        at: preparation.folder.appendingPathComponent(name), to: folder.appendingPathComponent(name))
    }
    let copy = Preparation(folder: folder.path)
    try await copy.run(store: nil)
    var logger = Logger(label: "enrollment-bench")
    logger.logLevel = .error
    let store = try await copy.configuration(store: nil, logger: logger).store
    let (device, now) = (try preparation.identifier(), Int64(Date().timeIntervalSince1970))
    let certificate = Fingerprint(SHA256.hash(data: try Data(contentsOf: folder.appendingPathComponent("client.der"))))
    let half = Preparation.accounts / 2
    let began = Self.processorTime()
    for first in stride(from: 0, to: Self.rounds, by: 64) {
      try await withThrowingTaskGroup { group in
        for number in first..<first + 64 {
          group.addTask {
            try await store.write { store in
              let (from, to) = (Preparation.account(number), Preparation.account(half + number))
              let (key, booking) = (Identifier.random().description, Identifier.ordered())
              _ = try store.certificate(fingerprint: certificate)
              _ = try store.answer(to: key, scope: "benchmark")
              _ = try store.claimNonce(Nonce(key.utf8), device: device, expires: now + 600)
              _ = try store.account(from)
              _ = try store.book(
                Booking(
                  id: booking, from: from, to: to, amount: 1, currency: "EUR", notes: "", booked: now, device: device))
              try store.audit(
                AuditEntry(
                  event: "benchmark", time: now,
                  fields: ["transfer": booking.description, "device": device.description]))
              let answer = StoredAnswer(
                digest: RequestDigest([UInt8](repeating: 1, count: 32)), status: 201,
                body: [UInt8](repeating: 0x31, count: 120),
                expires: now + 86_400)
              _ = try store.addAnswer(answer, to: key, scope: "benchmark")
            }
          }
        }
        try await group.waitForAll()
      }
    }
    let used = Self.processorTime() - began
    await store.close()
    return used * 1e6 / Double((Self.rounds + 63) / 64 * 64)
  }

  private static func time(_ body: () throws -> Void) rethrows -> Double {
    let began = processorTime()
    for _ in 0..<rounds { try body() }
    return (processorTime() - began) * 1e6 / Double(rounds)
  }

  /// Seconds.
  private static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
