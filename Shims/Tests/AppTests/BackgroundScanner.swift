import Combine
import Compression
import Foundation
import UIKit
import os
import os.signpost

// As apps and libraries are written that know nothing of Linux.

private let logger = Logger(subsystem: "com.example.app", category: "scanner")

final class BackgroundScanner: ObservableObject {
  @Published private(set) var found: [String] = []
  private var lock = os_unfair_lock()
  private let count = OSAllocatedUnfairLock(initialState: 0)
  private var cancellables = Set<AnyCancellable>()
  private var task: UIBackgroundTaskIdentifier = .invalid

  init(local: AnyPublisher<String, Never>, remote: AnyPublisher<String, Never>) {
    local.merge(with: remote)
      .removeDuplicates()
      .sink { [weak self] name in self?.add(name) }
      .store(in: &cancellables)
    NotificationCenter.default.publisher(for: UIApplication.didEnterBackgroundNotification)
      .sink { [weak self] _ in self?.stop() }
      .store(in: &cancellables)
  }

  private func add(_ name: String) {
    os_unfair_lock_lock(&lock)
    defer { os_unfair_lock_unlock(&lock) }
    found.append(name)
    let total = count.withLock { count -> Int in
      count += 1
      return count
    }
    logger.info("found \(name, privacy: .private(mask: .hash)), \(total, format: .decimal(minDigits: 3)) in all")
    os_signpost(.event, log: .default, name: "found")
  }

  private func stop() {
    logger.debug("stopping after \(self.found.count)")
    cancellables.removeAll()
  }

  @MainActor func beginTask() {
    task = UIApplication.shared.beginBackgroundTask(withName: "scan") { [weak self] in
      guard let self else { return }
      UIApplication.shared.endBackgroundTask(self.task)
      self.task = .invalid
    }
  }

  func report() -> Data? {
    let text = Array(found.joined(separator: "\n").utf8)
    var buffer = [UInt8](repeating: 0, count: text.count + 64)
    let size = compression_encode_buffer(&buffer, buffer.count, text, text.count, nil, COMPRESSION_ZLIB)
    return size == 0 ? nil : Data(buffer[..<size])
  }
}
