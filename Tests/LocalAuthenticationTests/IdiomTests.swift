import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LocalAuthentication
import Security
import Testing

// Written as apps write it: the ways in which code in the field uses LocalAuthentication.

/// The wrapper that many apps put around `LAContext`.
private protocol AuthenticationContext: AnyObject {
  var biometryType: LABiometryType { get }
  var localizedFallbackTitle: String? { get set }
  var localizedCancelTitle: String? { get set }
  var touchIDAuthenticationAllowableReuseDuration: TimeInterval { get set }
  func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool
  func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool
  func evaluatePolicy(
    _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void)
  func invalidate()
}

extension LAContext: AuthenticationContext {}

/// A mock, as apps' tests have it.
private final class RefusingContext: LAContext, @unchecked Sendable {
  override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
    error?.pointee = NSError(domain: LAError.errorDomain, code: LAError.biometryNotEnrolled.rawValue)
    return false
  }
  override func evaluatePolicy(
    _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    reply(false, LAError(.userFallback))
  }
}

private enum Outcome: Equatable { case success, cancelled, usePasscode, notEnrolled, lockedOut, failed(String) }

private func authenticate(_ context: LAContext) async -> Outcome {
  var error: NSError?
  guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error) else {
    switch error?.code {
    case LAError.biometryNotEnrolled.rawValue: return .notEnrolled
    case LAError.Code.biometryLockout.rawValue: return .lockedOut
    default: return .failed(error?.localizedDescription ?? "")
    }
  }
  do {
    let success = try await context.evaluatePolicy(
      .deviceOwnerAuthenticationWithBiometrics, localizedReason: "Unlock your wallet")
    return success ? .success : .failed("")
  } catch let error as LAError {
    switch error.code {
    case .userCancel, .appCancel, .systemCancel: return .cancelled
    case .userFallback: return .usePasscode
    case .biometryLockout: return .lockedOut
    case .authenticationFailed: return .failed(error.localizedDescription)
    default: return .failed("other")
    }
  } catch {
    return .failed("\(error)")
  }
}

@Suite("Idioms of the field") struct IdiomTests {
  @Test("guard canEvaluatePolicy with an NSError, then switch over LAError's codes") func guardAndSwitch() async throws
  {
    let scene = try Scene([.recognized, .fails(.userCancel), .fails(.userFallback), .refused])
    await scene.keychain.use {
      #expect(await authenticate(LAContext()) == .success)
      #expect(await authenticate(LAContext()) == .cancelled)
      #expect(await authenticate(LAContext()) == .usePasscode)
      #expect(await authenticate(LAContext()) == .failed("not recognized"))
      scene.finger.enrolled = nil
      #expect(await authenticate(LAContext()) == .notEnrolled)
    }
  }

  @Test("a mock stands in for a context, for async calls, too") func mock() async throws {
    let mock = RefusingContext()
    #expect(await authenticate(mock) == .notEnrolled)
    let found = await code { try await mock.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x") }
    #expect(found == .userFallback)
    let context: any AuthenticationContext = mock
    #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
  }

  @Test("errors are caught by code, as LAError and as NSError, whichever way they came") func errors() throws {
    let delivered: any Error = NSError(domain: LAErrorDomain, code: -2)
    #expect((delivered as? LAError)?.code == .userCancel)
    #expect((delivered as NSError).code == LAError.userCancel.rawValue)
    if case LAError.userCancel = delivered {} else { Issue.record("no match by pattern") }
    do {
      throw LAError(.biometryLockout)
    } catch LAError.userCancel {
      Issue.record("another code")
    } catch LAError.biometryLockout {
    } catch {
      Issue.record("not caught by its code: \(error)")
    }
    #expect((LAError(.appCancel) as NSError).domain == "com.apple.LocalAuthentication")
    #expect(LAError(.appCancel).errorCode == -9 && LAError.errorDomain == LAErrorDomain)
    #expect(LAError(_nsError: NSError(domain: LAErrorDomain, code: -8)) == LAError(.biometryLockout))
    // An error of another domain is no error of a context.
    #expect((NSError(domain: LAErrorDomain, code: -77) as any Error as? LAError) == nil)
    #expect((NSError(domain: NSCocoaErrorDomain, code: -2) as any Error as? LAError) == nil)
    #expect((CancellationError() as any Error as? LAError) == nil)
  }

  @Test("codes, policies and operations have Apple's numbers") func numbers() {
    let codes: [(LAError.Code, Int32, Int)] = [
      (.authenticationFailed, kLAErrorAuthenticationFailed, -1), (.userCancel, kLAErrorUserCancel, -2),
      (.userFallback, kLAErrorUserFallback, -3), (.systemCancel, kLAErrorSystemCancel, -4),
      (.passcodeNotSet, kLAErrorPasscodeNotSet, -5), (.biometryNotAvailable, kLAErrorBiometryNotAvailable, -6),
      (.biometryNotEnrolled, kLAErrorTouchIDNotEnrolled, -7), (.biometryLockout, kLAErrorTouchIDLockout, -8),
      (.appCancel, kLAErrorAppCancel, -9), (.invalidContext, kLAErrorInvalidContext, -10),
      (.companionNotAvailable, kLAErrorWatchNotAvailable, -11), (.biometryNotPaired, kLAErrorBiometryNotPaired, -12),
      (.biometryDisconnected, kLAErrorBiometryDisconnected, -13), (.notInteractive, kLAErrorNotInteractive, -1004),
    ]
    for (code, constant, number) in codes { #expect(code.rawValue == number && Int(constant) == number) }
    #expect(LAPolicy.deviceOwnerAuthenticationWithBiometrics.rawValue == 1)
    #expect(LAPolicy.deviceOwnerAuthentication.rawValue == Int(kLAPolicyDeviceOwnerAuthentication))
    #expect(LAAccessControlOperation.useKeyKeyExchange.rawValue == 5)
    #expect(LACredentialType.applicationPassword.rawValue == 0 && LACredentialType.smartCardPIN.rawValue == -3)
    #expect([LABiometryType.none, .touchID, .faceID, .opticID].map(\.rawValue) == [0, 1, 2, 4])
    #expect(LATouchIDAuthenticationMaximumAllowableReuseDuration == 300)
  }

  @Test("Properties keep the values that are set, before and after the first use") func properties() throws {
    try Scene().keychain.use { () throws in
      let context = LAContext()
      for isUsed in [false, true] {
        if isUsed { context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) }
        context.localizedFallbackTitle = "Use code \(isUsed)"
        context.localizedCancelTitle = ""
        context.localizedReason = "Pay \(isUsed)"
        context.interactionNotAllowed = isUsed
        #expect(context.localizedFallbackTitle == "Use code \(isUsed)" && context.localizedCancelTitle == "")
        #expect(context.localizedReason == "Pay \(isUsed)" && context.interactionNotAllowed == isUsed)
      }
      context.localizedFallbackTitle = nil
      #expect(context.localizedFallbackTitle == nil)
    }
  }

  @MainActor @Test("a view model on the main actor keeps a context and awaits it") func mainActor() async throws {
    let scene = try Scene()
    try await scene.keychain.use { () async throws in
      let model = ViewModel()
      try await model.unlock()
      #expect(model.isUnlocked)
    }
  }
}

@MainActor private final class ViewModel {
  private let context = LAContext()
  private(set) var isUnlocked = false

  func unlock() async throws {
    isUnlocked = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Unlock")
  }
}
