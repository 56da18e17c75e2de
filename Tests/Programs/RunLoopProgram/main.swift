import Foundation
import MainQueueExchange

// `queue: nil` in a command-line program that runs the main run loop.
let exchange = Exchange { value in
  print(value)
  exit(0)
}
RunLoop.main.run()
