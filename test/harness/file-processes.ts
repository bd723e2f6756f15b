import { perform } from '../../files/perform.ts'
import { createFileProcesses, type FileProcesses } from '../../files/processes.ts'

/** As in API and worker; idle ones end by themselves. */
export const fileProcesses = createFileProcesses({
  processes: 4,
  cpuMs: 10_000,
  wallMs: 60_000,
  waitMs: 20_000,
  log: { warn() {} },
})

/** As in the worker, for evidence as a PDF. */
export const renderProcesses = createFileProcesses({
  ...{ processes: 1, purpose: 'render', cpuMs: 20_000, wallMs: 60_000, waitMs: 60_000 },
  log: { warn() {} },
})

/** Without processes: for the test's own files, when time is simulated. */
export const filesInProcess: FileProcesses = { run: ({ job, input }) => perform(job, input), prepare() {} }
