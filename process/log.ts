import { type DestinationStream, type Logger, pino } from 'pino'
import { isUuid } from '../domain/ids.ts'

/** The only fields that a log line may have; others are dropped. */
const FIELDS = new Set([
  'requestId',
  'errorId',
  'code',
  'method',
  'route',
  'status',
  'durationMs',
  'credentialId',
  'merchantUuid',
  'integrationId',
  'endpointId',
  'eventId',
  'chargebackId',
  'dueDate',
  'found',
  'rows',
  'acceptanceId',
  'commandId',
  'pid',
  'taskQueue',
  'workflowType',
  'workflowId',
  'runId',
  'activityType',
  'activityId',
  'attempt',
  'sdkComponent',
  'source',
  'outboxId',
  'kind',
  'attempts',
  'reason',
  'host',
  'port',
  'signal',
  'environment',
  'error',
])

/** A second safety net after the field list: patterns of secrets and personal data in texts. */
const PATTERNS: [RegExp, string][] = [
  [/\b[\w.+-]+@[\w-]+\.[\w.-]+\b/g, '[email]'],
  [/\b(?:sk|rk|pk|whsec|whsk)_[A-Za-z0-9_+/]{6,}/g, '[key]'],
  [/\beyJ[\w-]+\.[\w-]+\.?[\w-]*/g, '[token]'],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [token]'],
  [/\b(access_token|api_?key|password|secret)(["']?\s*[:=]\s*["']?)[^\s"'&,}]+/gi, '$1$2[secret]'],
  [/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b/g, '[iban]'],
]
/** A card number, or a whole UUID, because a part of one UUID in a thousand looks like a card number. */
const NUMBER = /\b(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d(?:[ -]?\d){12,18})\b/g

export function scrub(text: string): string {
  return PATTERNS.reduce((rest, [pattern, word]) => rest.replace(pattern, word), text)
    .replace(NUMBER, (found) => (isUuid(found) ? found : '[number]'))
    .slice(0, 2_000)
}

export interface ErrorFields {
  name: string
  code?: string
  message?: string
  frames: string[]
}

/** An error for the log, without a database's message, which may quote a value. */
export function describeError(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  const { code, severity } = error as { code?: unknown; severity?: unknown }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    name: error.name,
    ...(typeof code === 'string' && { code }),
    ...(severity === undefined && { message: scrub(error.message) }),
    frames: frames.slice(0, 12).map((line) => line.trim()),
  }
}

function allowed(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (!FIELDS.has(name)) continue
    if (name === 'error') kept[name] = describeError(value)
    else kept[name] = typeof value === 'string' ? scrub(value) : typeof value === 'bigint' ? String(value) : value
  }
  return kept
}

export type Log = Logger

/** Structured lines on standard output, or on `destination`. Messages are Recoup's own fixed texts. */
export function createLog(options: { level: string; name: string }, destination?: DestinationStream): Log {
  return pino(
    {
      level: options.level,
      base: { process: options.name },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: allowed },
      // pino puts an Error given as the first argument under this key, without the formatter above.
      errorKey: 'error',
      // Either that Error, or the formatter's description.
      serializers: { error: (error) => (error instanceof Error ? describeError(error) : error) },
    },
    destination ?? pino.destination({ sync: false }),
  )
}
