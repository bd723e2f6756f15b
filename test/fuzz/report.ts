import type { Sent } from '../interface/requests.ts'
import type { Fault, Fuzzed } from './run.ts'

const SHOWN = 20

/** Requests and responses by operation, and responses outside the description. */
export function report({ faults, tallies }: Fuzzed, { seed, seconds }: { seed: number; seconds: number }): string {
  const total = tallies.reduce((sum, one) => sum + one.requests, 0)
  const rows = tallies
    .filter((one) => one.requests > 0)
    .map(({ operation, requests, answers, slowestMs }) => {
      const by = [...answers].sort(([a], [b]) => a - b).map(([status, count]) => `${status || 'none'} × ${count}`)
      return `${operation.padEnd(58)} ${String(requests).padStart(6)}  ${String(Math.round(slowestMs)).padStart(5)} ms  ${by.join('  ')}`
    })
  const failed = tallies.flatMap(({ answers }) => [...answers]).filter(([status]) => status >= 500 || status === 0)
  const again = `npm run fuzz -- --seed ${seed} --requests ${total}`
  return [
    `${'operation'.padEnd(58)} ${'sent'.padStart(6)}  ${'slowest'.padStart(8)}  responses`,
    ...rows,
    '',
    ...distinct(faults).slice(0, SHOWN).map(shown),
    `${total} requests in ${seconds.toFixed(0)} s, seed ${seed} (again: ${again})`,
    `${failed.reduce((sum, [, count]) => sum + count, 0)} failures of the service, ${faults.length} responses outside the description`,
  ].join('\n')
}

/** One of each kind: the same fault shows in hundreds of requests. */
function distinct(faults: readonly Fault[]): Fault[] {
  const byKind = new Map<string, Fault>()
  for (const fault of faults) {
    const kind = `${fault.operation} ${fault.sentence.replace(/\d+/g, '0')}`
    if (!byKind.has(kind)) byKind.set(kind, fault)
  }
  return [...byKind.values()]
}

const shown = ({ number, operation, sentence, sent, reply }: Fault) =>
  `request ${number}, ${operation}: ${sentence}\n  ${curl(sent)}\n  response: ${reply?.status ?? 'none'} ${reply?.text.slice(0, 300) ?? ''}\n`

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function curl({ method, path, headers, body }: Sent): string {
  const named = Object.entries(headers).map(([name, value]) =>
    name === 'authorization' && value.length > 100
      ? `-H "authorization: Bearer $TOKEN"`
      : `-H ${quoted(`${name}: ${value}`)}`,
  )
  const text = typeof body === 'string' ? body : body && Buffer.from(body).toString('latin1')
  const data = text === undefined ? [] : ['--data-binary', quoted(text.length > 500 ? `${text.slice(0, 500)}…` : text)]
  return ['curl', '-X', method, quoted(`$URL${path}`), ...named, ...data].join(' ')
}
