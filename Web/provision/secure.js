// The app's side of the secure protocol, without a radio or a clock: it takes what the device sends and the time in milliseconds, and
// calls `send` with values for TX and `report` with events:
//
//   opened { postQuantum, capabilities }   networks { networks }   network { status }   information { information }   done
//   requestFailed { words }                failed { reason, words }: the session is over, nothing follows
//
// It keeps no tickets: a returning user enters the code again.

import { Malformed, concat, equal } from './bytes.js'
import { Assembler, earlyLimit, fragments, parseInfo } from './framing.js'
import { Handshake, WrongCode } from './handshake.js'
import { generateKEM } from './kem.js'
import { encodeConfig, encodeRequest, parseInformation, parseScan, parseStatus, statusWords } from './requests.js'

const replyTime = 10_000
const responseTime = 30_000

const errorWords = {
  1: 'The device speaks another version of the protocol.', 2: 'The device could not read what this page sent.',
  3: 'The code is wrong, or this is not the device that it belongs to.', 5: 'The device serves somebody else. Try again in a moment.',
  6: 'The device does not remember this page.',
  7: 'The device lets nobody in at the moment. Press its button, or switch it off and on, and try again.',
  8: 'The device has ended the session.',
}

const systemRandom = (_, length) => crypto.getRandomValues(new Uint8Array(length))

export class SecureApp {
  // `code`: `{ digits }` or `{ secret }`. `id`: what a QR code says of the device, or null. `limit`: the longest value to send.
  constructor({ code, id = null, limit = 180, random = systemRandom, kem = generateKEM, send, report }) {
    Object.assign(this, { code, id, limit, random, kem, send, report })
    this.assembler = new Assembler()
    this.state = 'new'
    this.deadline = null
    this.request = null
    this.waiting = []
    this.lastID = 0
    this.chain = Promise.resolve()
  }

  // When `passTime` is due, or null.
  get nextDeadline() {
    const deadlines = [this.deadline, this.assembler.deadline].filter((deadline) => deadline !== null)
    return this.state === 'over' || deadlines.length === 0 ? null : Math.min(...deadlines)
  }

  // Begins on a link: INFO was read, RX is subscribed. It asks for the network's state with the handshake.
  begin(infoBytes, now) {
    return this.#inOrder(async () => {
      this.info = parseInfo(infoBytes)
      if (this.id !== null && !equal(this.id, this.info.id)) return this.#fail('otherDevice', 'This is another device than the one whose code you have.')
      const kem = this.info.suites.includes(1) ? await this.kem() : null
      if (kem === null && !this.info.suites.includes(2)) {
        return this.#fail('unsupported', 'The device asks for ML-KEM, which this browser lacks.')
      }
      this.handshake = await Handshake.begin(this.info, this.code, kem, this.random)
      this.state = 'greeting'
      this.deadline = now + replyTime
      this.#sendMessage(this.handshake.hello)
    })
  }

  // The device notified a value on RX.
  notified(value, now) {
    return this.#inOrder(async () => {
      if (this.state === 'over') return
      const limit = this.state === 'open' ? this.info.greatest : earlyLimit
      const whole = this.assembler.add(value, limit, now)
      if (whole !== null) await this.#handle(whole, now)
    })
  }

  passTime(now) {
    return this.#inOrder(async () => {
      const deadline = this.nextDeadline
      if (deadline !== null && now >= deadline) this.#fail('timedOut', 'The device did not answer in time.')
    })
  }

  // The link has ended.
  disconnected() {
    return this.#inOrder(async () => {
      if (this.state !== 'over') this.#fail('disconnected', 'The connection to the device has ended.')
    })
  }

  scan(now) {
    return this.#inOrder(async () => this.#ask('scan', Uint8Array.of(0), now))
  }

  join(ssid, password, isHidden, now) {
    // Encoded at once: the caller may erase the password when this returns.
    const body = encodeConfig(ssid, password, isHidden)
    return this.#inOrder(async () => this.#ask('config', body, now))
  }

  identify(now) {
    return this.#inOrder(async () => this.#ask('identify', new Uint8Array(), now))
  }

  information(now) {
    return this.#inOrder(async () => this.#ask('info', new Uint8Array(), now))
  }

  // Each input waits for the one before: browsers' cryptography is asynchronous.
  #inOrder(step) {
    this.chain = this.chain.then(step).catch((error) => {
      if (error instanceof WrongCode) this.#fail('wrongCode', errorWords[3])
      else this.#fail('malformed', `The device sent what the protocol does not allow: ${error.message}.`)
    })
    return this.chain
  }

  async #handle(whole, now) {
    const type = whole[0]
    if (type === 0x7f) return this.#handleError(whole)
    if (type === 0x31 && this.state === 'greeting') {
      const { finish, sending, receiving } = await this.handshake.finish(whole, this.#next('status', new Uint8Array(), now))
      Object.assign(this, { sending, receiving, state: 'open' })
      const postQuantum = this.handshake.kem !== null
      this.handshake = null
      this.code = null
      this.report({ event: 'opened', postQuantum, capabilities: this.info.capabilities })
      return this.#sendMessage(finish)
    }
    if (type !== 0x41 || this.state !== 'open') throw new Malformed('a message out of its place')
    const plain = this.receiving.unseal(whole.slice(0, 3), whole.slice(3))
    if (plain === null) throw new Malformed('a record that is not the device\'s')
    if (plain.length < 2) throw new Malformed('an empty record')
    if (plain[0] === 0) return this.#handlePush(plain)
    this.#handleResponse(plain, now)
    if (this.request === null && this.waiting.length > 0) this.#ask(...this.waiting.shift(), now)
  }

  #handlePush(plain) {
    const length = plain[1]
    const name = new TextDecoder().decode(plain.slice(2, 2 + length))
    if (plain.length < 2 + length || !/^[a-z0-9_.-]{1,32}$/.test(name)) throw new Malformed('the name of a push')
    if (name === 'status') this.report({ event: 'network', status: parseStatus(plain.slice(2 + length)) })
  }

  #handleResponse(plain, now) {
    if (this.request === null || plain[0] !== this.lastID) throw new Malformed('a response that nobody asked for')
    const name = this.request
    const [status, body] = [plain[1], plain.slice(2)]
    this.request = null
    this.deadline = null
    if (status !== 0) {
      const said = body.length <= 128 ? new TextDecoder().decode(body) : ''
      const words = statusWords[status] ?? `error ${status}`
      return this.report({ event: 'requestFailed', name, words: said === '' ? words : `${words}: ${said}` })
    }
    if (name === 'scan') {
      const page = parseScan(body)
      if (page.start !== this.networks.length) throw new Malformed('the start of a page')
      this.networks.push(...page.networks)
      if (this.networks.length < page.total) return this.#ask('scan', Uint8Array.of(this.networks.length), now)
      return this.report({ event: 'networks', networks: this.networks })
    }
    if (name === 'status') return this.report({ event: 'network', status: parseStatus(body) })
    if (name === 'info') return this.report({ event: 'information', information: parseInformation(body) })
    this.report({ event: 'done', name })
  }

  #handleError(whole) {
    const code = whole[3]
    if (whole.length !== (code === 4 ? 6 : 4) || code < 1 || code > 8) throw new Malformed('an error without a valid form')
    if (code !== 4) return this.#fail(code === 3 ? 'wrongCode' : 'refused', errorWords[code])
    const seconds = (whole[4] << 8) | whole[5]
    this.#fail('locked', seconds === 0xffff
      ? 'Too many wrong codes: the device waits until somebody presses its button.'
      : `Too many tries: the device lets the next one in after ${seconds} s.`)
  }

  // One request at a time is under way; the others wait.
  #ask(name, body, now) {
    if (this.state !== 'open') return
    if (this.request !== null) {
      if (this.waiting.length < 8) this.waiting.push([name, body])
      return
    }
    if (name === 'scan' && body[0] === 0) this.networks = []
    const plain = this.#next(name, body, now)
    const head = Uint8Array.of(0x40, (plain.length + 16) >> 8, (plain.length + 16) & 0xff)
    this.#sendMessage(concat(head, this.sending.seal(head, plain)))
    plain.fill(0)
    body.fill(0)
  }

  #next(name, body, now) {
    this.lastID = (this.lastID % 255) + 1
    this.request = name
    this.deadline = now + responseTime
    return encodeRequest(this.lastID, name, body)
  }

  #sendMessage(whole) {
    for (const value of fragments(whole, this.limit)) this.send(value)
  }

  #fail(reason, words) {
    if (this.state === 'over') return
    this.state = 'over'
    this.sending?.erase()
    this.receiving?.erase()
    this.handshake?.scalar.fill(0)
    this.handshake = null
    this.code = null
    this.report({ event: 'failed', reason, words })
  }
}
