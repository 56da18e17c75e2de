import LatchkeyBluetoothHost
import Testing

@testable import CoreBluetooth

struct AdvertisingProgressTests {
  private var progress = AdvertisingProgress()
  private let lamp = AdvertisingParameters(localName: "Lamp", services: [])
  private let lantern = AdvertisingParameters(localName: "Lantern", services: [])

  private mutating func start(_ parameters: AdvertisingParameters) -> Bool { progress.start(parameters) }

  @Test("Advertising needs the engine's start and the app's request")
  mutating func advertisingIsWhatTheEngineSaysAndTheAppStillWants() {
    var isTaken = start(lamp)
    #expect(isTaken)
    isTaken = start(lamp)
    #expect(!isTaken, "already")
    #expect(!progress.isAdvertising, "not begun")
    var isTold = progress.started(true)
    #expect(isTold)
    #expect(progress.isAdvertising)
    progress.stop()
    #expect(!progress.isAdvertising)
    isTaken = start(lamp)
    #expect(isTaken)
    progress.stop()
    isTold = progress.started(true)
    #expect(!isTold)
    #expect(!progress.isAdvertising, "stopped meanwhile")
  }

  @Test("Refused advertising can be started again") mutating func refusedAdvertisingMayBeTriedAgain() {
    _ = start(lamp)
    let isTold = progress.started(false)
    #expect(isTold)
    #expect(!progress.isAdvertising)
    let isTaken = start(lamp)
    #expect(isTaken)
  }

  @Test("Interrupted advertising resumes without a callback") mutating func resumedWithoutACallback() {
    _ = start(lamp)
    _ = progress.started(true)
    progress.pause()
    #expect(!progress.isAdvertising)
    let resumed = progress.resume()
    #expect(resumed?.localName == "Lamp")
    #expect(progress.isAdvertising)
    let isTold = progress.started(true)
    #expect(!isTold)
    progress.pause()
    _ = progress.resume()
    let isToldOfFailure = progress.started(false)
    #expect(!isToldOfFailure)
    #expect(!progress.isAdvertising)
  }

  @Test("A start after an interruption is accepted and reported once") mutating func startAfterAnInterruption() {
    _ = start(lamp)
    progress.pause()
    _ = progress.resume()
    let isTaken = start(lantern)
    #expect(isTaken)
    let again = start(lantern)
    #expect(!again)
    let reported = [progress.started(true), progress.started(true)]
    #expect(reported == [true, false])
  }

  @Test("Stopped advertising is not resumed") mutating func nothingIsResumedThatWasStoppedOrNeverBegan() {
    progress.pause()
    var resumed = progress.resume()
    #expect(resumed == nil)
    _ = start(lamp)
    progress.stop()
    progress.pause()
    resumed = progress.resume()
    #expect(resumed == nil)
  }
}
