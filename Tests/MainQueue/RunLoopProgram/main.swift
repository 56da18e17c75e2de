import Foundation
import MainQueueExchange

// A program whose main thread is in `RunLoop.main.run()`; prints what was read.
let exchange = Exchange(radio: "run-loop") { text in
  print(text ?? "failed")
  exit(text == "main" ? 0 : 1)
}
RunLoop.main.run()
