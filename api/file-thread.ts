import { parentPort } from 'node:worker_threads'
import type { FilePurpose } from '../db/files.ts'
import { addressesIn } from '../domain/addresses.ts'
import { ApiError } from './errors.ts'
import { checkFile, type FileType } from './file-checks.ts'

/** What `inspectFile` starts: checks one file after the other beside the event loop. */

export interface Asked {
  content: Uint8Array
  purpose: FilePurpose
  /** Addresses wanted at the utmost. */
  most: number
}

export type Told =
  | { type: FileType; addresses: string[] }
  | { refused: Pick<ApiError, 'status' | 'code' | 'message'> }
  | { failed: unknown }

/** Characters looked through at once: `addressesIn` holds some copies of what it is given. */
const PART = 1_000_000
/** Longer than any address. */
const EDGE = 1_000

/** The text in parts that end at white space, unless there is none near. */
export function* parts(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const near = text.slice(at + PART - EDGE, at + PART)
    const space = text.length - at > PART ? near.search(/\s\S*$/) : -1
    const end = at + (space < 0 ? PART : PART - EDGE + space)
    yield text.slice(at, end)
    at = end
  }
}

async function inspect({ content, purpose, most }: Asked): Promise<Told> {
  const addresses = new Set<string>()
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  try {
    const type = await checkFile(bytes, purpose, (text) => {
      for (const part of parts(text))
        if (addresses.size < most) for (const address of addressesIn(part, most)) addresses.add(address)
    })
    return { type, addresses: [...addresses] }
  } catch (error) {
    if (!(error instanceof ApiError)) return { failed: error }
    const { status, code, message } = error
    return { refused: { status, code, message } }
  }
}

parentPort?.on('message', async (asked: Asked) => parentPort?.postMessage(await inspect(asked)))
parentPort?.postMessage('ready')
