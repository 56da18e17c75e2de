import Glibc
import NIOCore
import NIOPosix

/// The file of a Unix socket that a server listens at: the file of a dead server is removed before, its own after.
struct UnixSocketFile: Sendable {
  let path: String
  private let device: dev_t
  private let inode: ino_t

  /// The file that is at `path` now; nil if there is none, or no socket.
  init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    self.path = path
    device = status.st_dev
    inode = status.st_ino
  }

  /// Makes `path` free to listen at: removes the socket of a server that has ended. Any other file is left alone.
  static func clear(_ path: String, on eventLoop: any EventLoop) async throws(RadioServerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard let file = UnixSocketFile(at: path) else { throw .notASocket(path: path) }
    let place = ListenSpecification(endpoint: .unix(path: path))
    do {
      let channel = try await ClientBootstrap(group: eventLoop).connect(unixDomainSocketPath: path).get()
      channel.close(promise: nil)
    } catch {
      // Only a socket without a listener refuses; a busy or forbidden one fails otherwise.
      guard (error as? IOError)?.errnoCode == ECONNREFUSED else { throw RadioServerError(error, at: place) }
      return file.remove()
    }
    throw .inUse(place)
  }

  /// Removes the file, unless it was replaced.
  func remove() {
    guard let now = UnixSocketFile(at: path), now.device == device, now.inode == inode else { return }
    unlink(path)
  }
}
