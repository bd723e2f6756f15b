import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { UploadRequest } from '../../contract.ts'
import { PspError } from '../../errors.ts'
import { asRecord } from '../../shared/raw-json.ts'
import type { BraintreeClient } from '../client.ts'
import { noResponse } from '../errors.ts'
import { EVIDENCE_LIMITS, MAX_PAGES } from '../evidence-limits.ts'
import { Refusal } from '../refusals.ts'
import { fileName, markOf } from './marks.ts'

type File = UploadRequest['file']

const STARTS: Readonly<Record<string, readonly number[]>> = {
  'application/pdf': [0x25, 0x50, 0x44, 0x46, 0x2d],
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
}

/**
 * Uploads a document as a piece of evidence. Repeating it is harmless: an unused one expires, and Braintree has no way
 * to look it up.
 */
export async function uploadFile(client: BraintreeClient, request: UploadRequest): Promise<{ fileReference: string }> {
  const { file, digest = request.idempotencyKey, owner } = request
  const mark = markOf({ digest, ...(owner !== undefined && { owner }) })
  checkFile(file)
  await sweep()
  try {
    const answer = await client.create((gateway) => {
      const folder = mkdtempSync(join(tmpdir(), PREFIX))
      try {
        const path = join(folder, fileName(file, mark))
        writeFileSync(path, file.data, { mode: 0o600 })
        // The SDK requires a stream, ignores it and synchronously reads the file at its path.
        const stream = Object.assign(new Readable({ read() {} }), { path })
        return gateway.documentUpload.create({ kind: 'evidence_document', file: stream })
      } finally {
        // Delete it at once: only a crash within these milliseconds leaves a file behind.
        rmSync(folder, { recursive: true, force: true })
      }
    })
    const id = asRecord(answer.documentUpload)?.id
    if (typeof id !== 'string' || id === '') throw noResponse('write')
    return { fileReference: id }
  } catch (error) {
    // An unreferenced document has no effect: an upload may always be repeated.
    if (error instanceof PspError && error.kind === 'outcome_unknown') throw noResponse('read')
    throw error
  }
}

const PREFIX = 'recoup-upload-'
const HOUR_MS = 3_600_000
let swept = ''

/**
 * Deletes files that a crashed process left, before this process' first upload; other processes upload concurrently.
 */
async function sweep(): Promise<void> {
  const place = tmpdir()
  if (swept === place) return
  swept = place
  const names = await readdir(place).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(PREFIX))) {
    const folder = join(place, name)
    try {
      const { mtimeMs } = await stat(folder)
      if (Date.now() - mtimeMs > HOUR_MS) await rm(folder, { recursive: true, force: true })
    } catch {
      // Deleted meanwhile, or owned by another user.
    }
  }
}

/** Rejects files that Braintree would refuse, before sending. @throws Refusal (invalid_request) */
export function checkFile({ type, data }: File): void {
  if (data.byteLength === 0) throw new Refusal(['84906'])
  const start = STARTS[type]
  if (start === undefined || !EVIDENCE_LIMITS.fileTypes.includes(type)) throw new Refusal(['84903'])
  if (data.byteLength > EVIDENCE_LIMITS.maxFileBytes) throw new Refusal(['84902'])
  if (start.some((byte, index) => data[index] !== byte)) throw new Refusal(['84904'])
  if (type !== 'application/pdf') return
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')
  if (/\/Encrypt\s+\d+\s+\d+\s+R/.test(text)) throw new Refusal(['84904'])
  // Pages inside compressed streams can't be counted here; Braintree counts them again.
  if ([...text.matchAll(/\/Type\s*\/Page(?![a-zA-Z])/g)].length > MAX_PAGES) throw new Refusal(['84905'])
}
