import MainQueueExchange
import XCTest

/// XCTest runs the main queue while it waits for an expectation.
final class MainQueueXCTests: XCTestCase {
  func testManagersWithoutAQueueWork() {
    let expectation = expectation(description: "read")
    let exchange = Exchange(radio: "xctest") { text in
      XCTAssertEqual(text, "main")
      expectation.fulfill()
    }
    withExtendedLifetime(exchange) { wait(for: [expectation], timeout: 60) }
  }
}
