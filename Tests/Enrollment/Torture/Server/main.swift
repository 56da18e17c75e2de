// A server of the torture: the enrollment server on a store that others share, killed at any moment.
//
//   torture-server FOLDER PATH|postgres://… NODE
//
// FOLDER has authority.der, authority.key, answer.key, server.der and server.key. The first line of the output is the port.

import Foundation
import Security

do {
  let arguments = CommandLine.arguments
  guard arguments.count == 4 else { throw TortureServer.Usage() }
  // Nobody is left behind: when the tests end, however they end, their end of the line closes.
  Thread.detachNewThread {
    while readLine() != nil {}
    exit(0)
  }
  try await TortureServer(folder: arguments[1], place: arguments[2], node: arguments[3]).run()
} catch {
  let text = Array("torture-server: \(error)\n".utf8)
  _ = write(STDOUT_FILENO, text, text.count)
  exit(1)
}
