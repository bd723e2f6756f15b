import {
  ApiError,
  type ApiResponse,
  Client,
  Environment,
  OrdersController,
  PaymentsController,
  TransactionSearchController,
} from '@paypal/paypal-server-sdk'
import { expect, test } from 'vitest'
import { CLIENT_SECRET, clientIdOf, DEMO_ACCOUNT } from '../../../../simulators/paypal/keys.ts'
import { connectSimulator } from '../../adapters/paypal/at-simulator.ts'

/** PayPal's own SDK, pointed at the simulated PayPal, without our adapter in between. */
function sdkAt(base: string, oAuthClientSecret = CLIENT_SECRET): Client {
  const adapter = async (config: { method: string; url: string; data?: string; headers: { toJSON(): object } }) => {
    const { pathname, search } = new URL(config.url)
    const response = await fetch(`${base}${pathname}${search.replaceAll(/&+(?=&|$)/g, '')}`, {
      method: config.method,
      headers: config.headers.toJSON() as Record<string, string>,
      ...(config.data !== undefined && { body: config.data }),
    })
    const headers = Object.fromEntries(response.headers)
    return { status: response.status, statusText: '', headers, data: await response.text(), config }
  }
  return new Client({
    environment: Environment.Sandbox,
    clientCredentialsAuthCredentials: { oAuthClientId: clientIdOf(DEMO_ACCOUNT), oAuthClientSecret },
    unstable_httpClientOptions: { adapter },
  })
}

/** The result as the SDK's models parse it; null for 404. A response that they refuse throws. */
async function typed<T>(read: Promise<ApiResponse<T>>): Promise<T | null> {
  try {
    return (await read).result
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 404) return null
    throw error
  }
}

test('the models of PayPal’s SDK parse the responses of the simulated PayPal', async () => {
  await using paypal = await connectSimulator()
  const client = sdkAt(paypal.url)
  const token = await client.clientCredentialsAuthManager.fetchToken()
  expect([token.tokenType, token.expiresIn, token.scope?.includes('disputes/read-seller')]).toEqual([
    'Bearer',
    32_400n,
    true,
  ])
  const references = await paypal.create({ count: 60 })
  const read = { captures: 0, cards: 0, orders: 0, searched: 0 }
  for (const reference of references) {
    const [payment] = (await paypal.dispute(reference)).disputed_transactions
    const captureId: string = payment.seller_transaction_id
    const paidAt = Date.parse(payment.create_time)
    const capture = await typed(new PaymentsController(client).getCapturedPayment({ captureId }))
    if (capture) {
      read.captures++
      expect([capture.id, capture.status, capture.amount?.currencyCode]).toEqual([
        captureId,
        'COMPLETED',
        payment.gross_amount.currency_code,
      ])
      if (capture.networkTransactionReference?.acquirerReferenceNumber) read.cards++
    }
    const id = capture?.supplementaryData?.relatedIds?.orderId
    const order = id === undefined ? null : await typed(new OrdersController(client).getOrder({ id }))
    if (order) {
      read.orders++
      expect([order.id, order.purchaseUnits?.[0]?.items?.[0]?.name]).toEqual([id, 'Lamp'])
      expect(order.paymentSource?.card?.lastDigits ?? order.paymentSource?.paypal?.emailAddress).toBeTruthy()
      expect(order.purchaseUnits?.[0]?.payments?.captures?.[0]?.id).toBe(captureId)
    }
    const found = await typed(
      new TransactionSearchController(client).searchTransactions({
        transactionId: captureId,
        startDate: new Date(paidAt - 86_400_000).toISOString(),
        endDate: new Date(paidAt + 86_400_000).toISOString(),
        fields: 'all',
      }),
    )
    expect(found?.accountNumber).toBe(DEMO_ACCOUNT)
    read.searched += found?.transactionDetails?.length ?? 0
    expect(found?.transactionDetails?.[0]?.transactionInfo?.transactionId ?? captureId).toBe(captureId)
  }
  expect(read.captures).toBeGreaterThan(30)
  expect(read.orders).toBe(read.captures)
  expect(Math.min(read.cards, read.searched)).toBeGreaterThan(10)
})

test('the models of PayPal’s SDK also parse its refusals', async () => {
  await using paypal = await connectSimulator()
  const refused = sdkAt(paypal.url, 'EKwrong').clientCredentialsAuthManager.fetchToken()
  await expect(refused).rejects.toMatchObject({ statusCode: 401, result: { error: 'invalid_client' } })
  const unknown = new PaymentsController(sdkAt(paypal.url)).getCapturedPayment({ captureId: 'UNKNOWN' })
  await expect(unknown).rejects.toMatchObject({ statusCode: 404, result: { name: 'RESOURCE_NOT_FOUND' } })
})
