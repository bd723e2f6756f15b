import { createHash } from 'node:crypto'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { accepts } from 'hono/accepts'
import { chargebackNotFound } from '../../../db/chargebacks/chargebacks.ts'
import { readFile } from '../../../db/evidence/files.ts'
import { holdAutomatic } from '../../../db/packages/automatic.ts'
import { type Draft, readDraft } from '../../../db/packages/drafts.ts'
import { permits } from '../../../domain/accounts/credential.ts'
import { answerStages } from '../../../domain/evidence/answer-stages.ts'
import { automaticTimes } from '../../../domain/evidence/package/automatic-policy.ts'
import { BLOCKERS, blockersOf } from '../../../domain/evidence/package/blockers.ts'
import type { PackageContent } from '../../../domain/evidence/package/package-content.ts'
import { isUuid } from '../../../domain/ids.ts'
import { requirePermission } from '../../auth/roles.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { isUnchanged } from '../../http/etag.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { readErrors, success, successVersioned, writeErrors } from '../../http/responses.ts'
import { conditional, createResponse, idempotencyKey, ids } from '../../http/shapes.ts'
import { draftShape, shownDraft } from './draft-shape.ts'

const PDF = 'application/pdf'
const example = {
  packageId: '0198c5a4-8888-7d60-9a55-2f4b1f6f7d10',
  ...{ version: 3, state: 'current', builtAt: '2026-01-31T09:30:00.000Z' },
  fileId: '0198c5a4-5555-7d60-9a55-2f4b1f6f7d10',
  ...{ completeness: 0.87, requiredMissing: [], missing: ['deliverySignedBy or a file of kind signature'] },
  ...{ play: 'not_received', playbook: { version: 1 }, pages: 2, bytes: 41_337, warnings: [], stale: false },
  texts: { shipping_carrier: 'DHL', shipping_tracking_number: '00340434161094042557' },
  textsLeftOut: [],
  statements: [
    { id: 'delivered', kept: true, text: 'The parcel was delivered on 6 March 2026, 11:42 UTC.', exhibits: ['A'] },
    { id: 'signed', kept: false, why: 'missing: deliverySignedBy', exhibits: [] },
  ],
  exhibits: [{ letter: 'A', fileId: '0198c5a4-6666-7d60-9a55-2f4b1f6f7d10', kind: 'delivery', pages: 1 }],
  filesLeft: [],
  automatic: { policy: 'manual', blockedBy: ['policy_manual'] },
}

const versioned = successVersioned(
  'The latest package: JSON, or the PDF for `Accept: application/pdf`',
  draftShape,
  example,
)

const read = createRoute({
  method: 'get',
  path: '/chargebacks/{id}/evidence/draft',
  operationId: 'readEvidenceDraft',
  tags: ['Evidence'],
  summary: 'Read the evidence that Recoup built',
  description:
    'While a chargeback is in `building_evidence`, Recoup builds evidence from what is known, and builds it again after ' +
    'each change. To change it, send data points or files. To approve it, submit its `fileId` (`submitEvidence`): the PSP ' +
    'gets exactly this PDF and these texts. `Accept: application/pdf` gives the PDF. The PDF, `texts`, sentences and captions ' +
    'may name persons: with the role `read` the PDF is 403, and the others are left out. Refusals (404) beyond the chargeback: ' +
    '`draft_not_ready`, with Retry-After while one is being built. `automatic.blockedBy` has some of ' +
    `${BLOCKERS.map((code) => `\`${code}\``).join(', ')}.`,
  request: { headers: conditional, params: z.object({ id: ids.chargeback }) },
  responses: {
    200: {
      ...versioned[200],
      content: {
        ...versioned[200].content,
        [PDF]: { schema: { type: 'string', format: 'binary', contentMediaType: PDF } as const },
      },
    },
    304: versioned[304],
    ...readErrors,
  },
})

const hold = createRoute({
  method: 'patch',
  path: '/chargebacks/{id}/evidence/draft',
  operationId: 'holdEvidenceDraft',
  tags: ['Evidence'],
  summary: 'Hold the automatic submission of a chargeback',
  description:
    '`automatic: false` holds this chargeback back, whatever the policy of the account says; `true` releases it. ' +
    'A submission that has begun is not stopped.',
  request: {
    headers: idempotencyKey,
    params: z.object({ id: ids.chargeback }),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z
            .strictObject({
              automatic: z.boolean().openapi({ description: 'Whether the policy applies.', example: false }),
            })
            .openapi('EvidenceDraftHold'),
        },
      },
    },
  },
  responses: {
    200: success('It is stored', createResponse, {
      ...{ status: 200, message: 'Automatic submission held', id: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10' },
    }),
    ...writeErrors,
  },
})

/** Seconds of a build, with the pause before it. */
const RETRY_AFTER = '30'

export function evidenceDraftRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(read, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const wanted = accepts(c, { header: 'Accept', supports: ['application/json', PDF], default: 'application/json' })
    const { role } = c.get('principal')
    if (wanted === PDF) requirePermission(role, 'work')
    const [merchantUuid, now] = [c.get('merchantUuid'), deps.now?.() ?? new Date()]
    const { draft, automatic } = await readDraft(deps.db, deps.ring, { merchantUuid, chargebackId })
    const isBuilding = automatic.facts.status === 'building_evidence'
    if (!isReadable(draft)) throw notReady(isBuilding)
    c.header('vary', 'accept', { append: true })
    if (wanted === PDF) {
      if (draft.fileId === null || draft.sha256 === null)
        throw draft.state === 'refused' ? refused() : notReady(isBuilding)
      if (isUnchanged(c, `${draft.version}-${draft.sha256.slice(0, 12)}`)) return c.body(null, 304) as never
      const { content } = await readFile(deps.db, deps.ring, { merchantUuid, fileId: draft.fileId })
      return c.body(new Uint8Array(content), 200, { 'content-type': PDF }) as never
    }
    const { facts, policy, source, secretType, psp } = automatic
    const contest = answerStages(deps.adapters.adapterFor(source, secretType)?.capabilities.contest)
    const times = automaticTimes({ id: chargebackId, psp, dueDate: facts.dueDate }, policy)
    const body = {
      ...shownDraft(draft, permits(role, 'work')),
      stale: facts.stale && isBuilding && !facts.hasCommand,
      automatic: {
        policy: policy.mode,
        ...(policy.mode === 'auto' && times && { at: times.submittedAt.toISOString() }),
        blockedBy: blockersOf(facts, policy, contest, now),
      },
    }
    const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex')
    if (isUnchanged(c, `${draft.version}-${hash.slice(0, 12)}`)) return c.body(null, 304) as never
    return c.json(body, 200)
  })

  routes.openapi(hold, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const { automatic } = c.req.valid('json')
    const message = `Automatic submission ${automatic ? 'released' : 'held'}`
    const response = { status: 200, message, id: chargebackId }
    await deps.db.transaction().execute(async (trx) => {
      const { credentialId } = c.get('principal')
      const asked = { merchantUuid: c.get('merchantUuid'), chargebackId, hold: !automatic, credentialId }
      if (!(await holdAutomatic(trx, asked))) throw chargebackNotFound()
      await storeIdempotentResponse(c, deps, trx, 200, response)
    })
    return c.json(response, 200)
  })
  return routes
}

type Readable = Draft & { content: PackageContent }
const isReadable = (draft: Draft | null): draft is Readable => draft !== null && draft.content !== null

const refused = () =>
  new ApiError(
    404,
    'draft_not_ready',
    'There is no PDF, because no evidence could be built from what is known: `warnings` of the JSON say what to send.',
  )

const notReady = (isBuilding: boolean) =>
  new ApiError(
    404,
    'draft_not_ready',
    isBuilding
      ? 'The evidence of this chargeback is being built. Try again in half a minute.'
      : 'There is no evidence: it is built while the status of the chargeback is building_evidence.',
    isBuilding ? { 'retry-after': RETRY_AFTER } : {},
  )
