// A server's heart beside the torture: a store, and transfers that come as lines and are answered as lines, many at once.
//
//   store-worker PATH|postgres://… NODE
//
// In:  NUMBER KEY FROM TO AMOUNT DEVICE SIGNER
// Out: NUMBER ANSWER, where the answer is that stored under the key, or "again" if its outcome is unknown, or "stale" if
//      the device was revoked or its key is another.
// SIGTERM: what is under way is finished, then it ends with 0. Writes beyond its limit of files fail, as on a full disk.

import Dispatch
import Foundation
import LatchkeyEnrollmentPostgres
import LatchkeyEnrollmentStore
import Logging

guard CommandLine.arguments.count == 3 else {
  say("usage: store-worker PATH|postgres://… NODE")
  exit(64)
}

for number in [SIGTERM, SIGXFSZ] { signal(number, SIG_IGN) }
let terminated = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)

do {
  let worker = StoreWorker(try openStore(at: CommandLine.arguments[1], node: CommandLine.arguments[2]))
  terminated.setEventHandler {
    Task {
      await worker.end()
      exit(0)
    }
  }
  // A signal that comes before the source is there would be lost.
  terminated.setRegistrationHandler {
    say("ready")
    Thread.detachNewThread {
      while let line = readLine() {
        Task { say(await worker.answer(line)) }
      }
      exit(0)
    }
  }
  terminated.resume()
} catch {
  say("store-worker: \(error)")
  exit(1)
}
dispatchMain()

/// Writes a line in one piece.
@Sendable func say(_ text: String) {
  let bytes = Array((text + "\n").utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}

@Sendable func openStore(at place: String, node: String) throws -> any EnrollmentStore {
  #if PostgreSQL
    if place.hasPrefix("postgres") {
      let logger = Logger(label: "store-worker") { _ in SwiftLogNoOpLogHandler() }
      return try PostgresStore(PostgresAddress(url: place), node: node, logger: logger)
    }
  #endif
  return try SQLiteStore(path: place, node: node)
}
