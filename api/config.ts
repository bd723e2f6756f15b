import { z } from 'zod'
import { adapters } from '../adapters/registry.ts'
import { keySourceVariables, portVariable, readVariables, sharedVariables } from '../process/config.ts'
import { withKeyRing } from '../process/key-source.ts'
import { commonConfig } from '../workflows/starters/common-config.ts'
import { readTrustedProxies } from './limits/client-address.ts'

export const apiVariables = {
  ...sharedVariables,
  ...keySourceVariables,
  RECOUP_API_PORT: portVariable.default(8080),
  RECOUP_API_HOST: z.string().min(1).default('127.0.0.1'),
  RECOUP_API_METRICS_PORT: portVariable.default(8082),
  RECOUP_API_METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  RECOUP_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(1000),
  RECOUP_ACCOUNT_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(10_000),
  RECOUP_STRANGER_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(300),
  RECOUP_CONNECTIONS_PER_ADDRESS: z.coerce.number().int().min(1).default(256),
  RECOUP_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http: or https: address' })
    .refine((text) => ['/', ''].includes(new URL(text).pathname), 'must not have a path')
    .optional(),
  RECOUP_TRUSTED_PROXIES: z
    .string()
    .optional()
    .transform((text, context) => {
      try {
        return readTrustedProxies(text ?? '')
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message })
        return z.NEVER
      }
    }),
}

export type ApiConfig = ReturnType<typeof readApiConfig>

/** @throws an Error that names every wrong variable */
export function readApiConfig(env: Record<string, string | undefined> = process.env) {
  const read = readVariables(apiVariables, withKeyRing(env))
  return {
    ...commonConfig(adapters(), read, env),
    port: read.RECOUP_API_PORT,
    host: read.RECOUP_API_HOST,
    metricsPort: read.RECOUP_API_METRICS_PORT,
    metricsHost: read.RECOUP_API_METRICS_HOST,
    rateLimitPerMinute: read.RECOUP_RATE_LIMIT_PER_MINUTE,
    accountLimitPerMinute: read.RECOUP_ACCOUNT_LIMIT_PER_MINUTE,
    unauthenticatedLimitPerMinute: read.RECOUP_STRANGER_LIMIT_PER_MINUTE,
    connectionsPerAddress: read.RECOUP_CONNECTIONS_PER_ADDRESS,
    publicUrl: read.RECOUP_PUBLIC_URL ?? `http://127.0.0.1:${read.RECOUP_API_PORT}`,
    trustedProxies: read.RECOUP_TRUSTED_PROXIES,
  }
}
