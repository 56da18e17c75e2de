import Foundation
import Testing
import UIKit

@MainActor
struct UIKitTests {
  @Test("Each background task has an identifier of its own, and none is invalid")
  func backgroundTasks() {
    let tasks = (0..<100).map { _ in UIApplication.shared.beginBackgroundTask(withName: "sync") }
    #expect(Set(tasks).count == 100)
    #expect(!tasks.contains(.invalid))
    #expect(UIApplication.shared.beginBackgroundTask(expirationHandler: {}) != .invalid)
  }

  @Test("Ending any task, twice or a foreign one, does nothing")
  func ending() {
    let task = UIApplication.shared.beginBackgroundTask()
    UIApplication.shared.endBackgroundTask(task)
    UIApplication.shared.endBackgroundTask(task)
    UIApplication.shared.endBackgroundTask(.invalid)
    UIApplication.shared.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: .max))
  }

  @Test("An expiration handler is kept by nobody, so it is never called")
  func expiration() {
    final class Witness {}
    weak var kept: Witness?
    do {
      let witness = Witness()
      kept = witness
      nonisolated(unsafe) let held = witness
      _ = UIApplication.shared.beginBackgroundTask(withName: "x") { _ = held }
    }
    #expect(kept == nil)
  }

  @Test("The app is in front, unlocked, and has all the time")
  func state() {
    #expect(UIApplication.shared.applicationState == .active)
    #expect(UIApplication.shared.isProtectedDataAvailable)
    #expect(UIApplication.shared.backgroundTimeRemaining == .greatestFiniteMagnitude)
    #expect(UIApplication.shared.backgroundRefreshStatus == .available)
  }

  @Test("No URL is opened, and the caller hears it")
  func urls() throws {
    let url = try #require(URL(string: UIApplication.openSettingsURLString))
    #expect(!UIApplication.shared.canOpenURL(url))
    var answer: Bool?
    UIApplication.shared.open(url) { opened in MainActor.assumeIsolated { answer = opened } }
    #expect(answer == false)
  }

  @Test("A delegate's methods are optional")
  func delegate() {
    final class Delegate: UIResponder, UIApplicationDelegate {
      var launched: [UIApplication.LaunchOptionsKey: Any]?
      func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
      ) -> Bool {
        launched = options
        return false
      }
    }
    let delegate = Delegate()
    UIApplication.shared.delegate = delegate
    let identifiers = [UIApplication.LaunchOptionsKey.bluetoothCentrals: ["central"]]
    #expect(delegate.application(.shared, didFinishLaunchingWithOptions: identifiers) == false)
    #expect(delegate.launched?[.bluetoothCentrals] as? [String] == ["central"])
    #expect(delegate.launched?[.bluetoothPeripherals] == nil)
    #expect(UIApplication.shared.delegate?.application(.shared, willFinishLaunchingWithOptions: nil) == true)
    UIApplication.shared.delegate?.applicationDidEnterBackground(.shared)
  }

  @Test("The device is Linux, and knows no vendor and no battery")
  func device() {
    #expect(UIDevice.current.systemName == "Linux" && UIDevice.current.model == "Linux")
    #expect(UIDevice.current.systemVersion.split(separator: ".").allSatisfy { Int($0) != nil })
    #expect(UIDevice.current.identifierForVendor == nil)
    #expect(UIDevice.current.batteryLevel == -1 && UIDevice.current.batteryState == .unknown)
    #expect(UIDevice.current.userInterfaceIdiom == .unspecified)
  }

  @Test("Names of notifications and launch options are Apple's, each another")
  func names() {
    let names = [
      UIApplication.didBecomeActiveNotification, UIApplication.didEnterBackgroundNotification,
      UIApplication.willEnterForegroundNotification, UIApplication.willResignActiveNotification,
      UIApplication.willTerminateNotification, UIApplication.didFinishLaunchingNotification,
      UIApplication.protectedDataDidBecomeAvailableNotification,
      UIApplication.protectedDataWillBecomeUnavailableNotification,
    ]
    #expect(Set(names).count == names.count)
    #expect(names[1].rawValue == "UIApplicationDidEnterBackgroundNotification")
    #expect(
      UIApplication.LaunchOptionsKey.bluetoothCentrals.rawValue == "UIApplicationLaunchOptionsBluetoothCentralsKey")
  }
}
