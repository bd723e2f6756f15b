import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../local/run-command.ts'
import { projectFolder, scriptArguments } from '../local/run-script.ts'
import { boundaryFaults, circleFaults } from './boundaries.ts'
import { folderFaults, layoutFaults } from './layout.ts'
import { lockedVersions, missingPackages } from './lockfile.ts'

/** `npm run verify`: all checks that need no server, in parallel. */
interface Step {
  name: string
  /** Errors or output of a failed check; empty on success. */
  check(): Promise<string> | string
}

const tool = async (name: string, ...args: string[]): Promise<string> => {
  const result = await runCommand(join(projectFolder, 'node_modules', '.bin', name), args, { cwd: projectFolder })
  return result.code === 0 ? '' : result.output
}

const steps: Step[] = [
  {
    name: 'format, lint',
    check: () => tool('biome', 'ci', '--colors=off', '--diagnostic-level=warn', '.'),
  },
  { name: 'types', check: () => tool('tsc') },
  { name: 'types of the console', check: () => tool('tsc', '--project', 'console') },
  { name: 'dead code', check: () => tool('knip', '--no-progress') },
  {
    name: 'generated files',
    check: async () => {
      const args = [...scriptArguments('scripts/generate.ts'), '--check']
      const result = await runCommand(process.execPath, args, { cwd: projectFolder })
      return result.code === 0 ? '' : result.output
    },
  },
  { name: 'layout', check: () => [...layoutFaults(sourceFiles()), ...folderFaults(kept())].join('\n') },
  { name: 'boundaries', check: () => [...boundaryFaults(sourceFiles()), ...circleFaults(sourceFiles())].join('\n') },
  { name: 'lockfile', check: checkLockfile },
]

/** Paths of all files of the project, committed or not. */
function kept(...patterns: string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns]
  const listed = execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8' })
  return listed.split('\n').filter((path) => path !== '' && existsSync(join(projectFolder, path)))
}

function sourceFiles(): { path: string; text: string }[] {
  return kept('*.ts', '*.tsx').map((path) => ({ path, text: readFileSync(join(projectFolder, path), 'utf8') }))
}

function checkLockfile(): string {
  const lock = JSON.parse(readFileSync(join(projectFolder, 'package-lock.json'), 'utf8'))
  const faults = missingPackages(lock).map(
    (entry) => `${entry.name}@${entry.version} is missing, npm ci would stop: run npx tsx scripts/fill-lockfile.ts`,
  )
  // One copy for Temporal's packages, and the older major version that only the gRPC loader uses; otherwise replay
  // fails.
  const copies = lockedVersions(lock, 'protobufjs').filter(({ path }) => !path.includes('@grpc/proto-loader'))
  if (copies.length !== 1)
    faults.push(
      `protobufjs is locked ${copies.length} times (${copies.map((copy) => copy.path).join(', ')}): once is right`,
    )
  return faults.join('\n')
}

const results = await Promise.all(
  steps.map(async (step) => {
    const started = Date.now()
    let fault: string
    try {
      fault = await step.check()
    } catch (error) {
      fault = (error as Error).message
    }
    console.log(`${fault === '' ? 'ok  ' : 'FAIL'} ${step.name} (${((Date.now() - started) / 1_000).toFixed(1)} s)`)
    return { name: step.name, fault }
  }),
)
const failed = results.filter((result) => result.fault !== '')
for (const { name, fault } of failed) console.log(`\n── ${name}\n${fault.trimEnd()}`)
if (failed.length > 0) console.log(`\n${failed.length} of ${steps.length} steps failed`)
process.exitCode = failed.length === 0 ? 0 : 1
