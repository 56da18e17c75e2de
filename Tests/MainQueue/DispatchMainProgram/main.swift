import Foundation
import MainQueueExchange

// A program whose main thread is in `dispatchMain()`; prints what was read.
let exchange = Exchange(radio: "dispatch-main") { text in
  print(text ?? "failed")
  exit(text == "main" ? 0 : 1)
}
dispatchMain()
