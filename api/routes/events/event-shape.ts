import { z } from '@hono/zod-openapi'
import { EVENT_SUBJECTS, type EventSubject, type EventType } from '../../../domain/events/catalogue.ts'
import { ids, referenceAccountId, timestamp } from '../../http/shapes.ts'
import { acceptance, exampleAcceptance } from '../acceptances/acceptance-shape.ts'
import { alert, exampleAlert } from '../alerts/alert-shape.ts'
import { chargeback, exampleChargeback } from '../chargebacks/chargeback-shape.ts'
import { exampleSubmission, submission } from '../evidence/submission-shape.ts'
import { integration, integrationExample } from '../integrations/integration-shape.ts'
import { exampleMerchant, merchant } from '../merchants/merchant-shape.ts'
import { endpoint, exampleEndpoint } from '../webhooks/endpoint-shape.ts'

const values = (description: string) => z.record(z.string(), z.unknown()).optional().openapi({ description })

const changes = z
  .array(
    z
      .object({
        what: z.string().openapi({ description: 'What happened, in the words of the timeline.' }),
        source: z.string().openapi({ description: 'Who or what caused it, as in the timeline.' }),
        before: values('What it was.'),
        after: values('What it is since then. `fields` names values that may be free text and are not told.'),
      })
      .openapi('EventChange'),
  )
  .openapi({ description: 'What happened, as in the timeline.' })

const removal = z
  .object({
    removalId: z.string().openapi({ description: 'Id of the removal.' }),
    status: z.string().openapi({ description: '`succeeded`.' }),
    erased: z
      .record(z.string(), z.number().int())
      .openapi({ description: 'Number of places where data of the person was erased, by kind.' }),
  })
  .openapi('DataSubjectRemoval')

const now = ' as its GET shows it when the event is read or sent. Absent where only ids are sent.'
const of = <Schema extends z.ZodType>(schema: Schema, what: string) =>
  schema.optional().openapi({ description: `${what}${now}` })
const idOf = (what: string) =>
  z
    .string()
    .optional()
    .openapi({ description: `${what}.` })

const reportedEndpoint = endpoint.partial().required({ id: true, url: true }).openapi('ReportedWebhookEndpoint', {
  description: 'An endpoint of all merchants of the account has its id and the origin of its `url` only.',
})

interface Subject {
  /** Of the schema. */
  name: string
  data: z.ZodRawShape
  example: Record<string, unknown>
}

const chargebackId = ids.chargeback.openapi({ description: 'The chargeback that it is about.' })
const exampleChanges = (what: string, before: object, after: object) => ({
  changes: [{ what, source: 'stripe', before, after }],
})

const SUBJECTS: Record<EventSubject, Subject> = {
  chargeback: {
    name: 'ChargebackEvent',
    data: { chargeback: of(chargeback, 'The chargeback'), chargebackId: chargebackId.optional(), changes },
    example: {
      chargeback: exampleChargeback,
      ...exampleChanges('pspStatus changed', { pspStatus: 'under_review' }, { pspStatus: 'needs_response' }),
    },
  },
  acceptance: {
    name: 'AcceptanceEvent',
    data: {
      acceptance: of(acceptance, 'The acceptance'),
      acceptanceId: idOf('Id of the acceptance, in the timeline too'),
      chargebackId,
      changes,
    },
    example: {
      acceptance: exampleAcceptance,
      chargebackId: exampleChargeback.id,
      changes: [
        { what: 'acceptance succeeded', source: 'stripe', after: { acceptanceId: integrationExample.integrationId } },
      ],
    },
  },
  evidence_submission: {
    name: 'EvidenceSubmissionEvent',
    data: {
      evidenceSubmission: of(submission, 'The submission'),
      submitEvidenceId: ids.submission.optional(),
      chargebackId,
      changes,
    },
    example: {
      evidenceSubmission: exampleSubmission,
      chargebackId: exampleChargeback.id,
      changes: [
        {
          what: 'evidence submission succeeded',
          source: 'stripe',
          after: { submitEvidenceId: exampleSubmission.submitEvidenceId },
        },
      ],
    },
  },
  alert: {
    name: 'AlertEvent',
    data: { alert: of(alert, 'The alert, without comments,'), alertId: idOf('Id of the alert') },
    example: { alert: exampleAlert },
  },
  integration: {
    name: 'IntegrationEvent',
    data: { integration: of(integration, 'The integration'), integrationId: ids.integration.optional() },
    example: { integration: integrationExample },
  },
  merchant: {
    name: 'MerchantEvent',
    data: { merchant: of(merchant, 'The merchant'), merchantUuid: ids.merchant.optional() },
    example: { merchant: exampleMerchant },
  },
  data_subject_removal: {
    name: 'DataSubjectRemovalEvent',
    data: { removal: of(removal, 'The removal'), removalId: idOf('Id of the removal') },
    example: {
      removal: { removalId: ids.file.parse(exampleSubmission.fileId), status: 'succeeded', erased: { chargebacks: 2 } },
    },
  },
  webhook_endpoint: {
    name: 'WebhookEndpointEvent',
    data: {
      webhookEndpoint: of(reportedEndpoint, 'The endpoint'),
      webhookEndpointId: idOf('Id of the webhook endpoint'),
    },
    example: { webhookEndpoint: { ...exampleEndpoint, state: 'disabled', disabledReason: 'gone' } },
  },
}

const typesOf = (subject: EventSubject) =>
  (Object.keys(EVENT_SUBJECTS) as EventType[]).filter((type) => EVENT_SUBJECTS[type] === subject) as [EventType]

const schemaOf = (subject: EventSubject) => {
  const { name, data } = SUBJECTS[subject]
  return z
    .object({
      id: z.string().openapi({
        description: 'Id of the event: the same in the log, in a webhook, and in every repetition of it.',
        pattern: '^evt_[0-9a-f]{32}$',
        example: 'evt_0198c5a46c1e7d609a552f4b1f6f7d10',
      }),
      type: z.enum(typesOf(subject)).openapi({ description: 'What happened.' }),
      timestamp: timestamp.openapi({ description: 'When it happened.' }),
      sequence: z.string().openapi({
        description: 'Position in the log, an integer as text. Of two events about one object the higher one is newer.',
        pattern: '^[0-9]+$',
        example: '184467',
      }),
      referenceAccountId,
      quiet: z.boolean().optional().openapi({
        description: 'True: the event came with the first load of an integration, and is sent to no webhook.',
      }),
      data: z.object(data).openapi({ description: 'The object, and what happened to it.' }),
    })
    .openapi(name)
}

const SCHEMAS = Object.fromEntries(
  (Object.keys(SUBJECTS) as EventSubject[]).map((subject) => [subject, schemaOf(subject)]),
) as Record<EventSubject, ReturnType<typeof schemaOf>>

export const eventSchema = (type: EventType): z.ZodType => SCHEMAS[EVENT_SUBJECTS[type]]

export const event = z
  .union(Object.values(SCHEMAS) as unknown as [z.ZodType, z.ZodType])
  .openapi('Event', { description: 'An event.' })

export const exampleEvent = (type: EventType) => ({
  id: 'evt_0198c5a46c1e7d609a552f4b1f6f7d10',
  type,
  timestamp: '2026-02-03T10:15:00.000Z',
  sequence: '184467',
  referenceAccountId: 'demo-shop',
  data: SUBJECTS[EVENT_SUBJECTS[type]].example,
})
