internal import LatchkeyEnrollmentStore
internal import Logging
internal import ServiceLifecycle

extension EnrollmentServer {
  /// The setting in which a store has its tenant's name.
  package static let tenantSetting = "tenant"

  /// Serves as a tenant, without a TLS port of its own, until graceful shutdown. As long as the store does not answer, the tenant is tried
  /// again; its other ports are open meanwhile, and its health is not ready.
  ///
  /// - Parameter tried: called when the tenant serves, or waits for its store.
  /// - Throws: what keeps it from serving beside a store that does not answer, at the first attempt.
  func run(as seat: TenantSeat, tried: @escaping @Sendable () -> Void) async throws {
    try await ending { lease in
      try await serve(lease) {
        try await open(seat, lease, tried)
        // Canceled, too, it ends.
        try? await gracefulShutdown()
        table.quiesce()
        await table.drained()
      }
    }
  }

  private func open(_ seat: TenantSeat, _ lease: NodeLease?, _ tried: @Sendable () -> Void) async throws {
    var isFirst = true
    var seconds = 1
    while true {
      do {
        try await Self.claim(services.store, for: seat.name)
        try await lease?.claim()
        try await services.configuration.bringServicesForward()
        _ = try await (operationsPort, publicPort)
        seat.open()
        if isFirst { tried() } else { services.logger.notice("the tenant serves") }
        return
      } catch let error where !isFirst || Self.isTemporary(error) {
        services.logger.error("the tenant does not serve, and is tried again", metadata: ["error": "\(error)"])
        if isFirst { tried() }
      }
      isFirst = false
      // A shutdown ends the wait and the tenant.
      let pause = Duration.seconds(seconds)
      do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) } } catch { return }
      seconds = min(seconds * 2, 30)
    }
  }

  private static func isTemporary(_ error: any Error) -> Bool {
    switch error as? EnrollmentStoreError {
    case .unavailable, .contention: true
    default: false
    }
  }

  /// Records that the store is this tenant's, unless it is.
  ///
  /// - Throws: ``TenantError/foreignStore(tenant:owner:)``.
  static func claim(_ store: any EnrollmentStore, for tenant: String) async throws {
    let owner = try await store.read { try $0.setting(Self.tenantSetting) }
    let recorded: [UInt8]
    if let owner {
      recorded = owner
    } else {
      recorded = try await store.write { store in
        // Another tenant of the same store may have been faster.
        if let owner = try store.setting(Self.tenantSetting) { return owner }
        try store.setSetting(Self.tenantSetting, to: Array(tenant.utf8))
        return Array(tenant.utf8)
      }
    }
    let name = String(decoding: recorded, as: UTF8.self)
    guard name == tenant else { throw TenantError.foreignStore(tenant: tenant, owner: name) }
  }
}

extension Operator {
  /// Gives the store over to the tenant of this name, after a tenant was renamed.
  ///
  /// - Throws: ``OperatorError/invalid(_:)`` for what is no tenant's name; `EnrollmentStoreError`.
  public func setTenant(_ name: String) async throws {
    guard TenantNames.isTenant(name) else { throw OperatorError.invalid("\(TenantError.badName(name))") }
    try await store.write { try $0.setSetting(EnrollmentServer.tenantSetting, to: Array(name.utf8)) }
  }
}
