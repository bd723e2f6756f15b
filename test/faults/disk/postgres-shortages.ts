import type { Testbed } from '../testbed/prepare.ts'
import { noFiu } from './failing-io.ts'
import { familyOf, limit, noLimits, spaceOf } from './limits.ts'
import { dataFolder, moveLog, moveTables, newBackends, useUpLog } from './postgres-places.ts'
import type { OpenShortage, Shortage } from './shortage.ts'
import { noSmallDisk, openSmallDisk } from './small-disk.ts'

const DISK_MB = { tables: 64, log: 192 }
/** Maximum bytes of a file: less than a segment of the log. */
const FILE_BYTES = 65_536
const STOPS = 'it stops, and starts when that is over'
/** What our processes log when Postgres stops and starts. */
const STOPPED = /died: postgres|57P0[23]|08006|ECONNREFUSED|ECONNRESET|Connection terminated/
const SEGMENTATION_FAULT = 'Postgres 18 dies of a segmentation fault as soon as libfiu 1.1 is loaded into it'

async function tablesFull(testbed: Testbed): Promise<OpenShortage> {
  const disk = openSmallDisk(DISK_MB.tables, await dataFolder(testbed))
  await moveTables(testbed, disk.folder)
  return {
    begin: () => disk.fill(),
    end: () => disk.empty(),
    async close() {
      await moveTables(testbed, null).finally(() => disk[Symbol.asyncDispose]())
    },
  }
}

async function logFull(testbed: Testbed): Promise<OpenShortage> {
  const data = await dataFolder(testbed)
  const disk = openSmallDisk(DISK_MB.log, data)
  await moveLog(testbed, data, disk.folder)
  return {
    async begin() {
      disk.fill()
      await useUpLog(testbed)
    },
    end: () => disk.empty(),
    async close() {
      await moveLog(testbed, data, null).finally(() => disk[Symbol.asyncDispose]())
    },
  }
}

async function limited(
  testbed: Testbed,
  resource: 'fsize' | 'as',
  lowered: (pid: number) => number,
): Promise<OpenShortage> {
  const { pid } = testbed.postgres
  return {
    async begin() {
      for (const one of familyOf(pid)) limit([one], resource, lowered(one))
      // Existing backends have memory to spare.
      if (resource === 'as') await newBackends(testbed)
    },
    end: () => limit(familyOf(pid), resource, 'unlimited'),
  }
}

export const POSTGRES_SHORTAGES: Readonly<Record<string, Shortage>> = {
  tables_full: {
    who: 'postgres',
    title: 'the disk of the tables is full (uploaded files are rows there, too)',
    ...{ missing: noSmallDisk, open: tablesFull, shows: /53100/ },
  },
  file_size: {
    who: 'postgres',
    title: `no file may grow beyond 64 KB (RLIMIT_FSIZE): ${STOPS}`,
    ...{ missing: noLimits, shows: STOPPED },
    open: (testbed) => limited(testbed, 'fsize', () => FILE_BYTES),
  },
  postgres_memory: {
    who: 'postgres',
    title: 'its processes get no more memory (RLIMIT_AS)',
    ...{ missing: noLimits, shows: /53200/ },
    open: (testbed) => limited(testbed, 'as', spaceOf),
  },
  postgres_io: {
    who: 'postgres',
    title: 'some of its reads and writes fail (libfiu)',
    ...{ missing: () => noFiu() ?? SEGMENTATION_FAULT, open: async () => ({ begin() {}, end() {} }), shows: STOPPED },
  },
  log_full: {
    who: 'postgres',
    title: `the disk of the write-ahead log is full: ${STOPS}`,
    ...{ missing: noSmallDisk, open: logFull, shows: STOPPED },
  },
}
