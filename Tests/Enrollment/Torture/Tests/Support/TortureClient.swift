@testable import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import Synchronization

/// An enrolled client whose device may be revoked and whose key may be changed at any moment: what it asks for stays the same.
final class TortureClient: Sendable {
  let client: EnrollmentClient
  private let user: String
  private let password: String
  private let name: String
  private let current: Mutex<Messenger.Signer>
  private let gate = Gate()

  init(_ client: EnrollmentClient, user: String, password: String, name: String) async throws {
    (self.client, self.user, self.password, self.name) = (client, user, password, name)
    _ = try await client.logIn(user: user, password: password, deviceName: name).value
    current = Mutex(try await client.validIdentity().signer)
  }

  /// The current signer.
  var signer: Messenger.Signer { current.withLock { $0 } }

  /// Changes the identity key. Where no answer comes, the next look finishes it.
  func changeKey() async {
    await gate.run { [self] in
      guard let identity = try? await client.renew(changingKey: true).value else { return }
      current.withLock { $0 = identity.signer }
    }
  }

  /// Finishes a change of the key, or enrolls anew, unless another task did since `old` was read.
  func refresh(after old: Messenger.Signer) async {
    await gate.run { [self] in
      guard signer.credential == old.credential else { return }
      if let identity = try? await client.validIdentity(), identity.signer.credential != old.credential {
        current.withLock { $0 = identity.signer }
        return
      }
      let login = client.logIn(user: user, password: password, deviceName: name)
      guard let outcome = try? await login.value else { return }
      current.withLock { $0 = outcome.identity.signer }
    }
  }
}

/// One at a time: the keychain has one enrollment of a label.
private actor Gate {
  private var last: Task<Void, Never>?

  func run(_ body: @escaping @Sendable () async -> Void) async {
    let before = last
    let task = Task {
      await before?.value
      await body()
    }
    last = task
    await task.value
  }
}
