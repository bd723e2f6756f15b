import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { projectFolder, scriptArguments } from '../../../local/run-script.ts'

let machine: string
beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), 'recoup-fetch-'))
  mkdirSync(join(machine, 'bin'))
  mkdirSync(join(machine, 'tmp'))
})
afterEach(() => rmSync(machine, { recursive: true, force: true }))

/** A Go that takes two seconds, counts its runs and "builds" a program that prints its version, for its owner only. */
function fakeGo(version = 'go1.26.8'): void {
  const go = join(machine, 'bin', 'go')
  writeFileSync(
    go,
    `#!/bin/sh
if [ "$1" = env ]; then echo ${version}; exit 0; fi
echo run >> ${machine}/builds
echo "$GOTOOLCHAIN $CGO_ENABLED $*" > ${machine}/arguments
for i in 1 2 3 4; do echo "go: downloading example.org/m$i v1.0.0" >&2; echo example.org/m$i >&2; sleep 0.5; done
mkdir -p "$GOBIN"
printf '#!/bin/sh\\necho temporal version 1.5.1\\n' > "$GOBIN/temporal"
chmod 700 "$GOBIN/temporal"
`,
  )
  chmodSync(go, 0o755)
}

/** Runs `ensureTemporalCli` in its own process, on a machine that has only what the test put there. */
function ensure(): Promise<{ result: { path?: string; error?: string }; progress: string[] }> {
  const code = `
    import { ensureTemporalCli } from '${join(projectFolder, 'local/temporal/fetch.ts')}'
    const say = (value) => console.log(JSON.stringify(value))
    await ensureTemporalCli((progress) => say({ progress })).then(
      (cli) => say({ result: cli }), (error) => say({ result: { error: error.message } }))
    process.exit(0)`
  const args = [...scriptArguments('x').slice(0, 2), '--input-type=module', '-e', code]
  const child = spawn(process.execPath, args, {
    cwd: projectFolder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: `${join(machine, 'bin')}:/usr/bin:/bin`,
      HOME: machine,
      TMPDIR: join(machine, 'tmp'),
      // No download in a test: nothing listens there.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      https_proxy: 'http://127.0.0.1:9',
    },
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  return new Promise((resolve) =>
    child.on('close', () => {
      const lines = output
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
      const progress = lines.flatMap((line) => line.progress ?? [])
      resolve({ result: lines.at(-1).result, progress })
    }),
  )
}

describe('getting the Temporal server', () => {
  test('three concurrent starts build it once, report progress, and leave nothing else behind', async () => {
    fakeGo()
    const runs = await Promise.all([ensure(), ensure(), ensure()])
    const path = join(machine, '.cache/recoup/temporal/1.5.1/temporal')
    for (const { result } of runs) expect(result).toMatchObject({ path })
    expect(readFileSync(join(machine, 'builds'), 'utf8')).toBe('run\n')
    expect(readFileSync(join(machine, 'arguments'), 'utf8')).toMatch(
      /^local 0 install .*github\.com\/temporalio\/cli\/cmd\/temporal@v1\.5\.1$/m,
    )
    const reported = runs.flatMap((run) => run.progress)
    const builds = reported.filter((line) => line.startsWith('Building'))
    expect(new Set(builds).size).toBeGreaterThan(1)
    expect(reported.some((line) => line.startsWith('Another start'))).toBe(true)
    expect(readdirSync(dirname(dirname(path)))).toEqual(['1.5.1'])
    // Containers run it as another user.
    expect((statSync(path).mode & 0o777).toString(8)).toBe('755')
  }, 60_000)

  test('without any way to get one: one sentence that says what to do', async () => {
    const { result } = await ensure()
    expect(result.error).toMatch(/^No Temporal server on this machine/)
    expect(result.error).toMatch(/install Go 1\.25 or newer, or put a Temporal CLI on the PATH/)
    expect(result.error).not.toContain('\n')
    expect(existsSync(join(machine, '.cache/recoup/temporal/lock'))).toBe(false)
  }, 60_000)

  test('a Go that is too old is not tried', async () => {
    fakeGo('go1.19.8')
    const { result } = await ensure()
    expect(result.error).toContain('Go is go1.19, building needs go1.25')
    expect(existsSync(join(machine, 'builds'))).toBe(false)
  }, 60_000)
})
