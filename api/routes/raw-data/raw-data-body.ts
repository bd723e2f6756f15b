import { z } from '@hono/zod-openapi'
import { PSPS } from '../../../domain/chargeback.ts'
import { DATA_TYPES } from '../../../domain/raw-data.ts'
import { dateTime, id, text, timestamp } from '../../http/shapes.ts'

/** Body of operation 21. The content of `rawData` depends on the other fields. */
export const rawDataBody = z
  .strictObject({
    dataSource: z.enum(PSPS).openapi({ description: 'Whose data it is; becomes the psp.' }),
    dataSourceVersion: text(255).openapi({ description: 'Version of the source’s interface.', example: '2024-06-20' }),
    dataType: z.enum(DATA_TYPES).openapi({ description: 'Kind of the object.' }),
    integrationId: id.openapi({ description: 'The integration that the data comes in by.' }),
    requestTimeStamp: dateTime.openapi({ description: 'When the source said it; orders what it says of one object.' }),
    rawData: z.record(z.string(), z.unknown()).openapi({ description: 'One object of the source.' }),
  })
  .openapi('RawData')

export type RawDataBody = z.infer<typeof rawDataBody>

export const rawDataExample = {
  dataSource: 'worldpay',
  dataSourceVersion: '1',
  dataType: 'chargebacks',
  integrationId: '0198c5a4-1111-7d60-9a55-2f4b1f6f7d10',
  requestTimeStamp: '2026-01-31T09:30:00Z',
  rawData: {
    chargebackId: 'cb-1001',
    currency: 'EUR',
    amount: 10.99,
    postingDate: '2026-01-30T00:00:00Z',
    dueDate: '2026-02-14T23:59:59Z',
    pspStatus: 'needs_response',
    lifecycleStage: 'chargeback',
    transactionId: 'tx-1001',
    reasonCode: '10.4',
    cardScheme: 'visa',
  },
}

export type { IngestionStatus } from '../../../db/polling/ingestions.ts'

export const ingestionKey = id.openapi({ description: 'Id of the ingestion.' })

export const ingestion = z
  .object({
    id: ingestionKey,
    status: z.enum(['created', 'waiting', 'applied', 'ignored', 'failed']).openapi({
      description:
        '`waiting`: a record whose chargeback has not come yet. `applied`: handed to the integration, which shows it ' +
        'within seconds. `ignored`: a later requestTimeStamp was applied before.',
    }),
    reason: z.string().optional().openapi({ description: 'Why it waits, was ignored or failed.' }),
    dataType: z.string().openapi({ description: 'Kind of the object.' }),
    rawDataId: z.string().openapi({ description: 'The object’s own id.' }),
    createdAt: timestamp.openapi({ description: 'When it was accepted.' }),
    processedAt: timestamp.optional().openapi({ description: 'When it was applied, ignored or failed.' }),
  })
  .openapi('Ingestion')
