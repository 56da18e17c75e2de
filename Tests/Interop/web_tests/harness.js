// Tests, devices behind the server, and a Bluetooth whose GATT calls are replaced.

const tests = []

export const test = (title, body) => tests.push({ title, body })

export function expect(isTrue, words = '') {
  if (!isTrue) throw new Error(`not as expected ${words}`)
}

export function expectEqual(actual, expected) {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (left !== right) throw new Error(`${left} is not ${right}`)
}

export function expectThrows(body) {
  try {
    body()
  } catch {
    return
  }
  throw new Error('nothing was thrown')
}

// Seconds that a test may take: a limit that only a hang reaches.
const limit = 20

const hang = () => new Promise((_, reject) => setTimeout(() => reject(new Error(`it hangs; the page: ${document.body.innerText}`)), limit * 1000))

export async function runTests() {
  const results = []
  for (const { title, body } of tests) {
    try {
      const words = await Promise.race([body(), hang()])
      results.push({ title, passed: true, words: words ? ` (${words})` : '' })
    } catch (error) {
      results.push({ title, passed: false, words: `: ${error.stack}` })
    }
  }
  await fetch('/result', { method: 'POST', body: JSON.stringify(results) })
}

let lastDevice = 0

// A device of secure_peer.py. `lines` sends lines and gives those of the answer.
export class PeerDevice {
  static async make(options = {}) {
    const device = new PeerDevice()
    device.number = lastDevice += 1
    const all = { id: 'a0'.repeat(16), suites: [1, 2], digits: '39284756', ...options }
    const [info] = await device.lines(`new ${JSON.stringify(all)}`)
    device.info = info.split(' ')[1]
    return device
  }

  async lines(...lines) {
    const answer = await fetch('/device', { method: 'POST', body: lines.map((line) => `${this.number} ${line}`).join('\n') })
    return (await answer.text()).split('\n').filter((line) => line !== '')
  }
}

class FakeCharacteristic extends EventTarget {
  constructor(calls) {
    super()
    Object.assign(this, calls)
  }

  notify(bytes) {
    this.value = new DataView(bytes.slice().buffer)
    this.dispatchEvent(new Event('characteristicvaluechanged'))
  }

  async startNotifications() {
    this.isNotifying = true
    return this
  }

  async readValue() {
    return new DataView((await this.read()).slice().buffer)
  }

  async writeValueWithResponse(bytes) {
    await this.write(bytes)
  }
}

// A device as Web Bluetooth has it. `services` are objects of characteristics by UUID: `{ read, write }`.
export class FakeBluetoothDevice extends EventTarget {
  constructor(name, services) {
    super()
    this.name = name
    this.isConnected = false
    this.characteristics = {}
    const missing = () => Object.assign(new Error('not found'), { name: 'NotFoundError' })
    const getPrimaryService = async (uuid) => {
      if (services[uuid] === undefined) throw missing()
      return {
        getCharacteristic: async (name) => {
          const calls = services[uuid][name]
          if (calls === undefined) throw missing()
          return (this.characteristics[name] ??= new FakeCharacteristic(calls))
        },
      }
    }
    this.gatt = {
      connect: async () => {
        this.isConnected = true
        return { getPrimaryService }
      },
      disconnect: () => {
        if (!this.isConnected) return
        this.isConnected = false
        this.dispatchEvent(new Event('gattserverdisconnected'))
      },
    }
  }
}

// Waits until `condition` gives something.
export async function until(condition) {
  for (;;) {
    const answer = condition()
    if (answer) return answer
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
