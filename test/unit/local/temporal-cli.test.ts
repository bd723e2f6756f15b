import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  builtCli,
  downloadedCli,
  findTemporalCli,
  type Surroundings,
  sdkDownloadName,
  temporalCache,
} from '../../../local/temporal/cli.ts'

const machine = mkdtempSync(join(tmpdir(), 'recoup-finder-'))
afterEach(() => rmSync(machine, { recursive: true, force: true }))

function around(env: NodeJS.ProcessEnv = {}): Surroundings {
  return {
    env: { PATH: join(machine, 'bin'), ...env },
    home: join(machine, 'home'),
    temporary: join(machine, 'tmp'),
  }
}

function fakeCli(path: string, script = 'echo "temporal version 9.9.9"'): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

describe('finding the Temporal server', () => {
  test('returns null if there is none on the machine', async () => {
    expect(await findTemporalCli(around())).toBeNull()
  })

  test('checks TEMPORAL_CLI_PATH, PATH, the caches of builds and downloads, and the SDK in this order', async () => {
    const cache = temporalCache(around())
    const places: [string, string][] = [
      [join(machine, 'tmp', sdkDownloadName()), "the SDK's download"],
      [downloadedCli(cache), 'cache'],
      [builtCli(cache), 'cache'],
      [join(machine, 'bin', 'temporal'), 'PATH'],
    ]
    for (const [path, origin] of places) {
      fakeCli(path)
      expect(await findTemporalCli(around())).toEqual({ path, origin, version: 'temporal version 9.9.9' })
    }
    const named = fakeCli(join(machine, 'elsewhere', 'my-temporal'))
    expect(await findTemporalCli(around({ TEMPORAL_CLI_PATH: named }))).toMatchObject({
      path: named,
      origin: 'TEMPORAL_CLI_PATH',
    })
  })

  test('the cache follows XDG_CACHE_HOME', async () => {
    const env = { XDG_CACHE_HOME: join(machine, 'xdg') }
    const path = fakeCli(builtCli(join(machine, 'xdg', 'recoup', 'temporal')))
    expect(await findTemporalCli(around(env))).toMatchObject({ path })
  })

  test('skips a file that does not run', async () => {
    fakeCli(join(machine, 'bin', 'temporal'), 'exit 1')
    const path = fakeCli(builtCli(temporalCache(around())))
    expect(await findTemporalCli(around())).toMatchObject({ path })
  })

  test('a TEMPORAL_CLI_PATH that does not run is an error that names it', async () => {
    const env = { TEMPORAL_CLI_PATH: join(machine, 'missing') }
    await expect(findTemporalCli(around(env))).rejects.toThrow(/TEMPORAL_CLI_PATH is .*missing.*correct or unset it/)
  })
})
