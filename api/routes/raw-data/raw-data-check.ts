import type { AdapterDefinition } from '../../../adapters/contract.ts'
import { readPostedObject } from '../../../adapters/raw-data.ts'
import { sliceMember } from '../../../adapters/shared/raw-json.ts'
import { integrationNotFound } from '../../../db/core/refusal.ts'
import { readIntegration } from '../../../db/integrations/integrations.ts'
import type { NewIngestion } from '../../../db/polling/ingestions.ts'
import { SANDBOX_SOURCE } from '../../../domain/chargeback.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { issuesSentence } from '../../http/validation.ts'
import { transactionBody } from '../transactions/transaction-body.ts'
import type { RawDataBody } from './raw-data-body.ts'

/**
 * Validates posted raw data as far as possible without processing it.
 * @param bodyText the request's body: the object is stored as it came
 * @throws Refusal integration_not_found; ApiError 400 integration_not_usable, data_source_not_accepted,
 * validation_failed
 */
export async function acceptRawData(
  { db, adapters }: Pick<ApiDeps, 'db' | 'adapters'>,
  merchantUuid: string,
  body: RawDataBody,
  bodyText: string,
): Promise<Omit<NewIngestion, 'merchantUuid' | 'credentialId'>> {
  const { rawData, integrationId: named, dataSource, ...rest } = body
  if (!isUuid(named)) throw integrationNotFound()
  const { integrationId, source, status } = await readIntegration(db, { merchantUuid, integrationId: named })
  if (status === 'INACTIVE')
    throw new ApiError(400, 'integration_not_usable', 'integrationId: The integration is inactive.')
  if (source !== SANDBOX_SOURCE && source !== dataSource)
    throw new ApiError(400, 'data_source_not_accepted', `dataSource: This integration takes ${source} only.`)
  const common = { ...rest, integrationId, dataSource }
  const text = sliceMember(bodyText, 'rawData') ?? JSON.stringify(rawData)
  return { ...common, ...readObject(common, rawData, text, definitionOf(adapters, dataSource)) }
}

function readObject(
  { dataType, dataSource }: Pick<RawDataBody, 'dataType' | 'dataSource'>,
  rawData: RawDataBody['rawData'],
  text: string,
  definition: AdapterDefinition | undefined,
): { reference: string; about: string[]; text: string } {
  if (dataType === 'transactions') {
    const record = transactionBody.safeParse(rawData)
    if (!record.success) throw invalid(issuesSentence(record.error.issues, ['rawData']))
    return { reference: record.data.transactionId, about: [], text: JSON.stringify(record.data) }
  }
  const read = readPostedObject({ dataSource, dataType, text, definition })
  if (read.kind === 'refused') throw invalid(read.faults.map((fault) => `rawData: ${fault}`).join('; '))
  return { reference: read.reference, about: read.kind === 'record' ? read.about : [], text }
}

const invalid = (sentence: string) => new ApiError(400, 'validation_failed', sentence)

function definitionOf(adapters: ApiDeps['adapters'], dataSource: string): AdapterDefinition | undefined {
  const [secretType] = adapters.acceptedSecretTypes(dataSource)
  return secretType && adapters.adapterFor(dataSource, secretType)
}
