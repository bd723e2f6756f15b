import { account } from './accounts.ts'
import { approve } from './approve.ts'
import { assessment } from './assessments.ts'
import { audit } from './audit.ts'
import type { Command } from './command.ts'
import { credential } from './credentials.ts'
import { database } from './database.ts'
import { evidence } from './evidence/packages.ts'
import { playbook } from './evidence/playbooks.ts'
import { group } from './groups.ts'
import { integration } from './integrations.ts'
import { job } from './jobs.ts'
import { key } from './keys.ts'
import { listen } from './listen.ts'
import { merchant } from './merchants.ts'
import { migrate } from './migrations.ts'
import { temporal } from './temporal/views.ts'
import { trigger } from './trigger/trigger.ts'
import { webhook } from './webhooks/webhooks.ts'

/** A noun alone is a command with the empty verb. */
export const NOUNS: Record<string, Record<string, Command>> = {
  account,
  group,
  merchant,
  credential,
  key,
  integration,
  job,
  assessment,
  playbook,
  evidence,
  approve: { '': approve },
  listen: { '': listen },
  trigger: { '': trigger },
  audit,
  webhook,
  temporal,
  database,
  migrate: { '': migrate },
}
