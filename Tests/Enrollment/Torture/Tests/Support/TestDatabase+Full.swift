#if PostgreSQL
  import LatchkeyPostgresTestSupport
  import Foundation
  import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentStore

  extension TestDatabase {
    /// Fills the database's disk, checks that `store` refuses a change for want of space, and waits a moment before there is space
    /// again.
    ///
    /// - Returns: what was done; nil where it has no disk of its own.
    func fullForAMoment(_ store: PostgresStore) async throws -> String? {
      let isDone = try await full {
        // Until what is left in pages that are there is used up.
        while true {
          do {
            try await store.write { try $0.setSetting("torture", to: (0..<100_000).map { _ in .random(in: 0...255) }) }
          } catch EnrollmentStoreError.unavailable(let text) where text.contains("the disk is full") {
            break
          } catch EnrollmentStoreError.unavailable {
            // The connection that this was to go over has been ended.
          }
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 20...200)))
      }
      return isDone ? "disk full" : nil
    }
  }
#endif
