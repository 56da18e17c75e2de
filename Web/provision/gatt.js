// Web Bluetooth for the two protocols: finds a device, and carries values. `bluetooth` is navigator.bluetooth, or a test's.

import { infoUUID, rxUUID, service, txUUID } from './framing.js'
import { ImprovApp, improvService, improvUUIDs } from './improv.js'
import { SecureApp } from './secure.js'

export async function findDevice(bluetooth) {
  return bluetooth.requestDevice({ filters: [{ services: [service] }, { services: [improvService] }] })
}

const bytesOf = (view) => new Uint8Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength))

// Which protocol the device speaks: 'secure' wherever it offers that, else 'improv'; and the service.
export async function connect(device) {
  const server = await device.gatt.connect()
  try {
    return { kind: 'secure', gatt: await server.getPrimaryService(service) }
  } catch (error) {
    if (error.name !== 'NotFoundError') throw error
  }
  return { kind: 'improv', gatt: await server.getPrimaryService(improvService) }
}

// What both kinds of sessions need: values are written one after the other, timers follow the machine's deadline, and the end of the
// link reaches it.
class Link {
  constructor(device) {
    this.device = device
    this.writes = Promise.resolve()
    this.ended = () => this.#ended()
    device.addEventListener('gattserverdisconnected', this.ended)
  }

  write(characteristic, value) {
    this.writes = this.writes.then(() => characteristic.writeValueWithResponse(value)).catch(() => this.device.gatt.disconnect())
  }

  schedule() {
    clearTimeout(this.timer)
    const deadline = this.app.nextDeadline
    if (deadline === null) return
    this.timer = setTimeout(async () => {
      await this.app.passTime(performance.now())
      this.schedule()
    }, Math.max(0, deadline - performance.now()))
  }

  close() {
    this.device.removeEventListener('gattserverdisconnected', this.ended)
    clearTimeout(this.timer)
    // A frame that is on its way is written first.
    this.writes.then(() => this.device.gatt.disconnect())
  }

  #ended() {
    clearTimeout(this.timer)
    this.app.disconnected()
  }
}

// Opens a session, and gives an object with scan, join, identify, information and close.
export async function open(device, { kind, gatt }, { code, id, report }) {
  const link = new Link(device)
  await (kind === 'secure' ? openSecure(link, gatt, code, id, report) : openImprov(link, gatt, report))
  const call = async (action) => {
    await action(performance.now())
    link.schedule()
  }
  return {
    scan: () => call((now) => link.app.scan(now)),
    join: (ssid, password, isHidden) => call((now) => link.app.join(ssid, password, isHidden, now)),
    identify: () => call((now) => link.app.identify(now)),
    information: () => call((now) => link.app.information(now)),
    close: () => link.close(),
  }
}

async function openSecure(link, gatt, code, id, report) {
  const [info, tx, rx] = await Promise.all([infoUUID, txUUID, rxUUID].map((uuid) => gatt.getCharacteristic(uuid)))
  const app = new SecureApp({ code, id, send: (value) => link.write(tx, value), report })
  link.app = app
  const value = bytesOf(await info.readValue())
  rx.addEventListener('characteristicvaluechanged', async (event) => {
    await app.notified(bytesOf(event.target.value), performance.now())
    link.schedule()
  })
  await rx.startNotifications()
  await app.begin(value, performance.now())
  link.schedule()
}

async function openImprov(link, gatt, report) {
  const get = (name) => gatt.getCharacteristic(improvUUIDs[name])
  const [state, error, command, result] = await Promise.all(['state', 'error', 'command', 'result'].map(get))
  const capabilities = await get('capabilities').then((characteristic) => characteristic.readValue()).then(bytesOf, () => new Uint8Array())
  const app = new ImprovApp({ write: (value) => link.write(command, value), report })
  link.app = app
  for (const [name, characteristic] of [['error', error], ['result', result], ['state', state]]) {
    characteristic.addEventListener('characteristicvaluechanged', (event) => {
      app.notified(name, bytesOf(event.target.value), performance.now())
      link.schedule()
    })
    await characteristic.startNotifications()
  }
  app.begin(bytesOf(await state.readValue()), capabilities)
}
