import CoreBluetooth
import Foundation
import LatchkeyBluetoothTransports

// An answerer in place of the behaviors.
extension DefinitionServer {
  /// Asks the answerer, if there is one. What it sends before its answer is sent.
  func ask(_ request: ServedRequest) -> ServedAnswer.Outcome? {
    guard let now = manager?.now, let answer = answerer?.answer(request, now: now) else { return nil }
    for update in answer.before { send(update.value, of: update.characteristic) }
    if let difference = answer.difference { emit(.differed(difference)) }
    return answer.outcome
  }

  /// Sends what is due, after an answer or when its time has come, and waits for what follows.
  func sendDue() {
    guard let now = manager?.now, let due = answerer?.takeDue(now: now) else { return }
    for update in due { send(update.value, of: update.characteristic) }
    answerTimer?.cancel()
    answerTimer = nil
    guard let deadline = answerer?.nextDeadline else { return }
    answerTimerNumber += 1
    let number = answerTimerNumber
    answerTimer = makeTimer(max(.zero, deadline - now)) { server in
      // One that is canceled may fire all the same.
      if server.answerTimerNumber == number { server.sendDue() }
    }
  }
}
