import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { createRemoval } from '../../../db/erasure/removals.ts'
import { addressesIn } from '../../../domain/accounts/addresses.ts'
import { namePhrase } from '../../../domain/redaction.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { success, writeErrors } from '../../http/responses.ts'
import { envelope, idempotencyKey, text } from '../../http/shapes.ts'

const name = text(100).refine((value) => namePhrase(value) !== '', 'Must hold a letter or digit')

const subject = z
  .strictObject({
    email: z
      .email({ error: ({ input }) => (input === undefined ? undefined : 'Must be an e-mail address') })
      .max(254)
      .refine((value) => addressesIn(value).length === 1, 'Must be an e-mail address')
      .openapi({ example: 'jane.doe@example.com', description: 'Compared without regard to case.' }),
    firstName: name.openapi({ example: 'Jane', description: 'Compared where a record names somebody.' }),
    lastName: name.openapi({ example: 'Doe', description: 'Compared where a record names somebody.' }),
  })
  .openapi('DataSubject')

const example = { status: 201, message: 'Removal requested' }

const remove = createRoute({
  method: 'post',
  path: '/data-subjects/removal',
  operationId: 'removeDataSubject',
  tags: ['Data subjects'],
  summary: 'Erase a person',
  description:
    'Erases, in the background, what is kept about a person: data points, transactions, files that show the address or ' +
    'were sent for the person’s chargebacks, evidence texts, what PSPs sent, stored answers. A record is the person’s ' +
    'when it holds the e-mail address and, where it names somebody, both names; so is what belongs to a chargeback found ' +
    'that way. Amounts, dates, statuses and the timeline stay. A later poll does not bring the person back. The answer is ' +
    'the same whether anything is known about the person or not; repeating the request is harmless.',
  request: {
    headers: idempotencyKey,
    body: { required: true, content: { 'application/json': { schema: subject } } },
  },
  responses: {
    201: success(
      'The request is stored',
      z
        .object({
          ...envelope,
        })
        .openapi('RemovalRequested'),
      example,
    ),
    ...writeErrors,
  },
})

export function dataSubjectRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(remove, async (c) => {
    const outboxId = await deps.db.transaction().execute(async (trx) => {
      const created = await createRemoval(trx, deps.ring, {
        merchantUuid: c.get('merchantUuid'),
        credentialId: c.get('principal').credentialId,
        who: c.req.valid('json'),
      })
      await storeIdempotentResponse(c, deps, trx, 201, example)
      return created.outboxId
    })
    await deps.dispatch(outboxId)
    return c.json(example, 201)
  })
  return routes
}
