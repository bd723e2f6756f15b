import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { DataFolder } from './data-folder.ts'
import { sendDemoData } from './demo-data.ts'
import type { StackFile } from './stack-file.ts'

interface Chargeback {
  id: string
  dueDate?: string
  /** Of one that was read with `expand=actions`. */
  actions?: { accept: { allowed: boolean } }
}

/**
 * Instructions for a newcomer, with three lines to paste. They read the token from a file, so that they fit on the
 * screen.
 */
export async function banner(stack: StackFile, folder: DataFolder): Promise<string> {
  const header = join(folder.path, 'authorization')
  writeFileSync(header, `Authorization: Bearer ${stack.tokens.account}\n`, { mode: 0o600 })
  const curl = `curl -sS -H '@${header}'`
  const { apiUrl } = stack
  const token = stack.tokens.account
  const open = stack.integrations.length === 0 ? null : await firstOpenChargeback(apiUrl, token)
  const built = open ? await sendDemoData(folder, { apiUrl, token, except: open }) : null
  const lines = [
    `API            ${stack.apiUrl}`,
    `Console        ${stack.consoleUrl}   sign in with the token below`,
    `Reference      ${stack.docsUrl}`,
    `Temporal UI    ${stack.temporalUiUrl ?? 'that of your own server'}`,
    ...(stack.receiverUrl ? [`Webhooks       ${stack.receiverUrl}   prints each event below, as it arrives`] : []),
    `Everything     ${join(folder.path, 'stack.json')}`,
    '',
    'Bearer token (account scope)',
    stack.tokens.account,
    '',
    ...(built ? evidenceLines(curl, stack.apiUrl, built) : []),
    ...(open ? demoLines(curl, stack.apiUrl, open) : emptyLines(stack, curl)),
    '',
    'Ctrl-C stops everything; the next start continues where this one stopped.',
  ]
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`
}

/** A line to paste. A package is built within a minute; until then, curl's `-f` reports 404 and writes no file. */
export const evidenceLines = (curl: string, apiUrl: string, chargebackId: string) => [
  'Evidence that Recoup builds for a chargeback, up to a minute after its data has come',
  `${curl} -f -H 'Accept: application/pdf' -o evidence.pdf '${apiUrl}/chargebacks/${chargebackId}/evidence/draft'`,
  '',
]

/** Lines to paste once there are chargebacks; `open` is the id of one that can be accepted. */
export const demoLines = (curl: string, apiUrl: string, open: string) => [
  'Newest chargebacks · accept one · watch the PSP confirm it',
  `${curl} '${apiUrl}/chargebacks?limit=10'`,
  `${curl} -X POST '${apiUrl}/chargebacks/${open}/accept'`,
  `${curl} '${apiUrl}/chargebacks/${open}/accept'`,
]

function emptyLines(stack: StackFile, curl: string): string[] {
  const stripe = stack.simulators.stripe
  const list = `${curl} '${stack.apiUrl}/chargebacks?limit=10'`
  if (!stripe)
    return [
      'Chargebacks · integrations · merchants',
      list,
      `${curl} '${stack.apiUrl}/integrations'`,
      `${curl} '${stack.apiUrl}/merchants'`,
    ]
  const { externalIdentifier, secretType, secretPayload } = stripe
  const integration = { integrationName: 'Stripe', source: 'stripe', externalIdentifier, secretType, secretPayload }
  const json = "-H 'content-type: application/json'"
  return [
    'Make 10 disputes at the simulated Stripe · connect it · list its chargebacks',
    `curl -sS ${json} -d '${JSON.stringify({ count: 10, account: externalIdentifier })}' '${stripe.controlUrl}/disputes'`,
    `${curl} ${json} -d '${JSON.stringify(integration)}' '${stack.apiUrl}/integrations'`,
    list,
  ]
}

/** Id of a chargeback that can be accepted; waits at most `waitMs` for the first poll. */
export async function firstOpenChargeback(apiUrl: string, token: string, waitMs = 10_000): Promise<string | null> {
  const read = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${apiUrl}/chargebacks${path}`, { headers: { authorization: `Bearer ${token}` } })
    if (!response.ok) throw new Error(`the API responded with ${response.status}`)
    return ((await response.json()) as { data: T }).data
  }
  for (const end = Date.now() + waitMs; Date.now() < end; await pause(100)) {
    try {
      for (const { id, dueDate } of await read<Chargeback[]>('?limit=100&pspStatus=needs_response')) {
        if (dueDate && Date.parse(dueDate) < Date.now() + 60_000) continue
        const { actions } = await read<Chargeback>(`/${id}?expand=actions`)
        if (actions?.accept.allowed) return id
      }
    } catch {
      // It responded a moment ago; the supervisor restarts it.
    }
  }
  return null
}
