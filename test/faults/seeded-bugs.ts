import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { projectFolder } from '../../local/run-script.ts'
import type { SuiteOptions } from './report/suite-options.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'

const FOLDER = join(projectFolder, 'test/faults/seeded-bugs')
const VITEST = 'node_modules/vitest/vitest.mjs'
const LEFT_OUT = new Set(['node_modules', '.git', '.recoup', 'docs'])

/** A bug that the fault tests must find: a patch whose header says what it is, which run finds it, and how. */
interface SeededBug {
  name: string
  file: string
  bug: string
  /** Text in the output of the failing run. */
  caughtBy: string
  /** Arguments of `npm run torture --`. */
  run: string[] | null
  /** Arguments of vitest. */
  test: string[] | null
  /** Arguments of `npm run sim --` that find it, too, and the invariant that is broken then. */
  simulation: { args: string[]; says: string } | null
}

export function seededBugs(): SeededBug[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.patch'))
    .sort()
    .map((name) => {
      const file = join(FOLDER, name)
      const text = readFileSync(file, 'utf8')
      const line = (key: string) => new RegExp(`^${key}: (.+)$`, 'm').exec(text)?.[1] ?? null
      return {
        ...{ name: basename(name, '.patch'), file, bug: line('Bug') ?? '', caughtBy: line('Caught by') ?? '' },
        ...{ run: line('Run')?.split(' ') ?? null, test: line('Test')?.split(' ') ?? null },
        simulation: simulationIn(line('Simulation')),
      }
    })
}

/**
 * Each bug alone in a copy of the tree: the run that its patch names must fail there and name the broken invariant.
 * A suite that passes proves nothing until it was seen to fail.
 */
export async function plantBugs({ cell, print }: SuiteOptions): Promise<SuiteOutcome[]> {
  const outcomes: SuiteOutcome[] = []
  for (const bug of seededBugs().filter(({ name }) => !cell || name === cell)) {
    const began = Date.now()
    const why = plant(bug)
    const result = why === null ? 'passed' : 'failed'
    outcomes.push({ name: bug.name, title: bug.bug, result, why: [why ?? `found: ${bug.caughtBy}`] })
    print?.(`  ${bug.name}: ${why ?? `found (${bug.caughtBy})`}, ${Math.round((Date.now() - began) / 1000)} s`)
  }
  return outcomes
}

/** @returns null if it was found as expected, else the reason */
function plant(bug: SeededBug): string | null {
  const args = bug.run ? ['--import', 'tsx', 'test/faults/main.ts', ...bug.run] : [VITEST, 'run', ...(bug.test ?? [])]
  return findPlanted(bug.file, args, bug.caughtBy)
}

/**
 * Runs Node in a copy of the tree with the patch applied. The run must fail and name what is broken.
 * @returns null if it does, else the reason
 */
export function findPlanted(file: string, args: readonly string[], says: string): string | null {
  const copy = mkdtempSync(join(tmpdir(), 'recoup-seeded-'))
  try {
    cpSync(projectFolder, copy, {
      recursive: true,
      filter: (source) => !LEFT_OUT.has(source.slice(projectFolder.length + 1).split('/')[0] ?? ''),
    })
    symlinkSync(join(projectFolder, 'node_modules'), join(copy, 'node_modules'))
    const applied = spawnSync('git', ['apply', '--whitespace=nowarn', file], { cwd: copy, encoding: 'utf8' })
    if (applied.status !== 0) return `the patch does not apply any more: ${applied.stderr.trim()}`
    const ran = spawnSync(process.execPath, args, {
      ...{ cwd: copy, encoding: 'utf8', timeout: 600_000, maxBuffer: 1 << 28 },
      env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
    })
    const output = `${ran.stdout}${ran.stderr}`
    if (ran.status === 0) return 'the run did not notice it'
    return output.includes(says) ? null : `the run failed without naming “${says}”: ${tail(output)}`
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** `--psp stripe --seed 1 --lives 10 finds I2` */
function simulationIn(line: string | null): SeededBug['simulation'] {
  const [args, says] = line?.split(' finds ') ?? []
  return args && says ? { args: args.split(' '), says } : null
}

const tail = (text: string) => text.trim().split('\n').slice(-6).join(' ⏎ ')
