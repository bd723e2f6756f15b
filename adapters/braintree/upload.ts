import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UploadRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { asRecord } from '../raw-json.ts'
import type { BraintreeClient } from './client.ts'
import { unanswered } from './errors.ts'
import { EVIDENCE_LIMITS, MAX_PAGES } from './evidence-limits.ts'
import { fileName } from './marks.ts'
import { Refusal } from './refusals.ts'

type File = UploadRequest['file']

const STARTS: Readonly<Record<string, readonly number[]>> = {
  'application/pdf': [0x25, 0x50, 0x44, 0x46, 0x2d],
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
}

/**
 * A document for one piece of evidence. Repeating it is harmless: an unused one expires by itself, and Braintree has
 * no question to ask whether it came through.
 */
export async function uploadFile(client: BraintreeClient, request: UploadRequest): Promise<{ fileReference: string }> {
  const { file } = request
  checkFile(file)
  const folder = await mkdtemp(join(tmpdir(), 'recoup-'))
  try {
    const path = join(folder, fileName(file))
    await writeFile(path, file.data, { mode: 0o600 })
    const answer = await client.create(async (gateway) => {
      // The SDK wants a stream, ignores it and reads the file behind its path in one piece.
      const stream = createReadStream(path)
      try {
        return await gateway.documentUpload.create({ kind: 'evidence_document', file: stream })
      } finally {
        stream.destroy()
      }
    })
    const id = asRecord(answer.documentUpload)?.id
    if (typeof id !== 'string' || id === '') throw unanswered('write')
    return { fileReference: id }
  } catch (error) {
    // A document that nobody refers to changes nothing: an upload may always be repeated.
    if (error instanceof PspError && error.kind === 'outcome_unknown') throw unanswered('read')
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What Braintree would refuse is refused before it is sent. @throws Refusal (invalid_request) */
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
