import { constants, deflateRawSync, deflateSync } from 'node:zlib'

const MEGABYTE = 1024 * 1024

/** Deflated zeros, without holding them in memory: one flushed megabyte (1 KB), repeated. */
export function deflatedZeros(megabytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(MEGABYTE), { finishFlush: constants.Z_FULL_FLUSH, level: 9 })
  const check = Buffer.alloc(4)
  // Adler-32 of n zeros: the first sum stays 1, the second is n.
  check.writeUInt16BE((megabytes * MEGABYTE) % 65_521, 0)
  check.writeUInt16BE(1, 2)
  return Buffer.concat([Buffer.from([0x78, 0xda]), ...Array(megabytes).fill(block), Buffer.from([3, 0]), check])
}

export const deflated = (text: string | Buffer) =>
  deflateSync(typeof text === 'string' ? Buffer.from(text, 'latin1') : text, { level: 9 })
