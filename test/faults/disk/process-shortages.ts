import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '../../../local/processes.ts'
import { testServers } from '../../harness/servers.ts'
import type { Testbed, Victim } from '../testbed/prepare.ts'
import { noFiu, openFailingIo } from './failing-io.ts'
import { dataOf, limit, limitOf, noLimits, type Resource } from './limits.ts'
import { newBackends } from './postgres-places.ts'
import type { OpenShortage, Shortage } from './shortage.ts'

/** Limits the process that runs at the beginning; its replacement has no such limit. */
function limited(victimOf: (testbed: Testbed) => Victim, resource: Resource, lowered: (pid: number) => number) {
  return async (testbed: Testbed): Promise<OpenShortage> => {
    const { pid } = victimOf(testbed).child
    const back = limitOf(pid, resource)
    return {
      async begin() {
        limit([pid], resource, lowered(pid))
        // Otherwise it would continue with its open connections.
        if (resource === 'nofile') await newBackends(testbed)
      },
      end: () => limit([pid], resource, back),
    }
  }
}

/** Reads and writes of sockets and pipes. */
const FAILING = ['posix/io/net/*', 'posix/io/rw/*']
const EIO = 5

async function failingIo(testbed: Testbed): Promise<OpenShortage> {
  const io = openFailingIo()
  await testbed.worker.child.stop()
  const holds = mkdtempSync(join(testServers().folder, 'failing-'))
  const child = await testbed.stack.startWorker({ HOLD_AT: holds, ...io.env })
  testbed.worker = { child, holds }
  return {
    begin: () =>
      io.tell(
        child.pid,
        FAILING.map((name) => `enable_random name=${name},probability=0.02,failinfo=${EIO}`),
      ),
    end() {
      if (isAlive(child.pid))
        io.tell(
          child.pid,
          FAILING.map((name) => `disable name=${name}`),
        )
    },
    async close() {
      await child.stop()
      if (testbed.worker.child === child) await testbed.startWorker()
      io[Symbol.dispose]()
    },
  }
}

const api = (testbed: Testbed) => testbed.api
const worker = (testbed: Testbed) => testbed.worker
const NO_DESCRIPTOR = 'no further file descriptor (RLIMIT_NOFILE)'
/** The process keeps all descriptors below this number open: no other is available. */
const TAKEN = 16
const NO_MEMORY = 'no more memory (RLIMIT_DATA): it dies, and is started again'
/** Below its current use, because pages that it frees meanwhile would be available again. */
const noRoom = (pid: number) => Math.floor(dataOf(pid) / 2)

/** API and worker store nothing on a disk: they run out of descriptors and memory. */
export const PROCESS_SHORTAGES: Readonly<Record<string, Shortage>> = {
  api_descriptors: {
    ...{ who: 'api', title: NO_DESCRIPTOR, missing: noLimits, shows: /unanswered|EMFILE/, mute: true },
    open: limited(api, 'nofile', () => TAKEN),
  },
  worker_descriptors: {
    ...{ who: 'worker', title: NO_DESCRIPTOR, missing: noLimits, shows: /EMFILE|unavailable|outcome_unknown/ },
    open: limited(worker, 'nofile', () => TAKEN),
  },
  api_memory: {
    ...{ who: 'api', title: NO_MEMORY, missing: noLimits, shows: /died: api/, mute: true },
    open: limited(api, 'data', noRoom),
  },
  worker_memory: {
    ...{ who: 'worker', title: NO_MEMORY, missing: noLimits, shows: /died: worker/ },
    open: limited(worker, 'data', noRoom),
  },
  worker_io: {
    who: 'worker',
    title: 'one in fifty reads and writes of its sockets and pipes fails with EIO (libfiu)',
    ...{ missing: noFiu, open: failingIo, shows: /died: worker|EIO|unavailable|outcome_unknown/ },
  },
}
