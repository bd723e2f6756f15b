import type { Context } from 'hono'
import type { EndpointOwner } from '../../../db/webhooks/endpoints.ts'
import { endpointNotFound } from '../../../db/webhooks/endpoints.ts'
import { isUuid } from '../../../domain/ids.ts'
import { endpointUrl } from '../../../domain/webhooks/endpoint-url.ts'
import { faultOfReceiver } from '../../../webhooks/check-receiver.ts'
import { PUBLIC_ONLY } from '../../../webhooks/guarded-agents.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'

/** The merchant that the request selects; an account credential without a selector: all merchants of the account. */
export const ownerOf = (c: Context<ApiEnv>): EndpointOwner => ({
  accountId: c.get('principal').accountId,
  merchantUuid: c.get('merchantUuid') ?? null,
})

/** Who does it, for the trail. */
export const actorOf = (c: Context<ApiEnv>): string => c.get('principal').credentialId

/** @throws Refusal webhook_endpoint_not_found */
export function checkEndpointId(id: string): string {
  if (!isUuid(id)) throw endpointNotFound()
  return id
}

/** The address as it is stored. @throws ApiError 400 */
export async function checkUrl(deps: ApiDeps, text: string): Promise<string> {
  const read = endpointUrl(text, deps.environment)
  const fault = 'fault' in read ? read.fault : await faultOfReceiver(read.url, deps.receivers ?? PUBLIC_ONLY)
  if (fault !== null || 'fault' in read) throw new ApiError(400, 'validation_failed', `url: ${fault}`)
  return read.url
}
