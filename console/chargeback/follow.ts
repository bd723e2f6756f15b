import type { Operations, Schemas } from '../api/operations.ts'
import { keepRead } from '../api/use-read.ts'
import { isReviewed, rememberOutcome, type Undone } from '../app/order.ts'
import { visible } from '../parts/visible.ts'
import { readAgain } from './data.ts'

/** Events report the outcome; this is for the time without them, ms. */
const EVERY_MS = 5 * 60_000

/** Has the list show that an acceptance of a review failed, however much later than the person went on. */
export const followAcceptance = (item: Undone['item'], merchant: string | undefined): void =>
  follow('readAcceptance', { item, merchant }, (acceptance) => acceptance, 'The acceptance failed')

/** The same for the latest evidence submission. */
export const followSubmission = (item: Undone['item'], merchant: string | undefined): void =>
  follow(
    'listEvidenceSubmissions',
    { item, merchant },
    ({ data: [latest] }) => latest,
    'The evidence submission failed',
  )

type Command = Pick<Schemas['AcceptanceStatus'], 'error'> & { status: Schemas['AcceptanceStatus']['status'] }

function follow<Name extends 'readAcceptance' | 'listEvidenceSubmissions'>(
  name: Name,
  { item, merchant }: { item: Undone['item']; merchant: string | undefined },
  commandOf: (result: Operations[Name]['result']) => Command | undefined,
  words: string,
): void {
  if (!isReviewed(item.id)) return
  const leave = keepRead(
    name,
    { params: { id: item.id }, merchant },
    ({ data, failure }) => {
      const { status, error } = (data && !failure && commandOf(data)) || {}
      if (status !== 'failed' && status !== 'succeeded') return
      leave()
      if (status === 'succeeded') return
      rememberOutcome(merchant, item, error === undefined ? `${words}.` : `${words}: ${visible(error)}`)
      void readAgain(item.id)
    },
    EVERY_MS,
  )
}
