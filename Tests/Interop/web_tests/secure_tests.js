// SecureApp against secure_peer.py's device.

import { concat, fromHex, hex, utf8 } from '../provision/bytes.js'
import { parseCode } from '../provision/code.js'
import { Assembler, earlyLimit, fragments, message, parseInfo } from '../provision/framing.js'
import { generateKEM } from '../provision/kem.js'
import { Direction } from '../provision/records.js'
import { SecureApp } from '../provision/secure.js'
import { PeerDevice, expect, expectEqual, expectThrows, test } from './harness.js'

// An app and a device with a wire between them; `change` alters, drops or repeats what passes.
class Pair {
  constructor(device, options = {}) {
    this.device = device
    this.change = options.change ?? ((direction, value) => [value])
    this.events = []
    this.written = []
    this.now = 0
    this.app = new SecureApp({
      code: { digits: '39284756' }, ...options.app, send: (value) => this.written.push(value), report: (event) => this.events.push(event),
    })
  }

  async open() {
    await this.app.begin(fromHex(this.device.info), this.now)
    return this.run()
  }

  async run() {
    while (this.written.length > 0) {
      for (const value of this.change('w', this.written.shift())) {
        for (const line of await this.device.lines(`w ${hex(value)}`)) {
          const [word, rest] = line.split(' ')
          if (word !== 'n') continue
          for (const notified of this.change('n', fromHex(rest))) await this.app.notified(notified, this.now)
        }
      }
    }
    return this
  }

  said(event) {
    return this.events.filter((said) => said.event === event)
  }

  get failure() {
    return this.said('failed')[0]?.reason
  }
}

test('A session opens with digits and with a secret, and short and long values', async () => {
  const secret = '000102030405060708090a0b0c0d0e0f'
  for (const options of [{}, { secret, digits: undefined }]) {
    const code = options.secret ? { secret: fromHex(secret) } : { digits: '39284756' }
    for (const limit of [20, 180, 512]) {
      const pair = await new Pair(await PeerDevice.make({ ...options, limit }), { app: { code, limit } }).open()
      expectEqual(pair.said('opened').length, 1)
      expectEqual(pair.said('network')[0].status, { state: 'idle' })
    }
  }
})

test('The browser\'s ML-KEM opens suite 01', async () => {
  if ((await generateKEM()) === null) {
    const pair = await new Pair(await PeerDevice.make({ suites: [1] })).open()
    expectEqual(pair.failure, 'unsupported')
    return 'this browser has none: suite 02 alone was run'
  }
  const pair = await new Pair(await PeerDevice.make({ suites: [1] })).open()
  expectEqual(pair.said('opened')[0].postQuantum, true)
})

test('The app\'s side makes the bytes of the page\'s transcripts', async () => {
  const transcripts = await (await fetch('/fixtures/secure_transcript.json')).json()
  const left = []
  for (const suite of ['classical', 'hybrid']) {
    const values = transcripts[suite]
    const kem = async () => {
      if (suite === 'classical') return null
      const key = await crypto.subtle.importKey('raw-seed', fromHex(values.seed), 'ML-KEM-768', false, ['decapsulateBits'])
      const decapsulate = async (ct) => new Uint8Array(await crypto.subtle.decapsulateBits('ML-KEM-768', key, ct))
      return { ek: fromHex(values.hello).slice(52), decapsulate }
    }
    if (suite === 'hybrid' && (await generateKEM()) === null) {
      left.push('the hybrid one was left out: this browser has no ML-KEM')
      continue
    }
    const [sent, events] = [[], []]
    const app = new SecureApp({
      code: { digits: '31415926' }, limit: 512, random: (name) => fromHex(values[name]), kem,
      send: (value) => sent.push(value), report: (event) => events.push(event),
    })
    const whole = () => sent.splice(0).map((value) => hex(value.slice(value[0] & 0x80 ? 3 : 1))).join('')
    await app.begin(fromHex(values.INFO), 0)
    expectEqual(whole(), values.hello)
    for (const value of fragments(fromHex(values.reply), 100)) await app.notified(value, 0)
    expectEqual(whole(), values.finish)
    for (const value of fragments(fromHex(values.record), 100)) await app.notified(value, 0)
    expectEqual(events.map((event) => event.event), ['opened', 'network'])
  }
  return left.join()
})

test('Responses that nobody asked for, empty ones and bodies that do not hold end the session', async () => {
  const { classical: values } = await (await fetch('/fixtures/secure_transcript.json')).json()
  for (const [plain, reason] of [['010000', undefined], ['020000', 'malformed'], ['', 'malformed'], ['01', 'malformed'],
    ['010004', 'malformed'], ['01000000', 'malformed'], ['01000201', 'malformed'], ['0006737461747573', 'malformed'],
    ['000673746174757301', undefined], ['0007737461747573', 'malformed'], ['00015a', 'malformed'], ['0104', undefined]]) {
    const events = []
    const app = new SecureApp({
      code: { digits: '31415926' }, random: (name) => fromHex(values[name]), kem: async () => null, send: () => undefined, report: (event) => events.push(event),
    })
    await app.begin(fromHex(values.INFO), 0)
    for (const value of fragments(fromHex(values.reply), 100)) await app.notified(value, 0)
    const head = Uint8Array.of(0x41, 0, plain.length / 2 + 16)
    const record = concat(head, new Direction(fromHex(values.d2a)).seal(head, fromHex(plain)))
    for (const value of fragments(record, 100)) await app.notified(value, 0)
    expectEqual([plain, events.find((event) => event.event === 'failed')?.reason], [plain, reason])
  }
})

test('Networks come in pages, and a wrong password, a right one and a hidden network are told apart', async () => {
  const pair = await new Pair(await PeerDevice.make({ suites: [2], greatest: 256 })).open()
  pair.app.scan(0)
  await pair.app.chain
  await pair.run()
  const [{ networks }] = pair.said('networks')
  expectEqual(networks.length, 40)
  expectEqual([networks[0].name, networks[0].rssi, networks[0].security, networks[0].needsPassword], ['network 0', -40, 'WPA2', true])
  expectEqual([networks[2].name, networks[2].security, networks[2].needsPassword], ['Home', 'open', false])
  expectEqual([networks[3].name, networks[3].security], ['Cafe é', 'protected'])
  expectEqual(hex(networks[1].ssid), 'fffe')
  for (const [password, state] of [['wrong password', 'failed'], ['right password', 'connected']]) {
    pair.events.length = 0
    await pair.app.join(utf8('Home'), utf8(password), true, 0)
    await pair.run()
    expectEqual(pair.said('network').map((event) => event.status.state), ['connecting', state])
    expectEqual(pair.said('done').length, 1)
  }
  expectEqual(pair.said('network')[1].status.address, '192.0.2.7')
  await pair.app.information(0)
  await pair.run()
  expectEqual(pair.said('information')[0].information.firmware, 'secure_peer')
})

test('A wrong code opens nothing, and sends nothing that tests it further', async () => {
  const pair = await new Pair(await PeerDevice.make({ suites: [2] }), { app: { code: { digits: '39284757' } } }).open()
  expectEqual([pair.failure, pair.said('opened').length], ['wrongCode', 0])
  expectEqual(pair.app.nextDeadline, null)
})

test('Each altered byte of hello, reply and finish is noticed', async () => {
  for (const [type, direction, length] of [[0x30, 'w', 55], [0x31, 'n', 70], [0x32, 'w', 60]]) {
    for (let at = 0; at < length; at += 3) {
      const device = await PeerDevice.make({ suites: [2], limit: 512 })
      const change = (way, value) => {
        if (way === direction && value[3] === type && at < value.length) {
          value = Uint8Array.from(value)
          value[at] ^= 1
        }
        return [value]
      }
      const pair = await new Pair(device, { app: { limit: 512 }, change }).open()
      expect(pair.failure !== undefined || pair.said('network').length === 0, `${type} ${at}`)
      expect(type === 0x32 || pair.said('opened').length === 0, `${type} ${at}`)
    }
  }
})

test('Records that are altered, repeated or swapped end the session', async () => {
  const changes = [
    (value) => [Uint8Array.from(value, (byte, at) => (at === value.length - 1 ? byte ^ 1 : byte))], (value) => [value, value],
  ]
  for (const change of changes) {
    const device = await PeerDevice.make({ suites: [2], limit: 512 })
    const pair = await new Pair(device, { app: { limit: 512 }, change: (way, value) => (way === 'n' && value[3] === 0x41 ? change(value) : [value]) }).open()
    expectEqual(pair.failure, 'malformed')
  }
})

test('INFO that was altered opens nothing, and another device_id is refused before anything is sent', async () => {
  const altered = await PeerDevice.make({ suites: [1, 2] })
  // Somebody takes suite 01 off the list.
  altered.info = altered.info.replace('02077f020102', '02077f0102')
  const pair = await new Pair(altered).open()
  expect(altered.info.startsWith('02077f0102'), altered.info)
  expectEqual([pair.said('opened').length, pair.failure], [0, 'wrongCode'])
  const other = new Pair(await PeerDevice.make(), { app: { id: new Uint8Array(16) } })
  await other.app.begin(fromHex(other.device.info), 0)
  expectEqual([other.failure, other.written.length], ['otherDevice', 0])
})

test('INFO of wrong lengths, versions and suites is refused', () => {
  const good = '02077f020102000800' + 'a0'.repeat(16)
  expectEqual(parseInfo(fromHex(good)).suites, [1, 2])
  expectEqual(parseInfo(fromHex(good + 'ff')).greatest, 2048)
  for (const bad of [
    `01${good.slice(2)}`, good.slice(0, -2), '02077f00000800' + 'a0'.repeat(16), '02077f09' + '02'.repeat(9) + '000800' + 'a0'.repeat(16),
    good.replace('000800', '0000ff'), good.replace('000800', '001001'), good.replace('000800', '0004d3'), good + '00'.repeat(60),
  ]) expectThrows(() => parseInfo(fromHex(bad)))
})

test('Errors of the device reach the person in words, with the time to wait', async () => {
  const device = await PeerDevice.make({ suites: [2] })
  await device.lines('pairing 0')
  expectEqual((await new Pair(device).open()).failure, 'refused')
  const tried = await PeerDevice.make({ suites: [2] })
  await new Pair(tried, { app: { code: { digits: '11223355' } } }).open()
  await tried.lines('disconnect')
  const locked = await new Pair(tried).open()
  expectEqual(locked.failure, 'locked')
  expect(locked.said('failed')[0].words.includes('1 s'))
})

test('A device that says nothing, or half a message, is given up in time', async () => {
  const silent = new Pair(await PeerDevice.make({ suites: [2] }), { change: (way, value) => (way === 'w' ? [value] : []) })
  await silent.open()
  expectEqual(silent.app.nextDeadline, 10_000)
  await silent.app.passTime(9_999)
  expectEqual(silent.failure, undefined)
  await silent.app.passTime(10_000)
  expectEqual(silent.failure, 'timedOut')
  const half = new Pair(await PeerDevice.make({ suites: [2] }), { change: (way, value) => (way === 'w' || value[0] & 0x80 ? [value] : []) })
  await half.open()
  await half.app.notified(fromHex('800009310006'), 0)
  expectEqual(half.app.nextDeadline ?? 0, half.failure ? 0 : 5_000)
})

test('Fragments are joined at all lengths, and refused where messages are mixed', () => {
  const whole = message(0x41, new Uint8Array(300))
  for (let limit = 4; limit < 320; limit += 1) {
    const assembler = new Assembler()
    const messages = fragments(whole, limit).map((value) => assembler.add(value, earlyLimit, 0)).filter((message) => message !== null)
    expectEqual(messages.map(hex), [hex(whole)])
  }
  const good = fragments(whole, 100)
  for (const bad of [
    [fromHex('')], [good[1]], [good[0], good[0]], [good[0], good[2]], [good[0], Uint8Array.of(1)], [fromHex('c00002400000')],
    [fromHex('c0ffff400000')], [fromHex('c00003400001')], [fromHex('c00004400000')], [fromHex('800003400000')], [fromHex('c10003400000')],
  ]) {
    const assembler = new Assembler()
    expectThrows(() => bad.forEach((value) => assembler.add(value, earlyLimit, 0)))
  }
})

test('Codes are digits or the text of a QR code, and nothing else', () => {
  const id = '0123456789abcdef0123456789abcdef'
  const text = `latchkey:v2?id=${id}&name=Lamp%20%C3%A9&secret=AAECAwQFBgcICQoLDA0ODw&protocols=secure,improv`
  expectEqual(parseCode(' 3928 4756 ').code, { digits: '39284756' })
  const { code, id: bytes, name } = parseCode(text)
  expectEqual([hex(code.secret), hex(bytes), name], ['000102030405060708090a0b0c0d0e0f', id, 'Lamp é'])
  expectEqual(parseCode(text.replace(/secret=[^&]+/, 'pin=39284756')).code, { digits: '39284756' })
  for (const bad of [
    '1234567', '12345678901234567', 'abcdefgh', text.replace('v2', 'v3'), text.replace(id, id.toUpperCase()), text.replace('secure', 'improv'),
    text.replace(/secret=[^&]+/, 'secret=AAEC'), text.replace(/secret=[^&]+/, 'pin=1234'), text.replace('%C3', '%C'), `${text}&more=1`,
  ]) expectThrows(() => parseCode(bad))
})
