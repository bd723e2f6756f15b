import { randomUUID } from 'node:crypto'
import type { Operation } from './document.ts'
import { INTEGRATION_RECIPES } from './integration-recipes.ts'
import type { Part } from './multipart.ts'
import { WEBHOOK_RECIPES } from './webhook-recipes.ts'

/**
 * Kinds of resources that an id can name. `accepted`, `submitted` and `drafted` are chargebacks with an acceptance, a
 * submission and built evidence.
 */
export const KINDS = [
  'merchant',
  'integration',
  'chargeback',
  'accepted',
  'submitted',
  'drafted',
  'submission',
  'file',
  'unusedFile',
  'alert',
  'event',
  'ingestion',
  'endpoint',
  'unusedEndpoint',
] as const
export type Kind = (typeof KINDS)[number]
export type RecipeIds = Record<Kind, string>

/** How to make a valid request of an operation, and which of its fields name resources. */
export interface Recipe {
  /** Of the response to a valid request. */
  status: number
  path?: Record<string, Kind>
  /** Fields of the body, and parameters of the query, that name resources of Recoup. */
  bodyIds?: Record<string, Kind>
  queryIds?: Record<string, Kind>
  /** Fields of the body that must repeat the id in the path. */
  repeatsPath?: readonly string[]
  body?: (ids: RecipeIds) => Record<string, unknown>
  parts?: (ids: RecipeIds) => Part[]
  /** Of the account, not of one of its merchants. */
  accountLevel?: true
  /** Of the caller, whatever its scope: no merchant is selected. */
  everyScope?: true
  /** An account token without a selector acts for all merchants, whose resources are others than those of one. */
  allMerchants?: true
  /** Status for a malformed id in the path; 404 by default. */
  malformedId?: 400
}

const unique = (prefix: string) => `${prefix}${randomUUID().replaceAll('-', '').slice(0, 16)}`

/** The smallest PDF that has a page. */
function emptyPage(): string {
  const objects = [
    '/Type /Catalog /Pages 2 0 R',
    '/Type /Pages /Kids [3 0 R] /Count 1',
    '/Type /Page /Parent 2 0 R /MediaBox [0 0 9 9]',
  ]
  const parts = objects.map((object, index) => `${index + 1} 0 obj\n<< ${object} >>\nendobj\n`)
  const head = '%PDF-1.4\n'
  const offsets = parts.map((_, index) => head.length + parts.slice(0, index).join('').length)
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const body = head + parts.join('')
  return `${body}xref\n0 4\n0000000000 65535 f \n${entries}trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
}

/** By operationId. An operation without one fails the tests that are generated from the description. */
const RECIPES: Record<string, Recipe> = {
  listChargebacks: { status: 200 },
  readMe: { status: 200, everyScope: true },
  readDataPoints: { status: 200, path: { id: 'chargeback' } },
  exportChargebacks: { status: 200 },
  readSummary: { status: 200 },
  readChargebackRatio: { status: 200 },
  readChargeback: { status: 200, path: { id: 'chargeback' } },
  updateChargeback: {
    status: 201,
    path: { id: 'chargeback' },
    body: () => ({ signedDelivery: true, transactionOrderEmail: 'buyer@example.com' }),
    malformedId: 400,
  },
  upsertTransaction: {
    status: 201,
    body: () => ({
      transactionId: unique('ch_'),
      transactionCardBin: '424242',
      transactionOrderEmail: 'buyer@example.com',
    }),
  },
  acceptChargeback: { status: 200, path: { id: 'chargeback' } },
  readAcceptance: { status: 200, path: { id: 'accepted' } },
  readTimeline: { status: 200, path: { id: 'chargeback' } },
  listEvents: { status: 200 },
  readEvent: { status: 200, path: { id: 'event' } },
  readAssessment: { status: 200, path: { id: 'chargeback' } },
  decideShouldFight: { status: 201, path: { id: 'chargeback' }, body: () => ({ shouldFight: true }) },
  submitEvidence: {
    status: 201,
    path: { id: 'chargeback' },
    bodyIds: { fileId: 'file' },
    body: ({ file }) => ({ fileId: file }),
  },
  planEvidence: {
    status: 200,
    path: { id: 'chargeback' },
    bodyIds: { fileId: 'file' },
    body: ({ file }) => ({ fileId: file }),
  },
  readEvidenceDraft: { status: 200, path: { id: 'drafted' } },
  holdEvidenceDraft: { status: 200, path: { id: 'drafted' }, body: () => ({ automatic: false }) },
  listEvidenceSubmissions: { status: 200, path: { id: 'submitted' } },
  readEvidenceSubmission: { status: 200, path: { id: 'submitted', submitEvidenceId: 'submission' } },
  uploadFile: {
    status: 201,
    parts: () => [
      { name: 'file', content: emptyPage(), filename: 'proof.pdf', type: 'application/pdf' },
      { name: 'purpose', content: 'evidence_file' },
      { name: 'metadata', content: '{"order":"1001"}' },
    ],
  },
  readFile: { status: 200, path: { id: 'file' } },
  readFileContent: { status: 200, path: { id: 'file' } },
  deleteFile: { status: 200, path: { id: 'unusedFile' } },
  removeDataSubject: {
    status: 201,
    body: () => ({ email: `${unique('nobody')}@example.com`, firstName: 'Nadja', lastName: 'Nobody' }),
  },
  uploadRawData: {
    status: 201,
    bodyIds: { integrationId: 'integration' },
    body: ({ integration }) => ({
      dataSource: 'stripe',
      dataSourceVersion: '2024-06-20',
      dataType: 'chargebacks',
      integrationId: integration,
      requestTimeStamp: '2026-01-31T09:30:00Z',
      rawData: {
        chargebackId: unique('cb-'),
        currency: 'EUR',
        amount: 10.99,
        postingDate: '2026-01-30T00:00:00Z',
        pspStatus: 'needs_response',
        lifecycleStage: 'chargeback',
      },
    }),
  },
  readRawDataIngestion: { status: 200, path: { id: 'ingestion' } },
  replaceScopeSettings: {
    status: 200,
    path: { id: 'integration' },
    body: () => ({ cardSchemes: ['amex'], reasonCodes: ['13.1'], chargebackAmount: { min: 20, max: 5000 } }),
    malformedId: 400,
  },
  previewScopeSettings: {
    status: 200,
    path: { id: 'integration' },
    body: () => ({ lifecycleStages: ['chargeback'] }),
    malformedId: 400,
  },
  readScopeSettings: { status: 200, path: { id: 'integration' }, malformedId: 400 },
  listScopeOptions: { status: 200 },
  createAlertOutcome: {
    status: 201,
    bodyIds: { alertId: 'alert' },
    body: ({ alert }) => ({ alertId: alert, providerName: 'Ethoca', outcome: 'in_progress' }),
  },
  listAlerts: { status: 200 },
  readAlert: { status: 200, path: { alertId: 'alert' } },
  listMerchants: { status: 200, accountLevel: true, queryIds: { merchantUuid: 'merchant' } },
  createMerchant: {
    status: 201,
    accountLevel: true,
    body: () => ({
      merchantName: 'Generated Shop',
      websiteUrl: 'https://shop.example.com',
      email: 'generated@example.com',
      firstName: 'Gerd',
      lastName: 'Generated',
    }),
  },
  deactivateMerchant: {
    status: 200,
    body: () => ({ deactivationType: 'dueDate', deactivationDate: '2099-01-01T00:00:00Z' }),
  },
  readMerchant: { status: 200, accountLevel: true, path: { merchantUuid: 'merchant' }, malformedId: 400 },
  ...INTEGRATION_RECIPES,
  ...WEBHOOK_RECIPES,
}

/** Identifiers that Recoup does not assign: their owner is not checked. */
const OF_OTHERS = /^(chargebackId|externalIdentifier|referenceId|transaction\w*Id)$/

export const hasRecipe = (operation: Operation): boolean => operation.id in RECIPES

export const recipeOf = (operation: Operation): Recipe => {
  const recipe = RECIPES[operation.id]
  if (!recipe) throw new Error(`${operation.name} has no recipe: add ${operation.id} to test/interface/recipes.ts`)
  return recipe
}

/** What the recipe of an operation lacks. */
export function recipeFaults(operation: Operation, fields: readonly string[]): string[] {
  const recipe = RECIPES[operation.id]
  if (!recipe) return [`${operation.id} has no recipe in test/interface/recipes.ts`]
  const inPath = operation.parameters.filter((one) => one.in === 'path').map((one) => one.name)
  const inQuery = operation.parameters.filter((one) => one.in === 'query').map((one) => one.name)
  const looksLikeId = (name: string) => /(id|uuid)$/i.test(name) && !OF_OTHERS.test(name)
  const unknown = (names: readonly string[], known: object | undefined) =>
    names.filter((name) => !(name in (known ?? {})))
  return [
    ...unknown(inPath, recipe.path).map((name) => `${operation.id}: what does {${name}} name?`),
    ...unknown(inQuery.filter(looksLikeId), recipe.queryIds).map((name) => `${operation.id}: what does ?${name} name?`),
    ...unknown(
      fields.filter((name) => looksLikeId(name) && !recipe.repeatsPath?.includes(name)),
      recipe.bodyIds,
    ).map((name) => `${operation.id}: what does ${name} name?`),
    ...(operation.body && !recipe.body && !recipe.parts ? [`${operation.id}: what is a valid body?`] : []),
  ]
}

export const knownRecipes = () => Object.keys(RECIPES)
