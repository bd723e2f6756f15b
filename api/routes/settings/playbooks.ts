import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { listPlaybooks } from '../../../db/evidence/evidence-playbooks.ts'
import { effectivePlaybook } from '../../../domain/evidence/overrides.ts'
import { OVERLAYS, PLAYBOOKS } from '../../../domain/evidence/playbooks/index.ts'
import { OVERLAY_IDS, PLAY_IDS } from '../../../domain/evidence/playbooks/playbook.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { readErrors, success } from '../../http/responses.ts'
import { envelope, selector, timestamp } from '../../http/shapes.ts'

const sentence = z.object({
  id: z.string().openapi({ description: 'Name of the sentence.' }),
  text: z.string().openapi({ description: 'A Liquid template over the facts of a chargeback.' }),
  weight: z.int().openapi({ description: '3: required, 2: compelling, 1: helps.' }),
  from: z
    .enum(['default', 'account', 'off'])
    .openapi({ description: 'Recoup’s, the account’s own, or one of Recoup’s that the account leaves out.' }),
  files: z.array(z.string()).openapi({ description: 'Kinds of files that show it.' }),
})

const playbook = z
  .object({
    play: z.enum([...PLAY_IDS, ...OVERLAY_IDS]).openapi({ description: 'Kind of claim that it answers.' }),
    overlay: z.boolean().openapi({ description: 'Goes before the playbook of any claim, when its facts are known.' }),
    version: z.int().openapi({ description: 'Version of Recoup’s sentences.' }),
    manualOnly: z.boolean().openapi({ description: 'Whether its evidence is never submitted automatically.' }),
    override: z.int().optional().openapi({ description: 'Version of the account’s own sentences.' }),
    overriddenAt: timestamp.optional().openapi({ description: 'When that version was stored.' }),
    sentences: z.array(sentence).openapi({ description: 'In the order in which they are written.' }),
  })
  .openapi('Playbook')

const list = createRoute({
  method: 'get',
  path: '/playbooks',
  operationId: 'listPlaybooks',
  tags: ['Settings'],
  summary: 'List the sentences that evidence is written from',
  description: 'One playbook for each kind of claim, with the account’s own sentences in their places.',
  request: { headers: selector },
  responses: {
    200: success(
      'The playbooks',
      z
        .object({ ...envelope, data: z.array(playbook).openapi({ description: 'The playbooks.' }) })
        .openapi('PlaybookList'),
      {
        status: 200,
        message: 'Playbooks retrieved',
        data: [
          {
            ...{ play: 'not_received', overlay: false, version: 1, manualOnly: false },
            sentences: [
              {
                ...{ id: 'delivered', text: 'The parcel was delivered on {{ deliveredAt }}.', weight: 3 },
                ...{ from: 'default', files: [] },
              },
            ],
          },
        ],
      },
    ),
    ...readErrors,
  },
})

const isOverlay = ({ id }: { id: string }) => OVERLAYS.some((one) => one.id === id)

export function playbookRoutes({ db }: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(list, async (c) => {
    const stored = await listPlaybooks(db, c.get('principal').accountId)
    const data = PLAYBOOKS.map((one) => {
      const own = stored.find(({ play }) => play === one.id)
      const { override, statements } = effectivePlaybook(one, own)
      return {
        ...{ play: one.id, overlay: isOverlay(one), version: one.version, manualOnly: one.manualOnly ?? false },
        ...(override !== null && own && { override, overriddenAt: own.createdAt.toISOString() }),
        sentences: statements.map(({ statement: { id, text, weight, exhibits = [] }, from }) => ({
          ...{ id, text, weight, from },
          files: [...exhibits],
        })),
      }
    })
    return c.json({ status: 200, message: 'Playbooks retrieved', data }, 200)
  })
  return routes
}
