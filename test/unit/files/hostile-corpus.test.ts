import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createFileProcesses } from '../../../files/processes.ts'
import { HOSTILE_FILES, hostileFiles } from '../../faults/hostile/corpus.ts'
import type { HostileFile } from '../../faults/hostile/hostile-file.ts'

/** About one of each kind. `hostile-uploads.test.ts` sends a tenth; `npm run torture -- hostile --part files` all. */
const NTH = 37
/** Some seconds less than in the API, so that the test takes less than a minute. */
const LIMITS = { processes: 2, cpuMs: 1_000, wallMs: 60_000, waitMs: 600_000 }

describe('the corpus of hostile files', () => {
  test('has at least two hundred files of at most a few megabytes, with the same bytes each time', () => {
    expect(HOSTILE_FILES).toBeGreaterThanOrEqual(200)
    const hashes = () =>
      [...hostileFiles({ nth: NTH })].map(({ name, content }) => {
        expect(content.length, name).toBeLessThanOrEqual(6_291_456)
        return [name, createHash('sha256').update(content).digest('hex')]
      })
    expect(hashes()).toEqual(hashes())
  })

  test('a part of it is accepted or refused in separate processes, and this process does not grow', async () => {
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
