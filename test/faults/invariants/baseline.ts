import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../harness/until.ts'
import type { Testbed } from '../testbed/prepare.ts'

const PROCESSES = ['api', 'worker'] as const
/** Ids of workflows that run for ever: those that schedules start again and again, and the shards of polling. */
const ALWAYS = /^(poll|poll-shard|ops):/
/**
 * Descriptors that a process may have beyond those at the start. A new process has opened a few of its database
 * connections and opens the others, at most eight, under load; sockets to PSPs are closed seconds after their last
 * request, those to clients after 75 s. Files and pipes are all open from the start. A leak of one with each command
 * exceeds this after a suite.
 */
const MORE = { sockets: 16, files: 4 }
/** Megabytes that an API may gain without a restart. Measured: at most 20, after 20 commands as after 200. */
const MORE_MEGABYTES = 100
const END_MS = 90_000

type Descriptors = Record<keyof typeof MORE, number>

/** Resources of the processes, and open workflow runs. */
export interface Footprint {
  /** Descriptors and resident megabytes of each process; null without /proc. */
  held: Record<(typeof PROCESSES)[number], { pid: number; descriptors: Descriptors; megabytes: number }> | null
  /** Workflow ids of open runs, except those of `ALWAYS`. */
  runs: string[]
}

export async function footprintOf(testbed: Testbed): Promise<Footprint> {
  const held = (name: (typeof PROCESSES)[number]) => {
    const { pid } = testbed[name].child
    return [name, { pid, descriptors: descriptorsOf(pid), megabytes: megabytesOf(pid) }] as const
  }
  return {
    held: existsSync('/proc/self/fd') ? (Object.fromEntries(PROCESSES.map(held)) as Footprint['held']) : null,
    runs: await openRuns(testbed),
  }
}

function descriptorsOf(pid: number): Descriptors {
  const folder = `/proc/${pid}/fd`
  const targets = readdirSync(folder).map((one) => {
    try {
      return readlinkSync(join(folder, one))
    } catch {
      // Closed meanwhile.
      return 'socket:'
    }
  })
  const sockets = targets.filter((target) => target.startsWith('socket:')).length
  return { sockets, files: targets.length - sockets }
}

const inWords = ({ sockets, files }: Descriptors) => `${sockets} sockets and ${files} files`

/** Resident memory of a running process. Needs /proc. */
export function megabytesOf(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(line?.[1] ?? 0) / 1_024)
}

async function openRuns({ stack }: Testbed): Promise<string[]> {
  const open: string[] = []
  for await (const { workflowId } of stack.temporal.workflow.list({ query: "ExecutionStatus = 'Running'" }))
    if (!ALWAYS.test(workflowId)) open.push(workflowId)
  return open
}

/** I14: resources and open runs are back at their baseline; `figures` has the figures. */
export async function backTo(before: Footprint, testbed: Testbed): Promise<{ broken: string[]; figures: string[] }> {
  const broken: string[] = []
  const figures: string[] = []
  const runs = async () => (await openRuns(testbed)).filter((id) => !before.runs.includes(id))
  await until('no run is open except those of the start', runs, {
    holds: (ids) => ids.length === 0,
    timeoutMs: END_MS,
  })
    .then(() => figures.push('no run open'))
    .catch((error) => broken.push((error as Error).message))
  if (!before.held)
    return { broken, figures: [...figures, 'descriptors and memory not checked: there is no /proc here'] }
  for (const name of PROCESSES) {
    const first = before.held[name]
    const { pid } = testbed[name].child
    const now = () => descriptorsOf(pid)
    const most = {
      sockets: first.descriptors.sockets + MORE.sockets,
      files: first.descriptors.files + MORE.files,
    }
    const fits = ({ sockets, files }: Descriptors) => sockets <= most.sockets && files <= most.files
    await until('descriptors are closed', now, { holds: fits, timeoutMs: END_MS }).catch(() =>
      broken.push(`the ${name} has ${inWords(now())}, more than ${inWords(most)}`),
    )
    figures.push(`${name}: ${inWords(first.descriptors)} at first, ${inWords(now())} at last`)
    if (name !== 'api' || pid !== first.pid) continue
    const grown = megabytesOf(pid) - first.megabytes
    if (grown > MORE_MEGABYTES) broken.push(`the api grew by ${grown} MB, not at most ${MORE_MEGABYTES}`)
    figures.push(`api: ${first.megabytes} MB at first, ${grown} MB more at last`)
  }
  return { broken, figures }
}
