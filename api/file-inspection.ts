import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FilePurpose } from '../db/files.ts'
import { MOST_ADDRESSES } from '../db/persons.ts'
import { ApiError } from './errors.ts'
import { type FileType, fileRefused } from './file-checks.ts'
import type { Asked, Told } from './file-thread.ts'
import { tooManyUploads } from './upload-form.ts'

/**
 * Checks files in a thread of their own, so that the event loop, and with it every other request, goes on whatever a
 * file does to its check. One thread, kept from the first file on: starting it takes some 0.3 s, an idle one 30 MB.
 */

/** A document of 6 MB takes less than one; a check that doesn't end is broken off, and its thread with it. */
const MOST_MS = 10_000
/** Both together are less than an Idempotency-Key's claim lasts: a second request must not store the file again. */
const MOST_WAIT_MS = 20_000
/** Memory of the thread beside its buffers. */
const HEAP_MB = 512

export interface Inspection {
  type: FileType
  /** E-mail addresses in what the file shows, as far as it can be read. */
  addresses: string[]
}

let thread: Promise<Worker> | undefined
let before: Promise<void> = Promise.resolve()

/** @throws ApiError as `checkFile`, and 503 when its turn doesn't come */
export function inspectFile(content: Buffer, purpose: FilePurpose, mostMs = MOST_MS): Promise<Inspection> {
  return new Promise((resolve, reject) => {
    let waiting = true
    const tired = setTimeout(() => {
      waiting = false
      reject(tooManyUploads())
    }, MOST_WAIT_MS)
    before = before.then(async () => {
      clearTimeout(tired)
      if (waiting) await inspect({ content, purpose, most: MOST_ADDRESSES }, mostMs).then(resolve, reject)
    })
  })
}

async function inspect(asked: Asked, mostMs: number): Promise<Inspection> {
  thread ??= startThread()
  const worker = await thread.catch((error) => {
    thread = undefined
    throw error
  })
  const stop = new AbortController()
  const late = setTimeout(() => stop.abort(), mostMs)
  try {
    worker.postMessage(asked)
    const [told] = (await once(worker, 'message', { signal: stop.signal })) as [Told]
    if ('refused' in told) throw new ApiError(told.refused.status, told.refused.code, told.refused.message)
    if ('failed' in told) throw told.failed
    return told
  } catch (error) {
    const outOfMemory = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    if (!stop.signal.aborted && !outOfMemory) throw error
    thread = undefined
    await worker.terminate()
    throw fileRefused('it takes too much to be looked through')
  } finally {
    clearTimeout(late)
  }
}

function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./file-thread-start.mjs', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  // Whoever waits for it is told by `once`; without anybody an error would end the process.
  worker.on('error', () => {})
  const ready = once(worker, 'message').then(() => {
    worker.unref()
    return worker
  })
  worker.on('exit', () => {
    if (thread === ready) thread = undefined
  })
  return ready
}
