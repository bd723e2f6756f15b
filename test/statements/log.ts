import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** A statement as a process sent it. */
export interface Sent {
  text: string
  values: (string | null)[]
  /** Whether it saw all rows, or those of a tenant. */
  scope: 'system' | 'tenant'
  at: Date
}

interface Line {
  timestamp: string
  session_id: string
  message: string
  detail?: string
}

const EXECUTED = /^(?:execute [^:]+|statement): ([\s\S]*)$/
const CONTROL = /^(begin|start transaction|commit|rollback|savepoint|release|set|listen)\b/i

/** The statements of a log that `statementLog` configured, without those that begin and end transactions. */
export async function sentStatements(file: string): Promise<Sent[]> {
  const scopes = new Map<string, Sent['scope']>()
  const found: Sent[] = []
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!line.includes('"message":"execute ') && !line.includes('"message":"statement: ')) continue
    const { timestamp, session_id: session, message, detail = '' } = JSON.parse(line) as Line
    const text = EXECUTED.exec(message)?.[1] ?? ''
    const values = parametersOf(detail)
    if (text.startsWith(`select set_config('recoup.scope', $1`)) scopes.set(session, scopeOf(values[0] ?? 'system'))
    else if (!CONTROL.test(text))
      found.push({ text, values, scope: scopes.get(session) ?? 'system', at: new Date(timestamp) })
  }
  return found
}

const scopeOf = (name: string) => (name === 'system' ? 'system' : 'tenant')

/** `Parameters: $1 = 'it''s', $2 = NULL` */
export function parametersOf(detail: string): (string | null)[] {
  const [, list] = /^Parameters: ([\s\S]*)$/i.exec(detail) ?? []
  if (list === undefined) return []
  return [...list.matchAll(/\$\d+ = (?:NULL|'((?:[^']|'')*)')/g)].map(
    ([, value]) => value?.replaceAll("''", "'") ?? null,
  )
}
