import type { Database } from '../../db/core/connect.ts'
import type { KeyRing } from '../../db/core/seal.ts'
import { contactAddress } from '../../db/merchants/merchants.ts'
import type { LeasedEndpoint } from '../../db/webhooks/leases.ts'
import type { Log } from '../../process/log.ts'
import { MailRefused, type SmtpServer, sendMail } from './smtp.ts'

const WHY = {
  gone: 'its receiver answered 410 (gone)',
  unreachable: 'its receiver has not answered with a status from 200 to 299 for five days',
}

interface MailDeps {
  db: Database
  ring: KeyRing
  log: Pick<Log, 'info' | 'warn'>
  server: SmtpServer
  from: string
}

/**
 * Sends the merchant's contact a mail about a disabled endpoint. It names the endpoint's id and host only. An endpoint of
 * all merchants has no contact. A mail that is not accepted is logged and not sent again: the event log has the event.
 */
export function mailDisabled({ db, ring, log, server, from }: MailDeps) {
  return async ({ endpointId, merchantUuid, url }: LeasedEndpoint, reason: keyof typeof WHY): Promise<void> => {
    if (merchantUuid === null) return
    try {
      const to = await contactAddress(db, ring, merchantUuid)
      if (to === null) return
      const { host } = new URL(url)
      const subject = `Webhooks to ${host} have stopped`
      await sendMail(server, { from, to, subject, text: textOf({ endpointId, host, why: WHY[reason] }) })
      log.info({ endpointId }, 'mail sent')
    } catch (error) {
      // Its own words only: those of a library may quote the address.
      const why = error instanceof MailRefused ? error.message : ((error as { code?: string }).code ?? 'error')
      log.warn({ endpointId, reason: why }, 'mail failed')
    }
  }
}

const textOf = ({ endpointId, host, why }: { endpointId: string; host: string; why: string }) =>
  `Recoup sends no more events to the webhook endpoint ${endpointId} at ${host}, because ${why}.

No event is lost: GET /v1/events has those of the last 30 days.

To receive events again, correct the receiver, then enable the endpoint with PATCH /v1/webhook-endpoints/${endpointId}
and {"enabled": true}. POST /v1/webhook-endpoints/${endpointId}/replay with failedSince sends what it missed.
`
