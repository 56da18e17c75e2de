// ML-KEM-768, where the browser has it.

const name = 'ML-KEM-768'

export async function generateKEM() {
  try {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(name, true, ['encapsulateBits', 'decapsulateBits'])
    const ek = new Uint8Array(await crypto.subtle.exportKey('raw-public', publicKey))
    const decapsulate = async (ct) => new Uint8Array(await crypto.subtle.decapsulateBits(name, privateKey, ct))
    return ek.length === 1184 ? { ek, decapsulate } : null
  } catch {
    return null
  }
}
