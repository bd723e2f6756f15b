import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A statement, or a part of one, in the source of the product. */
export interface Source {
  /** `db/core/outbox.ts:30` */
  at: string
  /** Whether it is that statement, or a part of it. */
  matches(text: string): boolean
  /** Whether it is that whole statement. */
  sends(text: string): boolean
}

/** Every template of SQL and every chain of the query builder in `db`, except migrations. */
export function statementSources(): Source[] {
  return readdirSync('db', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/^(migrations\/|schema\.ts)/.test(path))
    .sort()
    .flatMap((path) => sourcesIn(join('db', path), readFileSync(join('db', path), 'utf8')))
}

export function sourcesIn(path: string, code: string): Source[] {
  const at = (index: number) => `${path}:${code.slice(0, index).split('\n').length}`
  const templates = [...code.matchAll(/\bsql(?:<[^`]*?>)?`/g)].flatMap(({ index, 0: { length } }) => {
    const { parts, end } = templateAt(code, index + length)
    const whole = /^\s*\.execute\(/.test(code.slice(end))
    if (/^\s*(set local|lock table) /.test(parts[0] ?? '') || (!whole && parts.join('').trim().length < SHORT))
      return []
    const sends = templateMatcher(parts, true)
    return [{ at: at(index), sends, matches: whole ? sends : templateMatcher(parts, false) }]
  })
  const chains = [...code.matchAll(/\.(selectFrom|insertInto|updateTable|deleteFrom)\('(\w+)/g)].map(
    ({ index, 1: verb = '', 2: table = '' }) => {
      const calls = chainAt(code, index)
      const names = namesOf(calls)
      const listed =
        calls.some((call) => call.startsWith('.select(')) &&
        !calls.some((call) => /^\.(selectAll\(|select\((?!'|\[[^(]*$))/.test(call))
      const words = `${VERBS[verb]} "${table}"`
      const matches = (text: string) =>
        text.includes(words) &&
        names.every((name) => text.includes(`"${name}"`)) &&
        (!listed ||
          verb !== 'selectFrom' ||
          !isMain(text, table) ||
          selectedBy(text).every((name) => names.includes(name)))
      return { at: at(index), sends: matches, matches }
    },
  )
  return [...templates, ...chains]
}

/** Whether the statement itself reads that table, not only a part of it. */
const isMain = (text: string, table: string) => text.split(' from "')[1]?.startsWith(`${table}"`) ?? false

/** The columns that a statement reads; `*` is one. */
const selectedBy = (text: string): string[] =>
  [...(/^select (.*?) from "/.exec(text)?.[1] ?? '').matchAll(/"(\w+)"(?!\.)|\*/g)].map(([all, name]) => name ?? all)

/** Minimum length of a part: a shorter one, such as `c.id`, is found anywhere. */
const SHORT = 12
const VERBS: Record<string, string> = {
  selectFrom: 'from',
  insertInto: 'insert into',
  updateTable: 'update',
  deleteFrom: 'delete from',
}

/** The constant parts of the template whose content begins at `start`, and where it ends. */
function templateAt(code: string, start: number): { parts: string[]; end: number } {
  const parts: string[] = []
  let from = start
  for (let at = start; at < code.length; at++) {
    if (code[at] === '\\') at++
    else if (code[at] === '`') return { parts: [...parts, code.slice(from, at)], end: at + 1 }
    else if (code.startsWith('${', at)) {
      parts.push(code.slice(from, at))
      at = closing(code, at + 1)
      from = at + 1
    }
  }
  throw new Error('a template without an end')
}

const CLOSING: Record<string, string> = { '{': '}', '(': ')', '[': ']' }

/** Where the bracket at `start` is closed. */
function closing(code: string, start: number): number {
  const close = CLOSING[code[start] ?? '']
  for (let at = start + 1; at < code.length; at++) {
    const char = code[at] ?? ''
    if (char === close) return at
    if (char in CLOSING) at = closing(code, at)
    else if (char === '`') at = templateAt(code, at + 1).end - 1
    else if (char === "'") at = code.indexOf("'", at + 1)
    else if (code.startsWith('//', at)) at = code.indexOf('\n', at)
  }
  throw new Error('a bracket without an end')
}

/** Each statement is compared with every template. */
const squeezed = new Map<string, string>()

function squeeze(text: string): string {
  const known = squeezed.get(text) ?? text.replace(/\s+/g, ' ')
  squeezed.set(text, known)
  return known
}

/** Finds each constant part at its first place after the previous one: a regular expression would try for hours. */
function templateMatcher(parts: string[], whole: boolean): (text: string) => boolean {
  const constants = squeeze(parts.join('\0')).split('\0')
  if (whole) {
    constants[0] = constants[0]?.trimStart() ?? ''
    constants.push((constants.pop() ?? '').trimEnd())
  }
  return (sent) => {
    const text = whole ? squeeze(sent).trim() : squeeze(sent)
    if (whole && constants.length === 1) return text === constants[0]
    const last = whole ? (constants.at(-1) ?? '') : ''
    if (whole && !(text.startsWith(constants[0] ?? '') && text.endsWith(last))) return false
    let at = 0
    for (const constant of whole ? constants.slice(0, -1) : constants) {
      const found = text.indexOf(constant, at)
      if (found < 0) return false
      at = found + constant.length
    }
    return at <= text.length - last.length
  }
}

/** The calls of a chain, one after the other, from the first. */
function chainAt(code: string, start: number): string[] {
  const calls: string[] = []
  for (let at = start; ; ) {
    const [head] = /^\s*\.\w+(?:<[^(]*>)?\(/.exec(code.slice(at)) ?? []
    if (!head) return calls
    const end = closing(code, at + head.length - 1)
    calls.push(code.slice(at, end).trim())
    at = end + 1
  }
}

/** The columns that a chain always names. */
function namesOf(calls: string[]): string[] {
  return calls.flatMap((call) => {
    const [, method = '', given = ''] = /^\.(\w+)(?:<[^(]*>)?\(([\s\S]*)$/.exec(call) ?? []
    if (/^(select|where|whereRef|orderBy|returning|groupBy|columns|column)$/.test(method)) {
      const literals = /^\s*(\[[^\](]*\]|'[\w. ]+')/.exec(given)?.[1] ?? ''
      const computed = [...given.matchAll(/\b(?:fn\.\w+|as)\('(\w+)'\)/g)].map(([, name = '']) => name)
      return [...literals.matchAll(/'([\w. ]+)'/g)].flatMap(([, name = '']) => name.split(/ as |\./)).concat(computed)
    }
    if (/^(values|set)$/.test(method) && given.startsWith('{')) {
      // The keys of the first line, and those with its indentation: not those inside of a value.
      const [, indent = ''] = /^\{\n( +)/.exec(given) ?? []
      const first = /^\{\s*(\w+):/.exec(given)?.[1]
      const keys = indent ? [...given.matchAll(new RegExp(`^${indent}(\\w+):`, 'gm'))].map(([, key = '']) => key) : []
      return first ? [first, ...keys] : keys
    }
    return []
  })
}
