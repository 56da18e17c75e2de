public import Foundation

/// What may handle events, of which there are none.
@preconcurrency @MainActor
open class UIResponder: NSObject {}
