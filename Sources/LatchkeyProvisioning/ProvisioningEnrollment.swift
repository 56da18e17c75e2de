public import Foundation
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

/// Where a device gets its certificate, and with which token: what an app gives it over the secure protocol, after both have
/// proved that they know the code.
///
/// The token is overwritten when the last copy goes, and is never printed.
public struct ProvisioningEnrollment: Sendable {
  /// The server's address, which begins with `https://`: 9 to 512 bytes.
  public let url: String
  /// The SHA-256 of the server's root certificate, 32 bytes; nil if the device trusts the server anyway.
  public let anchor: Data?
  let token: SecretBytes

  /// - Throws: `ProvisioningEnrollmentError` if a part is out of its bounds.
  public init(url: String, token: [UInt8], anchor: Data? = nil) throws(ProvisioningEnrollmentError) {
    self.url = url
    self.token = SecretBytes(token)
    self.anchor = anchor
    // The wire's own rules.
    guard (try? SecureEnrollment(bytes)) != nil else { throw .outOfBounds }
  }

  init(_ enrollment: SecureEnrollment) {
    url = enrollment.url
    token = enrollment.token
    anchor = enrollment.anchor.map { Data($0) }
  }

  /// Passes the token to `body`, which must not retain it; it is empty if the server wants none.
  public func withToken<Answer>(_ body: (UnsafeRawBufferPointer) throws -> Answer) rethrows -> Answer {
    try token.withUnsafeBytes { try body($0) }
  }

  var bytes: [UInt8] { SecureEnrollment(url: url, token: token, anchor: anchor.map { [UInt8]($0) }).bytes }
}

extension ProvisioningEnrollment: CustomStringConvertible, CustomReflectable {
  /// The server's address alone.
  public var description: String { "an enrollment with \(url.debugDescription)" }
  /// Empty: an enrollment never prints its token.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why an enrollment cannot be sent.
public enum ProvisioningEnrollmentError: Error, Hashable, Sendable {
  /// The address does not begin with `https://` or is longer than 512 bytes, the token is longer than 1024 bytes, or the anchor is not 32
  /// bytes long.
  case outOfBounds
}

/// What came of an enrollment.
public enum ProvisioningEnrollmentResult: Hashable, Sendable {
  /// The device enrolls when it has a network.
  case accepted
  /// The device has its certificate; its name with the server.
  case enrolled(String)

  /// - Throws: `enrollmentFailed`.
  init(_ answer: SecureEnrollmentAnswer) throws(ProvisioningFailure) {
    switch answer {
    case .accepted: self = .accepted
    case .enrolled(let name): self = .enrolled(name)
    case .failed(let failure): throw .enrollmentFailed(failure)
    }
  }

  var answer: SecureEnrollmentAnswer {
    switch self {
    case .accepted: .accepted("")
    case .enrolled(let name): .enrolled(name)
    }
  }
}
