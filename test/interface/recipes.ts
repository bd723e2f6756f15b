import { randomUUID } from 'node:crypto'
import type { Operation } from './document.ts'
import type { Part } from './requests.ts'

/** What an id in a request names. `accepted` is a chargeback with an acceptance. */
export const KINDS = ['merchant', 'integration', 'chargeback', 'accepted', 'alert'] as const
export type Kind = (typeof KINDS)[number]
export type RecipeIds = Record<Kind, string>

/** How a good request of an operation is made, and where in it resources are named. */
export interface Recipe {
  /** Of a good request. */
  status: number
  path?: Record<string, Kind>
  /** Fields of the body, and parameters of the query, that name resources of Recoup. */
  bodyIds?: Record<string, Kind>
  queryIds?: Record<string, Kind>
  /** Fields of the body that may only say again what the path says. */
  repeatsPath?: string[]
  body?: (ids: RecipeIds) => Record<string, unknown>
  parts?: (ids: RecipeIds) => Part[]
  /** Of the account, not of one of its merchants. */
  accountLevel?: true
  /** A malformed id in the path is answered with: 404 where the interface says nothing. */
  malformedId?: 400
}

const unique = (prefix: string) => `${prefix}${randomUUID().replaceAll('-', '').slice(0, 16)}`

/** By operationId. An operation without one fails the tests that are generated from the description. */
const RECIPES: Record<string, Recipe> = {
  listChargebacks: { status: 200 },
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
  listIntegrations: { status: 200, queryIds: { integrationId: 'integration' } },
  createIntegration: {
    status: 201,
    bodyIds: { parentIntegrationId: 'integration' },
    body: () => ({
      externalIdentifier: unique('acct_'),
      integrationName: 'Stripe Europe',
      source: 'stripe',
      secretType: 'APIKEY_ONLY',
      secretPayload: { apiKey: 'rk_test_generated4711' },
    }),
  },
  deactivateIntegration: {
    status: 200,
    path: { id: 'integration' },
    repeatsPath: ['integrationId'],
    body: () => ({ deactivationType: 'postingDate', deactivationDate: '2099-01-01T00:00:00Z' }),
    malformedId: 400,
  },
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
  readIntegration: { status: 200, path: { id: 'integration' }, malformedId: 400 },
}

/** Identifiers that others than Recoup assign: whose they are is not asked. */
const OF_OTHERS = /^(chargebackId|externalIdentifier|referenceId|transaction\w*Id)$/

export const hasRecipe = (operation: Operation): boolean => operation.id in RECIPES

export const recipeOf = (operation: Operation): Recipe => {
  const recipe = RECIPES[operation.id]
  if (!recipe) throw new Error(`${operation.name} has no recipe: add ${operation.id} to test/interface/recipes.ts`)
  return recipe
}

/** What the recipe of an operation leaves out, in sentences. */
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
    ...(operation.body && !recipe.body && !recipe.parts ? [`${operation.id}: what is a good body?`] : []),
  ]
}

export const knownRecipes = () => Object.keys(RECIPES)
