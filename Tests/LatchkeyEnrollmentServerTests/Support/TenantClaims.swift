import LatchkeyEnrollmentStore
import Testing

@testable import LatchkeyEnrollmentServer

/// Tenants that claim one store, each over a connection of its own.
enum TenantClaims {
  /// Lets all claim it at once: one has it then, and the others are told so.
  static func race(_ names: [String], _ stores: [any EnrollmentStore]) async throws {
    let refusals = await withTaskGroup(of: (String, TenantError?).self) { group in
      for (name, store) in zip(names, stores) {
        group.addTask {
          do {
            try await EnrollmentServer.claim(store, for: name)
            return (name, nil)
          } catch {
            return (name, error as? TenantError ?? .unknown("\(error)"))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let owners = refusals.filter { $0.1 == nil }.map(\.0)
    try #require(owners.count == 1, "\(refusals)")
    for (name, error) in refusals where name != owners[0] {
      #expect(error == .foreignStore(tenant: name, owner: owners[0]))
    }
    let recorded = try await stores[0].read { try $0.setting(EnrollmentServer.tenantSetting) }
    #expect(recorded == Array(owners[0].utf8))
  }
}
