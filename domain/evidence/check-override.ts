import { z } from 'zod'
import { COMES_TWICE, FILE_WITHOUT_KIND, type PlaybookFault } from './check-playbooks.ts'
import { faultsOfSentence } from './check-sentence.ts'
import { cleanText, printable } from './clean-text.ts'
import { isFactName } from './fact-catalogue.ts'
import { entriesOf, MOST_STATEMENTS, NOTHING_TO_LEAVE_OUT, nameOf, readEntry } from './overrides.ts'
import type { Playbook } from './playbooks/playbook.ts'

const shape = z.strictObject({
  statements: z
    .array(z.unknown())
    .min(1, 'Has no sentence.')
    .max(MOST_STATEMENTS, `Has more than ${MOST_STATEMENTS} sentences.`),
})

/**
 * Every fault of an account's own sentences for a playbook, each with its path, e.g. `statements[2].text`.
 * @param body as `{"statements": [{"id": "delivered", "text": "…", "weight": 3}, {"id": "contact", "off": true}]}`
 */
export function checkOverride({ statements }: Playbook<string>, body: unknown): PlaybookFault[] {
  const entries = entriesOf(body).slice(0, MOST_STATEMENTS)
  const ids = entries.map(nameOf)
  const known = new Set(statements.map(({ id }) => id))
  return [
    ...issuesAt([], shape.safeParse(body)),
    ...entries.flatMap((entry, index) => {
      const at = ['statements', index]
      const twice = ids[index] !== undefined && ids.indexOf(ids[index]) !== index
      return [
        ...issuesAt(at, readEntry(entry)),
        ...(twice ? [fault([...at, 'id'], COMES_TWICE)] : []),
        ...faultsOfEntry(at, (entry ?? {}) as Record<string, unknown>, known),
      ]
    }),
  ]
}

/** What the shape of one entry does not show. */
function faultsOfEntry(
  at: PropertyKey[],
  entry: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): PlaybookFault[] {
  const { id, text, optional, exhibits, needsExhibit, off } = entry
  if (off === true) return typeof id === 'string' && !known.has(id) ? [fault([...at, 'id'], NOTHING_TO_LEAVE_OUT)] : []
  // A longer text is a fault already.
  const sentence = typeof text === 'string' && readEntry({ id: 'a', weight: 1, text }).success ? text : null
  const facts = Array.isArray(optional) ? optional.filter((name) => isFactName(String(name))) : []
  return [
    ...(needsExhibit === true && !(Array.isArray(exhibits) && exhibits.length > 0)
      ? [fault([...at, 'needsExhibit'], FILE_WITHOUT_KIND)]
      : []),
    ...(sentence === null
      ? []
      : [...faultsOfCharacters(sentence), ...faultsOfSentence(sentence, facts.slice(0, 8))]
    ).map((message) => fault([...at, 'text'], message)),
  ]
}

/** What an issuer must not read in a text that is the same for every customer. */
function faultsOfCharacters(text: string): string[] {
  return [
    ...(printable(text) !== text || /[\t\n]/.test(text)
      ? ['It has characters that are not printed: write one line.']
      : []),
    ...(cleanText(text) !== printable(text) ? ['It has a card number.'] : []),
  ]
}

function issuesAt(at: readonly PropertyKey[], read: z.ZodSafeParseResult<unknown>): PlaybookFault[] {
  const issues = read.success ? [] : read.error.issues
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => fault([...at, ...issue.path, key], 'Unknown field.'))
      : [fault([...at, ...issue.path], issue.message)],
  )
}

const fault = (path: readonly PropertyKey[], message: string): PlaybookFault => ({ path: written(path), message })

/** `statements[2].text`; of the whole `.`. */
const written = (path: readonly PropertyKey[]) =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}${text ? '.' : ''}${String(part)}`),
    '',
  ) || '.'
