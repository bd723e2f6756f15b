import { type AlertFacts, alertOf } from '../domain/alert.ts'
import type { ChargebackFacts, Psp } from '../domain/chargeback.ts'
import { ALERT_PROVIDERS } from '../domain/chargeback.ts'
import { faultOfDataPoint } from '../domain/data-points.ts'
import { type DataType, isRecordType, RECORD_DATA_POINTS, readRecord, withoutNulls } from '../domain/raw-data.ts'
import type { AdapterDefinition, RawObject } from './contract.ts'
import { faultsOfRawData, toRecoupShape } from './sandbox/raw-data.ts'
import { toChargeback } from './sandbox/translate.ts'
import { asRecord } from './shared/raw-json.ts'

export { inboxEntry } from './sandbox/raw-data.ts'

/** A sandbox object as a client posted it. */
export interface PostedObject {
  dataSource: Psp
  dataType: Exclude<DataType, 'transactions'>
  /** The object, unchanged. */
  text: string
  /** The adapter of `dataSource`, if there is one. */
  definition: AdapterDefinition | undefined
}

export type ReadObject =
  | { kind: 'chargeback'; reference: string; facts: ChargebackFacts; own: boolean }
  | { kind: 'alert'; reference: string; facts: AlertFacts }
  | { kind: 'record'; reference: string; about: string[] }
  | { kind: 'refused'; faults: string[] }

/**
 * Pure: parses a posted object, or returns all its errors as sentences. A chargeback or alert is either in the PSP's
 * format (`own`), parsed by that PSP's adapter, or in the Recoup format, which has a chargebackId.
 */
export function readPostedObject(posted: PostedObject): ReadObject {
  const object = asRecord(parsed(posted.text))
  if (object === null) return refused('it must be an object')
  if (isRecordType(posted.dataType)) {
    const record = readRecord(object)
    if ('fault' in record) return refused(record.fault)
    const fault = faultOfDataPoint(RECORD_DATA_POINTS[posted.dataType], { [record.reference]: withoutNulls(object) })
    return fault ? refused(fault) : { kind: 'record', ...record }
  }
  const isAlert = posted.dataType === 'early_fraud_warnings'
  if ('chargebackId' in object) return readRecoupShape(posted.dataSource, object, isAlert)
  const { definition, dataSource, text } = posted
  if (definition === undefined)
    return refused(`objects of ${dataSource} are taken in the Recoup shape only: it lacks a chargebackId`)
  return isAlert ? readWarning(definition, text) : readDispute(definition, text)
}

/** In the format of the sandbox's inbox. */
export const recoupShapeOf = (facts: ChargebackFacts, dataSource: Psp): Record<string, unknown> => ({
  ...toRecoupShape(facts),
  psp: dataSource,
})

function readRecoupShape(dataSource: Psp, given: Record<string, unknown>, isAlert: boolean): ReadObject {
  const object = isAlert ? { lifecycleStage: 'alert', pspStatus: 'not_applicable', ...given } : given
  const faults = faultsOfRawData(object)
  if (object.psp !== undefined && object.psp !== dataSource) faults.push('psp must be the dataSource, or left out')
  if (isAlert && object.lifecycleStage !== 'alert') faults.push('lifecycleStage of an early fraud warning is alert')
  if (object.lifecycleStage === 'alert' && !ALERT_PROVIDERS.some((provider) => provider === object.providerName))
    faults.push(`providerName of an alert must be one of ${ALERT_PROVIDERS.join(', ')}`)
  if (faults.length > 0) return refused(...faults)
  const translation = toChargeback({ reference: null, text: JSON.stringify({ ...object, psp: dataSource }) })
  if (translation.kind === 'unmappable') return refused(translation.reason)
  return isAlert ? alert(alertOf(translation.facts)) : chargeback(translation.facts, false)
}

function readDispute(definition: AdapterDefinition, text: string): ReadObject {
  const facts = translated(definition, { reference: null, text })
  if (typeof facts === 'string') return refused(facts)
  // A sandbox integration can't store what the Recoup format can't express.
  const faults = faultsOfRawData(toRecoupShape(facts))
  return faults.length > 0 ? refused(...faults) : chargeback(facts, true)
}

function readWarning(definition: AdapterDefinition, text: string): ReadObject {
  const raw = { reference: null, text }
  const warning = definition.toEarlyWarning?.(raw) ?? null
  if (warning?.kind === 'alert') return alert(warning.facts)
  if (warning?.kind === 'unmappable') return refused(warning.reason)
  const facts = translated(definition, raw)
  if (typeof facts === 'string') return refused(facts)
  return facts.lifecycleStage === 'alert' ? alert(alertOf(facts)) : refused('it is no early fraud warning')
}

function translated(definition: AdapterDefinition, raw: RawObject): ChargebackFacts | string {
  try {
    const translation = definition.toChargeback(raw)
    return translation.kind === 'chargeback' ? translation.facts : translation.reason
  } catch {
    return `it is no object of ${definition.source} that can be read`
  }
}

const refused = (...faults: string[]): ReadObject => ({ kind: 'refused', faults })
const alert = (facts: AlertFacts): ReadObject => ({ kind: 'alert', reference: facts.reference, facts })
const chargeback = (facts: ChargebackFacts, own: boolean): ReadObject => ({
  kind: 'chargeback',
  reference: facts.chargebackId,
  facts,
  own,
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
