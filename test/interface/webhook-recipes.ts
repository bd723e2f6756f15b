/** By operationId: operations on webhook endpoints, which an account token without a selector has for all merchants. */
export const WEBHOOK_RECIPES = {
  createWebhookEndpoint: {
    allMerchants: true,
    status: 201,
    // Nothing listens there; tests allow loopback only.
    body: () => ({ url: 'http://127.0.0.1:59999/hooks', events: ['*'], description: 'Order system' }),
  },
  listWebhookEndpoints: { allMerchants: true, status: 200 },
  readWebhookEndpoint: { allMerchants: true, status: 200, path: { id: 'endpoint' } },
  updateWebhookEndpoint: {
    allMerchants: true,
    status: 200,
    path: { id: 'endpoint' },
    body: () => ({ events: ['chargeback.*'] }),
  },
  deleteWebhookEndpoint: { allMerchants: true, status: 200, path: { id: 'unusedEndpoint' } },
  rotateWebhookSecret: {
    allMerchants: true,
    status: 200,
    path: { id: 'endpoint' },
    body: () => ({ expireOldAfterSeconds: 60 }),
  },
  testWebhookEndpoint: { allMerchants: true, status: 202, path: { id: 'endpoint' } },
  listWebhookDeliveries: { allMerchants: true, status: 200, path: { id: 'endpoint' } },
  replayWebhooks: {
    allMerchants: true,
    status: 202,
    path: { id: 'endpoint' },
    body: () => ({ failedSince: '2026-01-31T00:00:00Z', types: ['chargeback.*'] }),
  },
} as const
