internal import Synchronization

/// The device's client of the enrollment service: it enrolls, stores its identity, and uses it for further requests.
///
/// Persistent state is in the keychain: the two enclave keys, the certificate, the credential for the server's protection
/// space, and the enrollment record. A new client, in this process or another, continues from it. Each operation starts at once
/// and reports its result (``EnrollmentOperation``).
public final class EnrollmentClient: Sendable {
  /// The configuration that it was made with.
  public let configuration: EnrollmentConfiguration
  let messenger: Messenger
  let renewals = RenewalGate()
  let services = ServiceConnections()

  /// Creates a client; nothing is sent before the first operation.
  public init(_ configuration: EnrollmentConfiguration) {
    self.configuration = configuration
    messenger = Messenger(configuration: configuration, connections: Connections(configuration))
  }

  /// Closes the connections; a later operation opens new ones. Deallocation closes them too.
  public func close() async {
    await messenger.connections.close()
    await services.close()
  }

  /// Starts an operation of this client.
  func operation<Success: Sendable>(
    _ kind: OperationKind, _ body: @escaping @Sendable () async throws -> Success
  ) -> EnrollmentOperation<Success> {
    EnrollmentOperation(kind, notifications: configuration.notifications) {
      do {
        return try await body()
      } catch let refusal as Refusal {
        throw EnrollmentError.problem(refusal.problem)
      }
    }
  }

  // MARK: Stored state

  /// The enrollment record; nil before the first login.
  func record() async throws(EnrollmentError) -> EnrollmentRecord? {
    let configuration = configuration
    return try await blocking { () throws(EnrollmentError) in
      guard let record = try EnrollmentRecord.find(label: configuration.label) else { return nil }
      // A key pinned for one server is not valid for another.
      return record.server == configuration.server.description ? record : nil
    }
  }

  /// Changes the enrollment record, if there is one, and nothing that another operation has changed in it meanwhile.
  func change(_ change: @escaping @Sendable (inout EnrollmentRecord) -> Void) async throws(EnrollmentError) {
    let configuration = configuration
    try await blocking { () throws(EnrollmentError) in
      guard var record = try EnrollmentRecord.find(label: configuration.label),
        record.server == configuration.server.description
      else { return }
      change(&record)
      try record.save(label: configuration.label)
    }
  }

  /// Stores the enrollment record.
  func save(_ record: EnrollmentRecord) async throws(EnrollmentError) {
    let label = configuration.label
    try await blocking { () throws(EnrollmentError) in try record.save(label: label) }
  }
}
