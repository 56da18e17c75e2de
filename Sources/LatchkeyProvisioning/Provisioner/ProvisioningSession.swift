public import Foundation
public import LatchkeyProvisioningProtocol
import Synchronization

/// What a session turned out to be.
public struct OpenedSession: Hashable, Sendable {
  /// The protocol that is spoken.
  public let `protocol`: ProvisioningProtocol
  /// What the session proves. Show it to the user before a password is sent.
  public let assurance: ProvisioningAssurance
  /// What the device can do besides joining a network.
  public let capabilities: ProvisioningCapabilities
}

/// A session with a device: it connects at its creation, and ends with `close()`, with its link, or with its last reference.
///
/// Requests are performed one after the other, in the order of their calls; each waits until the session is open. A request that
/// fails with `joinFailed`, `enrollmentFailed`, `refused`, `unsupported` or `notAuthorized` leaves the session open: try again.
public final class ProvisioningSession: Sendable {
  /// The steps, in their order, for one reader; the stream ends with the session.
  public let progress: AsyncStream<ProvisioningProgress>

  private let operation: ProvisioningOperation

  init(_ operation: ProvisioningOperation, progress: AsyncStream<ProvisioningProgress>) {
    self.operation = operation
    self.progress = progress
  }

  deinit { operation.close() }

  /// Waits until the session is open, and returns what it is. Canceling the task cancels the session.
  @discardableResult
  public func opened() async throws(ProvisioningFailure) -> OpenedSession {
    let result = await withTaskCancellationHandler {
      await operation.opened.value()
    } onCancel: {
      operation.cancel()
    }
    return try result.get()
  }

  /// The networks in the device's reach, strongest first.
  ///
  /// - Throws: `unsupported` if its protocol or the device has no such list.
  public func networks() async throws(ProvisioningFailure) -> [ScannedNetwork] {
    guard case .networks(let networks) = try await perform(.scan) else { return [] }
    return networks
  }

  /// Sends the credentials, and waits until the device has joined.
  ///
  /// - Throws: `joinFailed` if the device tried and did not join; the session is still open.
  @discardableResult
  public func provision(_ credentials: NetworkCredentials) async throws(ProvisioningFailure) -> JoinedNetwork {
    guard case .network(.connected(let joined)) = try await perform(.join(credentials)) else {
      throw .malformed("the device neither joined nor failed")
    }
    return joined
  }

  /// What the device's network connection is doing.
  public func status() async throws(ProvisioningFailure) -> NetworkState {
    guard case .network(let state) = try await perform(.status) else { return .idle }
    return state
  }

  /// Has the device forget the network that it has joined.
  public func forget() async throws(ProvisioningFailure) { _ = try await perform(.forget) }

  /// Has the device show which one it is.
  public func identify() async throws(ProvisioningFailure) { _ = try await perform(.identify) }

  /// What the device says of itself.
  public func information() async throws(ProvisioningFailure) -> DeviceInformation {
    guard case .information(let information) = try await perform(.information) else {
      throw .malformed("the device did not say what it is")
    }
    return information
  }

  /// The device's host name.
  public func hostname() async throws(ProvisioningFailure) -> String { try await text(.hostname(nil)) }

  /// Sets the host name, and returns it as the device has it now.
  @discardableResult
  public func setHostname(_ name: String) async throws(ProvisioningFailure) -> String {
    try await text(.hostname(name))
  }

  /// The device's name for people.
  public func name() async throws(ProvisioningFailure) -> String { try await text(.name(nil)) }

  /// Sets the name for people, and returns it as the device has it now.
  @discardableResult
  public func setName(_ name: String) async throws(ProvisioningFailure) -> String { try await text(.name(name)) }

  /// Sends a request to an endpoint of the device's maker, and returns the answer.
  public func send(_ body: Data, to endpoint: String) async throws(ProvisioningFailure) -> Data {
    guard case .bytes(let bytes) = try await perform(.custom(endpoint: endpoint, body: [UInt8](body))) else {
      throw .malformed("the endpoint did not answer")
    }
    return Data(bytes)
  }

  /// Tells the device where to get its certificate, and with which token: over the secure protocol alone. A device needs its network
  /// first: `provision(_:)` before.
  ///
  /// - Throws: `unsupported` if another protocol is spoken, or the device does not enroll; `enrollmentFailed` if it tried: the session
  ///   is still open.
  public func enroll(
    _ enrollment: ProvisioningEnrollment
  ) async throws(ProvisioningFailure) -> ProvisioningEnrollmentResult {
    guard try await opened().protocol == .secure else {
      throw .unsupported("a protocol by which a token may be sent")
    }
    let request = AppRequest.custom(endpoint: "enroll", body: enrollment.bytes)
    guard case .bytes(let bytes) = try await perform(request), let answer = try? SecureEnrollmentAnswer(bytes) else {
      throw .malformed("the answer to an enrollment")
    }
    return try ProvisioningEnrollmentResult(answer)
  }

  /// Closes the link, and waits until it is closed. The keys are erased.
  public func close() async {
    operation.close()
    await operation.ended.value()
  }

  private func text(_ request: AppRequest) async throws(ProvisioningFailure) -> String {
    guard case .text(let text) = try await perform(request) else { throw .malformed("the device sent no name") }
    return text
  }

  /// A canceled task cancels the session: what the device does with half a request is not known.
  private func perform(_ request: AppRequest) async throws(ProvisioningFailure) -> AppAnswer {
    let answer = Promise<Result<AppAnswer, ProvisioningFailure>>()
    operation.perform(request) { answer.fulfill($0) }
    let result = await withTaskCancellationHandler {
      await answer.value()
    } onCancel: {
      operation.cancel()
    }
    return try result.get()
  }
}
