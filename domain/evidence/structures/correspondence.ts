import { faultOfDate, NO_DATE, readDate, type WrittenDate, writeTime } from '../written-dates.ts'
import { lineOf, readList } from './read-list.ts'

export interface Message {
  sent: WrittenDate
  from: string | null
  to: string | null
  subject: string | null
  /** At most 600 characters; what it quotes is left out. */
  body: string
  /** What the merchant says about it. */
  caption: string | null
  /** Language of the body, such as `de`. */
  language: string | null
  translation: string | null
}

/** What customer and merchant wrote, newest first. */
export interface Correspondence {
  messages: readonly Message[]
  /** Number of further messages. */
  others: number
}

const MOST_MESSAGES = 20
const LINE_MAX = 200
/** Lines of a mail that quote an earlier mail, which is in the list itself. */
const QUOTING = /^[ \t]*>.*(\n[ \t]*>.*)*$/gm
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/

/** Reads `customerCommunication`: `[{"sent": "2026-03-07", "from": "…", "to": "…", "subject": "…", "body": "…"}]`. */
export function readCorrespondence(name: string, value: unknown, now: Date): Read {
  const { entries, faults } = readList<Message>(name, value, (given, fault) => {
    const sent = readDate(given.sent)
    const why = sent ? faultOfDate(sent, now) : NO_DATE
    if (why) fault('sent', why.why)
    const { language, from, to, subject, caption, translation } = given
    const body = lineOf(withoutQuotes(given.body))
    if (body === null) fault('body', 'is missing.')
    if (!sent || why || body === null) return null
    return {
      ...{ sent, from: lineOf(from, LINE_MAX), to: lineOf(to, LINE_MAX), subject: lineOf(subject, LINE_MAX), body },
      caption: lineOf(caption, LINE_MAX),
      language: typeof language === 'string' && LANGUAGE.test(language) ? language : null,
      translation: lineOf(withoutQuotes(translation)),
    }
  })
  const all = newestFirst(distinct(entries))
  if (all.length === 0) return { value: null, faults }
  // Messages that the merchant comments on are those that matter.
  const kept = [...all].sort((a, b) => Number(b.caption !== null) - Number(a.caption !== null)).slice(0, MOST_MESSAGES)
  return { value: { messages: newestFirst(kept), others: all.length - kept.length }, faults }
}

type Read = { value: Correspondence | null; faults: string[] }

/** The customer's message of that day; undefined if none of the day is from one of the `names`. */
export function messageOf(
  { messages }: Correspondence,
  { day, names }: { day: string; names: readonly string[] },
): Message | undefined {
  return messages.find(({ sent, from }) => sent.day === day && isFrom(from, names))
}

/** One text for each message. */
export function writeCorrespondence({ messages, others }: Correspondence): string[] {
  return [
    ...messages.map(({ sent, from, to, subject, body, caption, language, translation }) => {
      const head = [writeTime(sent), from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(', ')
      const title = [head, subject].filter(Boolean).join(': ')
      const origin = language ? ` from ${language}` : ''
      const notes = [translation && `Translation${origin}: "${translation}"`, caption && `(${caption})`]
      return [`${title}: "${body}"`, ...notes].filter(Boolean).join(' ')
    }),
    ...(others > 0 ? [`${others} more messages`] : []),
  ]
}

const withoutQuotes = (text: unknown) =>
  typeof text === 'string' ? text.replaceAll(/\r\n?/g, '\n').replaceAll(QUOTING, '[…]') : text

/** `from` may be an address alone, or a name with an address: `Ada Byron <ada@example.com>`. */
function isFrom(from: string | null, names: readonly string[]): boolean {
  const sender = (from ?? '').toLowerCase()
  const parts = [sender, sender.replace(/^.*<([^<>]*)>$/, '$1'), sender.replace(/\s*<[^<>]*>$/, '')]
  return names.some((name) => parts.includes(name.toLowerCase()))
}

function distinct(messages: readonly Message[]): Message[] {
  const byText = new Map(messages.map((one) => [`${one.sent.day} ${one.sent.instant} ${one.from} ${one.body}`, one]))
  return [...byText.values()]
}

const newestFirst = (messages: readonly Message[]) => [...messages].sort((a, b) => timeOf(b) - timeOf(a))

const timeOf = ({ sent: { instant, day } }: Message) => instant ?? Date.parse(`${day}T00:00:00Z`)
