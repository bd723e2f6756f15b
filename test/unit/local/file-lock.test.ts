import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { tryLock, withFileLock } from '../../../local/file-lock.ts'
import { processStamp } from '../../../local/processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'recoup-lock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const claim = (file: string, fields: object) => {
  const mine = { pid: process.pid, stamp: processStamp(process.pid), host: hostname(), token: 'another' }
  writeFileSync(file, JSON.stringify({ ...mine, ...fields }))
}

describe('file lock', () => {
  test('work under one lock never overlaps', async () => {
    const file = join(folder, 'overlap')
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await pause(20)
      inside--
    }
    await Promise.all([1, 2, 3, 4].map(() => withFileLock(file, work)))
    expect(most).toBe(1)
    expect(existsSync(file)).toBe(false)
  })

  test('is released when the work fails', async () => {
    const file = join(folder, 'failing')
    await expect(withFileLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(tryLock(file).held).toBe(true)
  })

  test('of a running process stays with it, and waiters are notified about the holder', async () => {
    const file = join(folder, 'held')
    claim(file, {})
    expect(tryLock(file)).toMatchObject({ held: false, holder: { pid: process.pid } })
    const holders: number[] = []
    const waiting = withFileLock(
      file,
      async () => 'done',
      (pid) => holders.push(pid),
    )
    await pause(150)
    rmSync(file)
    expect(await waiting).toBe('done')
    expect(holders).toEqual([process.pid])
  })

  test('of a process that ended is taken over', () => {
    const file = join(folder, 'dead')
    const { pid } = spawnSync('true')
    claim(file, { pid, stamp: '1' })
    expect(tryLock(file).held).toBe(true)
  })

  test('of an earlier process with the same id is taken over', () => {
    const file = join(folder, 'reused')
    claim(file, { stamp: 'long ago' })
    expect(tryLock(file).held).toBe(true)
  })

  test('of another machine is taken over only if it was not touched for a while', () => {
    const file = join(folder, 'elsewhere')
    claim(file, { host: 'another-machine', pid: 1 })
    expect(tryLock(file).held).toBe(false)
    const earlier = new Date(Date.now() - 60_000)
    utimesSync(file, earlier, earlier)
    expect(tryLock(file).held).toBe(true)
    expect(JSON.parse(readFileSync(file, 'utf8')).host).toBe(hostname())
  })
})
