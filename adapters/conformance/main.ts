import { type CheckResult, runConformance } from './run.ts'
import { SUBJECTS } from './subjects.ts'

/** `npm run adapter:check -- <source>`: runs the kit against one adapter and prints the results. */

const [wanted] = process.argv.slice(2)
const known = SUBJECTS.map((subject) => subject.definition.source).join(', ')
const subject = SUBJECTS.find((candidate) => candidate.definition.source === wanted)

if (!subject) {
  console.error(wanted === undefined ? `Name an adapter: ${known}.` : `No adapter "${wanted}". There are: ${known}.`)
  process.exit(2)
}

const MARKS = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }
let suite = ''

function print(result: CheckResult): void {
  if (result.suite !== suite) console.log(`\n${result.suite}`)
  suite = result.suite
  console.log(`  ${MARKS[result.outcome]}  ${result.check}${result.ms > 1000 ? `  (${result.ms} ms)` : ''}`)
  if (result.reason !== null) console.log(`        ${result.reason.replaceAll('\n', '\n        ')}`)
}

console.log(`${subject.definition.displayName}, API version ${subject.definition.apiVersion}`)
const { results } = await runConformance(subject, print)
const count = (outcome: CheckResult['outcome']) => results.filter((result) => result.outcome === outcome).length
console.log(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`)
process.exitCode = count('failed') === 0 ? 0 : 1
