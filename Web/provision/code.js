// What a person enters: digits, or the text of a QR code (SecureProtocol.md, "The text of a QR code").

import { fromBase64URL, fromHex } from './bytes.js'

// `{ code, id, name }`, where id and name are null for digits; an error whose message is for people.
export function parseCode(text) {
  const trimmed = text.trim()
  if (trimmed.startsWith('latchkey:')) return parseQRText(trimmed)
  const digits = trimmed.replaceAll(/[ -]/g, '')
  if (!/^[0-9]{8,16}$/.test(digits)) throw new Error('The code has 8 to 16 digits. You can also paste the text of a QR code.')
  return { code: { digits }, id: null, name: null }
}

function parseQRText(text) {
  const unfit = new Error('This is no text of a Latchkey QR code, or a part of it is missing.')
  const match = /^latchkey:v2\?id=([0-9a-f]{32})&name=([^&]+)&(secret|pin)=([^&]+)&protocols=([a-z,]+)$/.exec(text)
  if (match === null || text.length > 400) throw unfit
  const [, id, name, kind, value, protocols] = match
  try {
    const code = kind === 'pin' ? { digits: value } : { secret: fromBase64URL(value) }
    const isFit = kind === 'pin' ? /^[0-9]{8,16}$/.test(value) : code.secret.length >= 16 && code.secret.length <= 64
    if (!isFit || protocols.split(',')[0] !== 'secure') throw unfit
    return { code, id: fromHex(id), name: decodeURIComponent(name) }
  } catch {
    throw unfit
  }
}
