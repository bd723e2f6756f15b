import { cleanText, isCardNumber, printable } from '../clean-text.ts'
import { FACTS } from '../fact-catalogue.ts'
import type { TextSource, TextTable } from './text-table.ts'

/** Removes card numbers from the texts that are sent with the client's own file, as a package does from its texts. */
export const cleanTexts = (texts: Readonly<Record<string, string>>, { fields }: Pick<TextTable, 'fields'>) =>
  Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [
      field,
      (fields[field] ?? []).some(isId) ? cleanIds(text) : cleanText(text),
    ]),
  )

const isId = (source: TextSource) => 'ids' in source || ('fact' in source && FACTS[source.fact].kind === 'id')

/** Identifiers keep their digits: a tracking number may pass the check of card numbers. */
const cleanIds = (text: string) =>
  printable(text)
    .split(/([\n,;])/)
    .map((part) => (isCardNumber(part.trim()) ? cleanText(part) : part))
    .join('')
