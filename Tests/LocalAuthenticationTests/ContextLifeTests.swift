import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LocalAuthentication
import Security
import Synchronization
import Testing

/// When a context ends, and who is answered where.
@Suite("The life of a context") struct ContextLifeTests {
  @Test("an invalidated context is good for nothing") func invalidated() async throws {
    let scene = try Scene()
    try await scene.keychain.use { () async throws in
      for context in [LAContext(), LAContext()] {
        try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
        context.invalidate()
        context.invalidate()
        for policy: LAPolicy in [.deviceOwnerAuthentication, .deviceOwnerAuthenticationWithBiometrics] {
          #expect(try obstacle(context, policy) == .invalidContext)
          let found = await code { try await context.evaluatePolicy(policy, localizedReason: "to test") }
          #expect(found == .invalidContext)
        }
        #expect(!context.setCredential(Data("x".utf8), type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
      }
      #expect(scene.finger.timesAsked == 2)
      let unused = LAContext()
      unused.invalidate()
      #expect(try obstacle(unused, .deviceOwnerAuthentication) == .invalidContext)
    }
  }

  @Test("invalidating ends an evaluation that waits for the user") func invalidateWhileAsked() async throws {
    let scene = try Scene()
    scene.finger.block()
    await scene.keychain.use {
      let context = LAContext()
      let found = await withCheckedContinuation { continuation in
        context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test") { isGiven, error in
          #expect(!isGiven)
          continuation.resume(returning: (error as? LAError)?.code)
        }
        scene.finger.waitUntilAsked()
        context.invalidate()
      }
      #expect(found == .appCancel)
    }
  }

  @Test("canceling the task that waits ends the evaluation") func taskCancelled() async throws {
    let scene = try Scene()
    scene.finger.block()
    await scene.keychain.use {
      let context = LAContext()
      let task = Task {
        await code {
          try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
        }
      }
      await scene.finger.asked()
      task.cancel()
      #expect(await task.value == .appCancel)
      let after = await code {
        try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
      }
      #expect(after == .invalidContext)
    }
  }

  @Test("evaluations at the same time ask once, and all have the answer") func concurrent() async throws {
    let scene = try Scene()
    scene.finger.block()
    try await scene.keychain.use { () async throws in
      let context = LAContext()
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 {
          group.addTask {
            try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
          }
        }
        await scene.finger.asked()
        scene.finger.unblock()
        for try await isGiven in group { #expect(isGiven) }
      }
      #expect(scene.finger.timesAsked == 1)
    }
  }

  @Test("forty evaluations of forty contexts end, though the pool has few threads") func many() async throws {
    let scene = try Scene()
    try await scene.keychain.use { () async throws in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<40 {
          group.addTask {
            try await LAContext().evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
          }
        }
        for try await isGiven in group { #expect(isGiven) }
      }
      #expect(scene.finger.timesAsked == 40)
    }
  }

  @Test("replies come after the call, once each, and may evaluate again") func replies() async throws {
    let scene = try Scene()
    await scene.keychain.use {
      let context = LAContext()
      let log = Mutex<[String]>([])
      await withCheckedContinuation { continuation in
        let semaphore = DispatchSemaphore(value: 0)
        context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "one") { isGiven, error in
          semaphore.wait()
          log.withLock { $0.append("reply \(isGiven) \(error == nil)") }
          context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "two") { isGiven, _ in
            log.withLock { $0.append("second \(isGiven)") }
            continuation.resume()
          }
        }
        log.withLock { $0.append("called") }
        semaphore.signal()
      }
      let lines = log.withLock { $0 }
      #expect(lines == ["called", "reply true true", "second true"])
    }
  }

  @Test("A context without other references lives until the reply") func unkept() async throws {
    let scene = try Scene()
    await scene.keychain.use {
      let isGiven = await withCheckedContinuation { continuation in
        LAContext().evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test") { isGiven, _ in
          continuation.resume(returning: isGiven)
        }
      }
      #expect(isGiven)
    }
  }

  @Test("Locking the keychain discards the given factors") func locked() async throws {
    let scene = try Scene()
    try await scene.keychain.use { () async throws in
      let context = LAContext()
      try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "one")
      scene.keychain.lock()
      try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "two")
      #expect(scene.finger.reasons == ["one", "two"])
    }
  }
}

/// A credential that a program gives a context in place of the user's input, and the closure that asks.
@Suite("Credentials and prompts of a context") struct CredentialTests {
  private func control(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
    try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags, nil))
  }

  @Test("An application password is set and removed; a card's PIN is never accepted") func credentials() throws {
    try Scene().keychain.use { () throws in
      let context = LAContext()
      #expect(!context.isCredentialSet(.applicationPassword))
      #expect(context.setCredential(Data("secret".utf8), type: .applicationPassword))
      #expect(context.isCredentialSet(.applicationPassword))
      #expect(context.setCredential(nil, type: .applicationPassword))
      #expect(!context.isCredentialSet(.applicationPassword))
      context.setCredential(Data("secret".utf8), type: .applicationPassword)
      context.setCredential(Data(), type: .applicationPassword)
      #expect(!context.isCredentialSet(.applicationPassword))
      #expect(!context.setCredential(Data("1234".utf8), type: .smartCardPIN) && !context.isCredentialSet(.smartCardPIN))
      #expect(!"\(context)".contains("secret"))
    }
  }

  @Test("an access control with an application password asks for it only where the context has none") func password()
    async throws
  {
    let scene = try Scene(types: [.types("typed")])
    try await scene.keychain.use { () async throws in
      let control = try control([.applicationPassword])
      let given = LAContext()
      given.setCredential(Data("given".utf8), type: .applicationPassword)
      try await given.evaluateAccessControl(control, operation: .useItem, localizedReason: "to test")
      #expect(scene.user.questions.isEmpty)
      try await LAContext().evaluateAccessControl(control, operation: .useItem, localizedReason: "to test")
      #expect(scene.user.questions.map(\.subject) == [.applicationPassword])
    }
  }

  @Test("each operation and kind of control asks for what the control wants") func controls() async throws {
    let scene = try Scene(types: [.types(Scene.passcode)])
    try await scene.keychain.use { () async throws in
      let context = LAContext()
      for operation: LAAccessControlOperation in [
        .createItem, .useItem, .createKey, .useKeySign, .useKeyDecrypt, .useKeyKeyExchange,
      ] {
        try await context.evaluateAccessControl(
          try control([.privateKeyUsage, .biometryAny]), operation: operation, localizedReason: "to test")
      }
      #expect(scene.finger.timesAsked == 1 && scene.user.questions.isEmpty)
      try await context.evaluateAccessControl(
        try control(.devicePasscode), operation: .useItem, localizedReason: "to test")
      #expect(scene.user.questions.map(\.subject) == [.passcode])
      let companion = await code {
        try await context.evaluateAccessControl(
          try control(.companion), operation: .useItem, localizedReason: "to test")
      }
      #expect(companion == .companionNotAvailable)
    }
  }

  @Test("A closure prompts in place of the terminal, receives the reason, and may cancel") func closure() async throws {
    let scene = try Scene(hasBiometry: false)
    try await scene.keychain.use { () async throws in
      let requests = Mutex<[LAContext.PasscodeRequest]>([])
      let context = LAContext()
      context.localizedCancelTitle = "Not now"
      #expect(context.passcodePrompter == nil)
      context.passcodePrompter = { request in
        requests.withLock { requests in
          requests.append(request)
          return requests.count == 1 ? "wrong" : Scene.passcode
        }
      }
      #expect(context.passcodePrompter != nil)
      #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test"))
      let asked = requests.withLock { $0 }
      #expect(asked.map(\.kind) == [.passcode, .passcode] && asked.map(\.localizedReason) == ["to test", "to test"])
      #expect(asked.first?.complaint == nil && asked.last?.complaint != nil)
      #expect(asked.first?.localizedCancelTitle == "Not now")
      #expect(scene.user.questions.isEmpty)

      let cancelling = LAContext()
      cancelling.passcodePrompter = { _ in nil }
      let found = await code {
        try await cancelling.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
      }
      #expect(found == .userCancel)
    }
  }

  @Test("a closure that never answers is not waited for after the end") func stuckClosure() async throws {
    let scene = try Scene(hasBiometry: false)
    await scene.keychain.use {
      let (isAsked, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let context = LAContext()
      context.passcodePrompter = { _ in
        isAsked.signal()
        mayEnd.wait()
        return Scene.passcode
      }
      let found = await withCheckedContinuation { continuation in
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test") { _, error in
          continuation.resume(returning: (error as? LAError)?.code)
        }
        isAsked.wait()
        context.invalidate()
      }
      #expect(found == .appCancel)
      mayEnd.signal()
    }
  }
}
