import Combine
import Foundation
import Testing

struct ReexportTests {
  private final class Model: ObservableObject {
    @Published var name = "a"
  }

  @Test("Published properties and observable objects are there")
  func published() {
    let model = Model()
    var names: [String] = []
    var changes = 0
    var cancellables = Set<AnyCancellable>()
    model.$name.sink { names.append($0) }.store(in: &cancellables)
    model.objectWillChange.sink { changes += 1 }.store(in: &cancellables)
    model.name = "b"
    cancellables.removeAll()
    model.name = "c"
    #expect(names == ["a", "b"])
    #expect(changes == 1)
  }

  @Test("Queues are schedulers, and the notification center publishes")
  func extensions() async {
    let name = Notification.Name("ReexportTests")
    var numbers: [Int] = []
    let cancellable = NotificationCenter.default.publisher(for: name)
      .compactMap { $0.userInfo?["number"] as? Int }.sink { numbers.append($0) }
    NotificationCenter.default.post(name: name, object: nil, userInfo: ["number": 5])
    cancellable.cancel()
    NotificationCenter.default.post(name: name, object: nil, userInfo: ["number": 6])
    #expect(numbers == [5])
    let queue = DispatchQueue(label: "ReexportTests")
    for await value in Just(1).receive(on: queue).values { #expect(value == 1) }
    for await value in Just(2).delay(for: .milliseconds(1), scheduler: queue).values { #expect(value == 2) }
  }

  @Test("The module's name may be written before its types")
  func qualified() {
    let publisher: any Combine.Publisher<Int, Never> = Combine.Just(1)
    #expect(publisher is Combine.Just<Int>)
  }
}
