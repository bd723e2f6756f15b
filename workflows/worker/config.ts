import { z } from 'zod'
import { readRates } from '../../adapters/rates.ts'
import { adapters } from '../../adapters/registry.ts'
import { EVENT_DAYS } from '../../domain/events/catalogue.ts'
import { keySourceVariables, portVariable, readVariables, sharedVariables } from '../../process/config.ts'
import { withKeyRing } from '../../process/key-source.ts'
import { smtpServerOf } from '../../webhooks/mail/smtp.ts'
import { commonConfig } from '../starters/common-config.ts'

export const workerVariables = {
  ...sharedVariables,
  ...keySourceVariables,
  RECOUP_WORKER_PORT: portVariable.default(8081),
  RECOUP_WORKER_HOST: z.string().min(1).default('127.0.0.1'),
  RECOUP_EVENT_DAYS: z.coerce.number().int().min(1).max(365).default(EVENT_DAYS),
  RECOUP_PSP_REQUESTS_PER_SECOND: z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return readRates(text)
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message })
        return z.NEVER
      }
    }),
  RECOUP_SHUTDOWN_GRACE_SECONDS: z.coerce.number().int().min(1).default(25),
  RECOUP_WEBHOOK_SLOTS: z.coerce.number().int().min(0).max(200).default(20),
  RECOUP_WEBHOOK_TIMEOUT_MS: z.coerce.number().int().min(100).max(15_000).default(15_000),
  RECOUP_SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be smtp://user:password@host:587 or smtps://user:password@host:465' })
    .optional(),
  RECOUP_MAIL_FROM: z.email().optional(),
  /** Seconds a killed worker delays the next workflow task of its runs; the SDK's own default (10) when unset. */
  RECOUP_STICKY_SECONDS: z.coerce.number().int().min(1).optional(),
  /** File with the bundled workflows; see bundle.ts for the default. */
  RECOUP_WORKFLOW_BUNDLE: z.string().min(1).optional(),
}

export type WorkerConfig = ReturnType<typeof readWorkerConfig>

/** @throws an Error that names every wrong variable */
export function readWorkerConfig(env: Record<string, string | undefined> = process.env) {
  const read = readVariables(workerVariables, withKeyRing(env))
  return {
    ...commonConfig(adapters(), read, env),
    rates: read.RECOUP_PSP_REQUESTS_PER_SECOND,
    eventDays: read.RECOUP_EVENT_DAYS,
    port: read.RECOUP_WORKER_PORT,
    host: read.RECOUP_WORKER_HOST,
    shutdownGraceSeconds: read.RECOUP_SHUTDOWN_GRACE_SECONDS,
    webhooks: { slots: read.RECOUP_WEBHOOK_SLOTS, timeoutMs: read.RECOUP_WEBHOOK_TIMEOUT_MS },
    mail: mailOf(read),
    stickySeconds: read.RECOUP_STICKY_SECONDS,
    bundle: read.RECOUP_WORKFLOW_BUNDLE,
  }
}

/** @throws an Error when only one of the two is set */
function mailOf({
  RECOUP_SMTP_URL: url,
  RECOUP_MAIL_FROM: from,
}: {
  RECOUP_SMTP_URL?: string | undefined
  RECOUP_MAIL_FROM?: string | undefined
}) {
  if (url === undefined && from === undefined) return null
  if (url === undefined || from === undefined)
    throw new Error('RECOUP_SMTP_URL and RECOUP_MAIL_FROM: set both, or neither')
  return { server: smtpServerOf(new URL(url)), from }
}
