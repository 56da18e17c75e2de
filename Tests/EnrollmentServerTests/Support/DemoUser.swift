import EnrollmentStore

/// The user whom tests log in as.
enum DemoUser {
  static func add(to store: any EnrollmentStore, password: String, now: Int64) async throws {
    _ = try await store.write { store in
      try store.addUser(UserRecord(name: "demo", passwordHash: nil))
    }
  }
}
