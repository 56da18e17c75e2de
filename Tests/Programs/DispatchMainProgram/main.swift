import Dispatch
import Foundation
import MainQueueExchange

// `queue: nil` in a command-line program that gives its main thread to the main queue.
let exchange = Exchange { value in
  print(value)
  exit(0)
}
dispatchMain()
