// Nothing but these two: other modules bring Swift Testing along.
import Testing
import UIKit

struct ImportTests {
  @Test("A file that imports Swift Testing and UIKit alone sees both")
  @MainActor func both() {
    #expect(UIDevice.current.systemName == "Linux")
  }
}
