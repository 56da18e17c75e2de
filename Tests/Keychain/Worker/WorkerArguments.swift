import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `keychain-worker PATH [--passcode-file FILE] [--groups A,B] [--rounds N] [--counter FILE] COMMAND [NUMBER…]`
struct WorkerArguments {
  struct Usage: Error, CustomStringConvertible {
    let description: String
  }

  let path: String
  var entitlements = Entitlements.none
  var passcodeFile: String?
  /// scrypt's cost for a new passcode.
  var rounds: Int?
  /// The file of the counter that detects old copies.
  var counter: String?
  let command: String
  let numbers: [Int]

  init(_ arguments: some Sequence<String>) throws(Usage) {
    var words = Array(arguments)[...]
    guard let path = words.popFirst() else { throw Usage(description: "no path of a keychain") }
    self.path = path
    while let option = words.first, option.hasPrefix("--") {
      words.removeFirst()
      guard let value = words.popFirst() else { throw Usage(description: "\(option) without a value") }
      switch option {
      case "--passcode-file": passcodeFile = value
      case "--groups": entitlements = Entitlements(accessGroups: value.split(separator: ",").map(String.init))
      case "--rounds": rounds = Int(value)
      case "--counter": counter = value
      default: throw Usage(description: "no option \(option)")
      }
    }
    guard let command = words.popFirst() else { throw Usage(description: "no command") }
    self.command = command
    numbers = words.compactMap { Int($0) }
    guard numbers.count == words.count else { throw Usage(description: "an argument that is no number") }
  }

  /// The numbers of a command that has so many.
  func take(_ count: Int) throws(Usage) -> [Int] {
    guard numbers.count == count else { throw Usage(description: "\(command) takes \(count) numbers") }
    return numbers
  }
}
