import LatchkeyTestSupport
import Foundation

/// A place made small or read-only for a while: by a mount for root, whom modes do not bind, by modes for all others.
final class TortureMount {
  /// It must not go before the mount does.
  private let folder: TortureFolder
  private let undo: () -> Void

  private init(_ folder: TortureFolder, undo: @escaping () -> Void) {
    self.folder = folder
    self.undo = undo
  }

  /// A disk of so many bytes in place of `folder`; nil where that is not allowed.
  convenience init?(small folder: TortureFolder, bytes: Int) {
    let path = folder.path
    guard geteuid() == 0, mount("tmpfs", path, "tmpfs", UInt(MS_NOSUID), "size=\(bytes),mode=700") == 0 else {
      return nil
    }
    self.init(folder) { umount2(path, CInt(MNT_DETACH)) }
  }

  /// The folder `name` in `folder` cannot be written until ``end()``; nil where that cannot be done.
  convenience init?(readOnly name: String, in folder: TortureFolder) {
    let path = folder.file(name)
    if geteuid() != 0 {
      guard chmod(path, 0o500) == 0 else { return nil }
      self.init(folder) { chmod(path, 0o700) }
      return
    }
    guard mount(path, path, nil, UInt(MS_BIND), nil) == 0 else { return nil }
    let flags = UInt(MS_BIND | MS_REMOUNT | MS_RDONLY)
    guard mount(nil, path, nil, flags, nil) == 0 else {
      umount2(path, CInt(MNT_DETACH))
      return nil
    }
    self.init(folder) { umount2(path, CInt(MNT_DETACH)) }
  }

  /// Makes it what it was.
  func end() { undo() }

  /// Takes all the room but so many bytes.
  func fill(_ path: String, leaving rest: Int) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw TortureFailure(description: "\(path) cannot be made") }
    defer { close(file) }
    let zeros = [UInt8](repeating: 0, count: 4096)
    var system = statvfs()
    repeat {
      guard fstatvfs(file, &system) == 0, Int(system.f_bavail) * Int(system.f_frsize) > rest else { return }
    } while write(file, zeros, zeros.count) > 0
  }
}
