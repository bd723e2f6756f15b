import type { Logger } from '@temporalio/worker'
import type { Log } from '../../process/log.ts'

/** The logger for Temporal's SDK; it writes to the worker's log. */
export function sdkLogger(log: Log): Logger {
  const write = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: object) =>
    log[level](fields ?? {}, message)
  return {
    log: (level, message, fields) => write(level.toLowerCase() as 'info')(message, fields),
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
}
