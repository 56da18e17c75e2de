import LatchkeyCommandLine

/// Asks the user about pairings, and takes lines of standard input as the answers; none is read before there is a question.
actor PairingAnswers {
  private var dialog: PairingDialog
  private var reading: Task<Void, Never>?
  private var waiter: CheckedContinuation<Void, Never>?
  /// Whether nobody answers any more.
  private var isOver = false

  init(_ output: EventOptions) { dialog = PairingDialog(output) }

  func handle(_ event: CentralSession.Event) {
    switch event {
    case .pairing(let request):
      dialog.ask(request)
      if isOver { return dialog.giveUp() }
      wake()
      guard reading == nil else { return }
      reading = Task { await read() }
    case .paired(let identifier, let isStored): dialog.paired(identifier, isStored: isStored)
    case .notPaired(let identifier, let reason): dialog.notPaired(identifier, reason)
    case .discovered, .updated, .disconnected: break
    }
  }

  /// Rejects what is asked, and what will be.
  func stop() {
    isOver = true
    dialog.giveUp()
    reading?.cancel()
    wake()
  }

  private nonisolated func read() async {
    for await line in InputLines.stream() { if case .text(let text) = line { await take(text) } }
    await stop()
  }

  /// Answers the question by a line, once there is one.
  private func take(_ line: String) async {
    while dialog.question == nil, !isOver { await withCheckedContinuation { waiter = $0 } }
    if !isOver { _ = dialog.answer(line) }
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }
}
