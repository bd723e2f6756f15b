import { setTimeout as pause } from 'node:timers/promises'
import type { DataFolder } from './data-folder.ts'

/** Which chargeback the demo's data was sent for: once, also after a restart. */
const FILE = 'demo-data.json'
/** So many chargebacks get data: the others show what is missing. */
const WITH_DATA = 8
/** How long the first polls get to store that many, ms. */
const POLLED_MS = 5_000
const DAY_MS = 86_400_000

interface Assessment {
  data: { missingDataPoints: string[]; handling: { status: string } }
}

interface Listed {
  id: string
  postingDate?: string
  transactionCreatedDate?: string
  amount: number
  currency: string
}

/**
 * Sends what a shop knows about a sale for some open chargebacks, as its own systems would, so that Recoup builds evidence
 * for them.
 * @param except id of one that the reader is asked to accept
 * @returns the id of one whose evidence is built now; null when there is none, or nothing could be sent
 */
export async function sendDemoData(
  folder: DataFolder,
  { apiUrl, token, except }: { apiUrl: string; token: string; except: string },
): Promise<string | null> {
  const known = folder.read<{ chargebackId: string }>(FILE)
  if (known) return known.chargebackId
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const others = async () => {
    const response = await fetch(`${apiUrl}/chargebacks?limit=100&pspStatus=needs_response`, { headers })
    return ((await response.json()) as { data: Listed[] }).data.filter(({ id }) => id !== except)
  }
  try {
    let found = await others()
    for (const end = Date.now() + POLLED_MS; found.length < WITH_DATA && Date.now() < end; found = await others())
      await pause(200)
    let sent: string | null = null
    for (const one of found.slice(-WITH_DATA)) {
      const url = `${apiUrl}/chargebacks/${one.id}`
      const assess = async () => (await (await fetch(`${url}/assessment`, { headers })).json()) as Assessment
      const { missingDataPoints } = (await assess()).data
      const asked = OF_ONE_CLAIM.filter(([name]) => missingDataPoints.includes(name))
      const body = JSON.stringify({ ...pointsOf(one), ...Object.fromEntries(asked) })
      const { ok } = await fetch(url, { method: 'PATCH', headers, body })
      // For some reasons more is asked for than a shop without accounts and returns can know.
      if (ok && (await assess()).data.handling.status === 'building_evidence') sent = one.id
    }
    if (sent) folder.write(FILE, { chargebackId: sent })
    return sent
  } catch {
    return null
  }
}

/** What only some claims ask for. */
const OF_ONE_CLAIM: readonly [string, string][] = [
  ['descriptionRebuttal', 'The shoes have the colour and size of the order.'],
  ['refundRefusalExplanation', 'No refund is due: the shoes were delivered and have not been sent back.'],
  ['cancellationRebuttal', 'The order was not cancelled before it was sent.'],
  ['onlyPaymentStatement', 'No payment other than this one was received for the order A-1001.'],
  ['duplicateChargeId', 'payment-1002'],
  ['duplicateChargeOrderId', 'A-1002'],
  ['authorizationCode', '123456'],
  ['cardEntry', 'chip'],
]

/** A sale of goods that were delivered, with dates that fit the payment and the dispute. */
function pointsOf({ postingDate, transactionCreatedDate, amount, currency }: Listed): Record<string, unknown> {
  const posted = postingDate ? Date.parse(postingDate) : Date.now()
  const paid = transactionCreatedDate ? Date.parse(transactionCreatedDate) : posted - 10 * DAY_MS
  const on = (days: number) => new Date(Math.min(paid + days * DAY_MS, posted)).toISOString().slice(0, 10)
  return {
    transactionOrderItemsProductDescription: 'Blue running shoes, size 42',
    transactionOrderItemsProductName: 'Running shoes',
    transactionShippingToFullShippingAddress: '12 Mill Lane, Leeds, LS1 4DY, GB',
    transactionShippingToZipCode: 'LS1 4DY',
    transactionOrderIpAddress: '203.0.113.24',
    transactionOrderDeviceId: 'device-7c2e',
    transactionOrderUserAgent: 'Mozilla/5.0',
    transactionOrderSteamId: 'account-1001',
    transactionCardFingerprint: 'card-42',
    ...{ orderId: 'A-1001', shippingCarrier: 'DHL', shippingTrackingNumber: '00340434161094042557' },
    ...{ shippingDate: on(1), deliveryDate: on(3), termsAcceptedDate: on(0) },
    cancellationPolicyDisclosure: 'Shown at the checkout: goods may be returned within 30 days.',
    refundPolicyDisclosure: 'Shown at the checkout: refunds are paid within 14 days of a return.',
    orderItems: [{ name: 'Blue running shoes, size 42', quantity: 1, amount: `${amount} ${currency}` }],
    customerCommunication: [
      {
        sent: on(3),
        from: 'shop@demo.example',
        body: 'Your parcel has arrived.',
        caption: 'The delivery was announced.',
      },
    ],
  }
}
