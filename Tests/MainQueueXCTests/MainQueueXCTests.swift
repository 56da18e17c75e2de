import MainQueueExchange
import XCTest

/// `queue: nil` under XCTest, whose `wait(for:)` runs the main run loop.
final class MainQueueXCTests: XCTestCase {
  func testManagersOnTheMainQueueWorkWhileATestWaits() {
    let done = expectation(description: "a value was read")
    var result = ""
    let exchange = Exchange { value in
      result = value
      done.fulfill()
    }
    wait(for: [done], timeout: 60)
    XCTAssertEqual(result, "hello")
    withExtendedLifetime(exchange) {}
  }
}
