/// The steps of a read that finds that others have committed. Other threads may commit at any of them.
package enum ReadingStep: Sendable {
  /// The transaction sees one state; what this process knows was not looked at yet.
  case snapshotTaken
  /// The state has other key records than those that are known.
  case keysFound
}
