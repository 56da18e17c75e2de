// ImprovApp against the bytes of the specification and of devices in the field.

import { fromHex, hex, utf8 } from '../provision/bytes.js'
import { ImprovApp, frame, parseResult } from '../provision/improv.js'
import { expect, expectEqual, expectThrows, test } from './harness.js'

class Run {
  constructor(state, capabilities = '07') {
    this.events = []
    this.written = []
    this.app = new ImprovApp({ write: (value) => this.written.push(hex(value)), report: (event) => this.events.push(event) })
    this.app.begin(fromHex(state), fromHex(capabilities))
  }

  notify(which, value, now = 0) {
    this.app.notified(which, fromHex(value), now)
    return this
  }

  get last() {
    return this.events.at(-1)
  }
}

test('Improv: frames are those of the specification', () => {
  expectEqual(hex(frame(1, utf8('MyWirelessAP'), utf8('mysecurepassword'))), '011e0c4d79576972656c6573734150106d7973656375726570617373776f7264c0')
  expectEqual(hex(frame(2)), '020002')
  expectEqual(hex(frame(3)), '030003')
  expectThrows(() => frame(1, new Uint8Array(32), new Uint8Array(250)))
})

test('Improv: a device that waits for its button says so, and opens when it was pressed', () => {
  const run = new Run('01')
  expectEqual(run.events, [{ event: 'authorize' }])
  run.app.scan(0)
  expectEqual(run.written, [])
  run.notify('state', '02')
  expectEqual(run.last.event, 'opened')
})

test('Improv: a join ends with its result, and the page of a device is shown whatever it is', () => {
  const run = new Run('02')
  run.app.join(utf8('Home'), utf8('secret123'), false, 0)
  run.notify('error', '00').notify('state', '03').notify('state', '04').notify('result', hex(frame(1, utf8('javascript:alert(1)'))))
  expectEqual(run.last.status, { state: 'connected', name: 'Home', reach: '', address: '', page: 'javascript:alert(1)' })
})

test('Improv: state 04 without a result has joined after two seconds', () => {
  const run = new Run('02')
  run.app.join(utf8('Home'), utf8('secret123'), false, 0)
  run.notify('state', '03').notify('state', '04', 1000)
  expectEqual(run.app.nextDeadline, 3000)
  run.app.passTime(3000)
  expectEqual(run.last.status.state, 'connected')
})

test('Improv: an error, or a state that goes back, is a failure, and the next try may follow', () => {
  for (const steps of [[['error', '03']], [['state', '03'], ['state', '02']], [['state', '03'], ['error', '03'], ['state', '02']]]) {
    const run = new Run('02')
    run.app.join(utf8('Home'), utf8('secret123'), false, 0)
    for (const [which, value] of steps) run.notify(which, value)
    expectEqual(run.events.filter((event) => event.status?.state === 'failed').length, 1)
    run.app.join(utf8('Home'), utf8('secret124'), false, 0)
    expectEqual(run.written.length, 2)
  }
})

test('Improv: networks are sorted by signal', () => {
  const run = new Run('02')
  run.app.scan(0)
  run.notify('result', hex(frame(4, utf8('Far'), utf8('-90'), utf8('NO'), utf8('Home'), utf8('-60'), utf8('WPA2'))))
  expectEqual(run.last.networks.map((network) => [network.name, network.rssi, network.security]), [['Home', -60, 'WPA2'], ['Far', -90, 'open']])
})

test('Improv: results that do not hold end the session, without a hang', () => {
  const good = '040e04486f6d65032d3630045750413253'
  expectEqual(parseResult(fromHex(good)).texts, ['Home', '-60', 'WPA2'])
  for (const bad of [good.slice(0, -2), `${good}00`, good.replace(/53$/, '54'), '04', '0401ff04', hex(frame(1, utf8('http://lamp'))), hex(frame(4, utf8('Home')))]) {
    const run = new Run('02')
    run.app.scan(0)
    run.notify('result', bad)
    expectEqual(run.last.reason, 'malformed')
    expectEqual(run.app.nextDeadline, null)
  }
  for (const state of ['', '05', '0202']) expect(new Run(state).last?.reason === 'malformed', state)
})

test('Improv: a device that never answers is given up', () => {
  const run = new Run('02')
  run.app.information(0)
  run.app.passTime(10_000)
  expectEqual(run.last.reason, 'timedOut')
})
