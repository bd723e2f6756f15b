import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createFileProcesses } from '../../../files/processes.ts'
import { HOSTILE_FILES, hostileFiles } from '../../faults/hostile/corpus.ts'
import type { HostileFile } from '../../faults/hostile/hostile-file.ts'

/** One of each kind, about. A tenth at a real API: `npm run test:full`; all: `npm run torture -- hostile --part files`. */
const NTH = 37
/** Seconds less than the API gives, so that it takes no minute. */
const LIMITS = { processes: 2, cpuMs: 1_000, wallMs: 60_000, waitMs: 600_000 }

describe('the corpus of hostile files', () => {
  test('has two hundred at least, a few megabytes each at most, the same bytes each time', () => {
    expect(HOSTILE_FILES).toBeGreaterThanOrEqual(200)
    const made = () =>
      [...hostileFiles({ nth: NTH })].map(({ name, content }) => {
        expect(content.length, name).toBeLessThanOrEqual(6_291_456)
        return [name, createHash('sha256').update(content).digest('hex')]
      })
    expect(made()).toEqual(made())
  })

  test('a part of it is accepted or refused, each file in its process, and this one is as large as before', async () => {
    await using files = createFileProcesses({ ...LIMITS, log: { warn() {} } })
    const wrong: string[] = []
    const inspect = async ({ name, purpose, content, expected }: HostileFile) => {
      const input = { content, purpose, mostAddresses: 1_000 }
      const end = await files.run({ job: 'inspect', account: name, input }).then(
        (found) => ('refused' in found ? 'refused' : 'accepted'),
        (error) => (error.name === 'FileKilled' ? 'refused' : String(error)),
      )
      if (end !== 'refused' && (end !== 'accepted' || expected === 'refused')) wrong.push(`${name}: ${end}`)
    }
    const work = hostileFiles({ nth: NTH })
    const before = process.memoryUsage.rss()
    await Promise.all(
      [0, 1].map(async () => {
        for (const file of work) await inspect(file)
      }),
    )
    expect(wrong).toEqual([])
    expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 * 1024)
  }, 240_000)
})
