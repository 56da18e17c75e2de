import Foundation
import LatchkeyProvisioningProtocol

/// Does what the protocols ask of a device.
struct DeviceWorker: Sendable {
  let joiner: any NetworkJoiner
  let identify: (@Sendable () async -> Void)?
  let setHostname: (@Sendable (String) async throws -> Void)?
  let setName: (@Sendable (String) async throws -> Void)?
  let enroll: (@Sendable (ProvisioningEnrollment) async throws -> ProvisioningEnrollmentResult)?
  let endpoints: [String: ProvisionableDevice.Endpoint]

  func perform(_ work: DeviceWork) async -> DeviceWorkResult {
    switch work {
    case .join: return .failed(.busy)  // `join(_:)` does that.
    case .scan:
      do throws(JoinFailure) {
        return .networks(try await joiner.scan())
      } catch {
        return .failed(.unavailable)
      }
    case .forget:
      do throws(JoinFailure) {
        try await joiner.forget()
        return .done
      } catch {
        return .failed(.unavailable)
      }
    case .identify:
      await identify?()
      return identify == nil ? .failed(.unavailable) : .done
    case .setHostname(let name): return await Self.set(name, setHostname)
    case .setName(let name): return await Self.set(name, setName)
    case .custom("enroll", let body) where enroll != nil:
      guard let enroll, let enrollment = try? SecureEnrollment(body) else { return .failed(.invalid) }
      do {
        return .response(try await enroll(ProvisioningEnrollment(enrollment)).answer.bytes)
      } catch let failure as EnrollmentFailure {
        return .response(SecureEnrollmentAnswer.failed(failure).bytes)
      } catch {
        return .failed(.unavailable)
      }
    case .custom(let endpoint, let body):
      guard let handler = endpoints[endpoint] else { return .failed(.invalid) }
      do {
        return .response([UInt8](try await handler(Data(body))))
      } catch {
        return .failed(.invalid)
      }
    }
  }

  private static func set(
    _ name: String, _ setter: (@Sendable (String) async throws -> Void)?
  ) async -> DeviceWorkResult {
    guard let setter else { return .failed(.unavailable) }
    do {
      try await setter(name)
      return .done
    } catch {
      return .failed(.invalid)
    }
  }

  func join(_ credentials: NetworkCredentials) async -> Result<JoinedNetwork, JoinFailure> {
    do throws(JoinFailure) {
      return .success(try await joiner.join(credentials))
    } catch {
      return .failure(error)
    }
  }
}
