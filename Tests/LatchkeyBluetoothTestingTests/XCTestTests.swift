import CoreBluetooth
import Dispatch
import Foundation
import LatchkeyBluetoothTesting
import XCTest

/// The same from XCTest, whose tests run on the main thread outside of the main queue's blocks.
final class XCTestTests: XCTestCase {
  func testCallbacksForTheMainQueueComeWhileItsThreadSettles() throws {
    let started = try Started(.battery(level: 9), queue: nil)
    XCTAssertEqual(started.read("2A19"), Data([9]), started.radio.describeExchange())
  }

  func testBlocksThatACallbackPutsOnTheMainQueueAreDoneToo() throws {
    let started = try Started(.battery(level: 9), queue: nil)
    started.app.onValue = { app, _ in
      app.onValue = nil
      DispatchQueue.main.async { app.read("2A19") }
    }
    XCTAssertEqual(started.read("2A19"), Data([9]))
    XCTAssertEqual(started.app.values(of: "2A19").count, 2)
  }

  func testBlocksThatSuchBlocksPutThereAreDoneToo() throws {
    let started = try Started(.battery(level: 9), queue: nil)
    started.app.onValue = { app, _ in
      app.onValue = nil
      DispatchQueue.main.async { DispatchQueue.main.async { DispatchQueue.main.async { app.read("2A19") } } }
    }
    XCTAssertEqual(started.read("2A19"), Data([9]))
    XCTAssertEqual(started.app.values(of: "2A19").count, 2)
  }
}
