import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export type Entry = [kind: string, value: unknown]

/**
 * The state of a simulator on disk: one JSON line per record, the last line of a record wins. Lines reach the kernel
 * before an answer leaves, so a killed process loses nothing that a client saw; a torn last line is skipped.
 */
export interface Journal {
  add(kind: string, value: unknown): void
  flush(): void
  /** True when the file has grown enough since the last rewrite. */
  bloated(): boolean
  /** Replaces the whole file, atomically. */
  rewrite(entries: Iterable<Entry>): void
  close(): void
}

const REWRITE_AFTER_BYTES = 32 * 1024 * 1024

export function readEntries(file: string): Entry[] {
  if (!existsSync(file)) return []
  const entries: Entry[] = []
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue
    try {
      entries.push(JSON.parse(line) as Entry)
    } catch {
      // The process crashed while it wrote this line, before any response.
    }
  }
  return entries
}

export function openJournal(file: string): Journal {
  mkdirSync(dirname(file), { recursive: true })
  let handle = openSync(file, 'a')
  let waiting: string[] = []
  let appended = 0
  let base = 0
  let closed = false

  function flush(): void {
    if (closed || waiting.length === 0) return
    const text = waiting.join('')
    waiting = []
    appended += text.length
    writeAll(handle, text)
  }
  return {
    add(kind, value) {
      waiting.push(`${JSON.stringify([kind, value])}\n`)
    },
    flush,
    bloated: () => appended > REWRITE_AFTER_BYTES + base,
    rewrite(entries) {
      waiting = []
      const fresh = `${file}.new`
      const target = openSync(fresh, 'w')
      base = 0
      for (const entry of entries) {
        const line = `${JSON.stringify(entry)}\n`
        base += line.length
        writeAll(target, line)
      }
      fsyncSync(target)
      closeSync(target)
      renameSync(fresh, file)
      closeSync(handle)
      handle = openSync(file, 'a')
      appended = 0
    },
    close() {
      if (closed) return
      flush()
      // Requests released at shutdown may still arrive here.
      closed = true
      closeSync(handle)
    },
  }
}

function writeAll(handle: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done)
}
