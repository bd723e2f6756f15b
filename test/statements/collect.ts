import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder, scriptArguments } from '../../local/run-script.ts'
import { sentStatements } from './log.ts'
import { merge, readCollected, writeCollected } from './sent.ts'
import { statementSources } from './sources.ts'

/**
 * `npm run statements -- <test files>`: runs the files one after the other on a Postgres that logs statements, collects
 * those of the product, and drops those that the product no longer sends.
 */
const files = process.argv.slice(2)
const sources = statementSources()
let collected = merge(readCollected(), [], sources)
for (const file of files) {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-statements-'))
  // The user that Postgres runs as writes there.
  chmodSync(folder, 0o777)
  try {
    const code = await runTests(file, folder)
    if (code !== 0) throw new Error(`${file} fails: its statements were not collected`)
    const known = collected.length
    collected = merge(collected, await sentStatements(join(folder, 'postgres.json')), sources)
    console.log(`${file}: ${collected.length - known} new statements`)
    writeCollected(collected)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
writeCollected(collected)
console.log(`${collected.length} statements are known`)

function runTests(file: string, folder: string): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...scriptArguments('test/run.ts'), file], {
      cwd: projectFolder,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, RECOUP_TEST_STATEMENTS: folder },
    })
    child.on('error', () => resolve(1))
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
