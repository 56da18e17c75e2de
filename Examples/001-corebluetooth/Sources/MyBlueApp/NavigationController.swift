/// A screen of the app: stands for UIKit's view controller with a table.
public protocol ViewController: AnyObject {
  /// What the screen is called.
  var title: String { get }
  /// The rows of its table.
  var rows: [String] { get }
  /// Called once, when the screen is shown first.
  func viewDidLoad()
  /// A row was tapped.
  func didSelectRow(at row: Int)
}

/// The app's screens, one upon the other, shown as lines: stands for UIKit's navigation controller and its storyboard.
public final class NavigationController {
  /// The screens, the one that is seen last.
  public private(set) var viewControllers: [any ViewController] = []
  /// What the document writes with NSLog.
  let log: (String) -> Void
  /// Shows a line.
  let show: (String) -> Void

  /// An app without screens.
  ///
  /// - Parameters:
  ///   - log: called with each line that the document writes with NSLog.
  ///   - show: called with each line that changes on the screen.
  public init(log: @escaping (String) -> Void, show: @escaping (String) -> Void) {
    self.log = log
    self.show = show
  }

  /// `pushViewController:animated:`.
  public func push(_ controller: any ViewController) {
    viewControllers.append(controller)
    show("== \(controller.title)")
    controller.viewDidLoad()
  }

  /// The screen before this one, if there is one.
  public func pop() {
    guard viewControllers.count > 1 else { return }
    viewControllers.removeLast()
    reappear()
  }

  /// `popToRootViewControllerAnimated:`.
  public func popToRoot() {
    guard viewControllers.count > 1 else { return }
    viewControllers.removeSubrange(1...)
    reappear()
  }

  /// `reloadData` of a screen's table; shown if the screen is seen.
  func reloadData(of controller: any ViewController) {
    guard viewControllers.last === controller else { return }
    for (number, row) in controller.rows.enumerated() { show("\(number)  \(row)") }
  }

  private func reappear() {
    guard let controller = viewControllers.last else { return }
    show("== \(controller.title)")
    reloadData(of: controller)
  }
}
