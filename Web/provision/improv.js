// The app's side of Improv over Bluetooth LE (versions 1.0 to 2.4; host and device names are left out), without a radio or a clock. It calls `write` with frames for the
// command characteristic, and `report` with the events of `SecureApp`, and with `authorize` where somebody has to act at the device.

import { Malformed, Reader, concat, utf8 } from './bytes.js'

const uuid = (digits) => `00467768-6228-2272-4663-27747826${digits}`
export const improvService = uuid('8000')
export const improvUUIDs = { state: uuid('8001'), error: uuid('8002'), command: uuid('8003'), result: uuid('8004'), capabilities: uuid('8005') }

const joinTime = 60_000
const answerTime = 10_000
// A device that says it has joined, and gives no result, has joined.
const resultTime = 2_000

const errorWords = {
  1: 'the device could not read the request', 2: 'the device has no such function', 3: 'the device could not join the network',
  4: 'somebody has to press the device\'s button first', 5: 'the device does not accept the name', 255: 'the device reports an error that it does not name',
}

export function frame(command, ...texts) {
  const data = concat(...texts.map((text) => concat(Uint8Array.of(text.length), text)))
  if (texts.some((text) => text.length > 255) || data.length > 255) throw new RangeError('too long for Improv')
  const start = concat(Uint8Array.of(command, data.length), data)
  return concat(start, Uint8Array.of(start.reduce((sum, byte) => (sum + byte) & 0xff, 0)))
}

// The command and the texts of a result.
export function parseResult(bytes) {
  if (bytes.length < 3 || bytes[1] !== bytes.length - 3) throw new Malformed('the length of a result')
  const sum = bytes.slice(0, -1).reduce((total, byte) => (total + byte) & 0xff, 0)
  if (sum !== bytes[bytes.length - 1]) throw new Malformed('the checksum of a result')
  const reader = new Reader(bytes.slice(2, -1))
  const texts = []
  while (reader.at < reader.bytes.length) texts.push(reader.text())
  return { command: bytes[0], texts }
}

export class ImprovApp {
  constructor({ write, report }) {
    Object.assign(this, { write, report })
    this.isOpen = false
    this.isOver = false
    this.request = null
    this.waiting = []
    this.deadline = null
  }

  get nextDeadline() {
    return this.isOver ? null : this.deadline
  }

  // Begins with the values that were read: state, and capabilities if there are any.
  begin(state, capabilities) {
    this.capabilities = capabilities.length === 1 ? capabilities[0] : 0
    this.#guarded(() => this.#changeState(state))
  }

  // `which` is state, error or result.
  notified(which, value, now) {
    if (this.isOver) return
    this.#guarded(() => {
      if (which === 'state') this.#changeState(value, now)
      else if (which === 'error') this.#handleError(value)
      else if (which === 'result') this.#handleResult(value)
      if (this.request === null && this.waiting.length > 0) this.#ask(...this.waiting.shift(), now)
    })
  }

  passTime(now) {
    if (this.nextDeadline === null || now < this.deadline) return
    if (this.request === 1 && this.state === 4) this.#joined('')
    else this.#fail('timedOut', 'The device did not answer in time.')
  }

  disconnected() {
    if (this.request === 1 && this.state === 4) this.#joined('')
    if (!this.isOver) this.#fail('disconnected', 'The connection to the device has ended.')
  }

  scan(now) {
    this.#ask(4, frame(4), answerTime, now)
  }

  join(ssid, password, _, now) {
    this.name = new TextDecoder().decode(ssid)
    this.#ask(1, frame(1, ssid, password), joinTime, now)
    this.report({ event: 'network', status: { state: 'connecting' } })
  }

  identify() {
    this.write(frame(2))
    this.report({ event: 'done', name: 'identify' })
  }

  information(now) {
    this.#ask(3, frame(3), answerTime, now)
  }

  // One request at a time is under way; the others wait.
  #ask(command, bytes, time, now) {
    if (!this.isOpen || this.isOver) return
    if (this.request !== null) {
      if (this.waiting.length < 8) this.waiting.push([command, bytes, time])
      return
    }
    if (command === 4) this.networks = []
    this.request = command
    this.deadline = now + time
    this.write(bytes)
  }

  #changeState(value, now) {
    if (value.length !== 1 || value[0] > 4) throw new Malformed('the state')
    const before = this.state
    this.state = value[0]
    if (this.state === 1 && before !== 1) this.report({ event: 'authorize' })
    if (this.state >= 2 && !this.isOpen) {
      this.isOpen = true
      this.report({ event: 'opened', capabilities: (this.capabilities & 4 ? 1 : 0) | (this.capabilities & 1 ? 2 : 0) | (this.capabilities & 2 ? 4 : 0) })
    }
    if (this.state === 4 && this.request === 1 && now !== undefined) this.deadline = now + resultTime
    if (before === 3 && this.state < 3 && this.request === 1) this.#requestFailed(3)
  }

  #handleError(value) {
    if (value.length !== 1) throw new Malformed('the error')
    if (value[0] !== 0 && this.request !== null) this.#requestFailed(value[0])
  }

  #requestFailed(code) {
    const name = this.request
    this.request = null
    this.deadline = null
    const words = errorWords[code] ?? `error ${code}`
    if (name === 1) this.report({ event: 'network', status: { state: 'failed', words } })
    else this.report({ event: 'requestFailed', name, words })
  }

  #handleResult(value) {
    // A value of no bytes is what a result is before there is one.
    if (value.length === 0) return
    const { command, texts } = parseResult(value)
    if (command !== this.request) throw new Malformed('a result that nobody asked for')
    if (command === 1) return this.#joined(texts[0] ?? '')
    if (command === 4) return this.#scanned(texts)
    this.request = null
    this.deadline = null
    const [firmware = '', version = '', hardware = '', name = '', system = '', systemVersion = ''] = texts
    this.report({ event: 'information', information: { firmware, version, hardware, name, system, systemVersion } })
  }

  #scanned(texts) {
    if (texts.length % 3 !== 0) throw new Malformed('a result of networks')
    for (let at = 0; at < texts.length; at += 3) {
      const rssi = Number.parseInt(texts[at + 1], 10)
      const security = texts[at + 2] === 'NO' ? 'open' : texts[at + 2]
      if (!Number.isNaN(rssi) && this.networks.length < 64) {
        this.networks.push({ name: texts[at], ssid: utf8(texts[at]), rssi, security, needsPassword: security !== 'open' })
      }
    }
    this.request = null
    this.deadline = null
    this.networks.sort((left, right) => right.rssi - left.rssi)
    this.report({ event: 'networks', networks: this.networks })
  }

  #joined(page) {
    this.request = null
    this.deadline = null
    this.report({ event: 'network', status: { state: 'connected', name: this.name, reach: '', address: '', page } })
  }

  #guarded(step) {
    try {
      step()
    } catch (error) {
      this.#fail('malformed', `The device sent what Improv does not allow: ${error.message}.`)
    }
  }

  #fail(reason, words) {
    if (this.isOver) return
    this.isOver = true
    this.report({ event: 'failed', reason, words })
  }
}
