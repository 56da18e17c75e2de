import LatchkeyKeychainModel

/// The state of the file that this process has verified, and the commit that it belongs to.
struct VerifiedState: Sendable {
  /// The mark of that commit; nil where it cannot be read.
  var commits: CommitMark?
  var header: Header
  /// An alteration from outside that makes everything doubtful: nothing is read or written until a repair.
  var damage: String?
  /// An alteration of a part: nothing is written until a repair, and the parts that hold are read.
  var broken: String?
  /// The parts whose counts hold.
  var proven = Proven()

  init(commits: CommitMark?, header: Header, damage: String?, broken: String? = nil, proven: Proven = Proven()) {
    self.commits = commits
    self.header = header
    self.damage = damage
    self.broken = broken
    self.proven = proven
  }

  /// The alteration for the caller; nil if nothing was found.
  var complaint: String? { damage ?? broken }
}
