import type { Client } from '@temporalio/client'
import type { AdapterDefinition } from '../../adapters/contract.ts'
import type { PspFetch } from '../../adapters/shared/psp-fetch.ts'
import type { Database } from '../../db/core/connect.ts'
import type { KeyRing } from '../../db/core/seal.ts'
import type { Environment, SecretType, Source } from '../../domain/integration.ts'
import type { FileProcesses } from '../../files/processes.ts'
import type { Bell } from '../../process/bell.ts'
import type { Polling } from '../starters/schedules.ts'
import type { CommandsFirst } from './commands-first.ts'

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** Dependencies of activities, including everything that tests replace: time, adapters, addresses. */
export interface ActivityDeps {
  db: Database
  ring: KeyRing
  /** Processes that read and convert merchants' files. */
  files: FileProcesses
  /** Processes that set evidence as a PDF. */
  renderer: FileProcesses
  temporal: Client
  adapterFor(source: Source, secretType: SecretType): AdapterDefinition | undefined
  environment: Environment
  /** PSP base URLs that replace the public ones. */
  baseUrls: Partial<Record<Source, string>>
  polling: Polling
  log: Log
  now(): Date
  /** Sends requests to PSPs; default `pspFetch`. */
  fetch?: PspFetch
  /** Counts a request to a PSP. */
  counted(psp: string, result: string): void
  /** Counts disputes past their expected end. */
  stale?(psp: string, count: number): void
  /** Counts what prevents an automatic submission, by code. */
  blocked?(code: string): void
  /** Absent: pages do not wait for commands. */
  commandsFirst?: CommandsFirst
  /** Rings when a poll is due at once. */
  due?: Bell
  /** Days that the event log is kept; default 30. */
  eventDays?: number
  /** The worker takes no new work. */
  stopping?(): boolean
}
