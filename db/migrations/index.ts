import type { Migration } from 'kysely'
import * as initial from './0001-initial.ts'
import * as notifications from './0002-notifications.ts'
import * as deactivation from './0003-deactivation.ts'
import * as scope from './0004-scope.ts'
import * as transactions from './0005-transactions.ts'
import * as files from './0006-files.ts'
import * as alerts from './0007-alerts.ts'
import * as submissions from './0008-submissions.ts'
import * as queues from './0009-queues.ts'
import * as disputeIdentity from './0010-dispute-identity.ts'
import * as keyRotation from './0011-key-rotation.ts'
import * as whoPaused from './0012-who-paused.ts'
import * as furtherAnswers from './0013-further-answers.ts'
import * as operatorActions from './0014-operator-actions.ts'
import * as credentialRoles from './0015-credential-roles.ts'
import * as sealingKeys from './0016-sealing-keys.ts'
import * as retention from './0017-retention.ts'
import * as retentionIndexes from './0018-retention-indexes.ts'
import * as filesCounted from './0019-files-counted.ts'
import * as rowSecurity from './0020-row-security.ts'
import * as secondPerson from './0021-second-person.ts'
import * as scopeOfPlans from './0022-scope-of-plans.ts'
import * as dispatch from './0026-dispatch.ts'
import * as dispatchIndexes from './0027-dispatch-indexes.ts'
import * as listIndex from './0028-list-index.ts'
import * as listPages from './0029-list-pages.ts'
import * as filesOfChargebacks from './0030-files-of-chargebacks.ts'
import * as evidencePlaybooks from './0031-evidence-playbooks.ts'
import * as evidencePackages from './0032-evidence-packages.ts'
import * as events from './0033-events.ts'
import * as webhooks from './0034-webhooks.ts'
import * as analytics from './0035-analytics.ts'
import * as pagesByOneStatement from './0036-pages-by-one-statement.ts'
import * as consoleSessions from './0037-console-sessions.ts'
import * as settingEvents from './0039-setting-events.ts'
import * as sweepIndexes from './0040-sweep-indexes.ts'
import * as packageBuild from './0042-package-build.ts'
import * as outOfScopeIndex from './0043-out-of-scope-index.ts'
import * as packagesAgain from './0044-packages-again.ts'
import * as deliveriesOfAccounts from './0045-deliveries-of-accounts.ts'
import * as quarantineByTime from './0046-quarantine-by-time.ts'

/**
 * One step of the schema. A `concurrent` one runs outside a transaction, because it makes indexes concurrently: every
 * statement of it must be repeatable.
 */
export interface Step extends Migration {
  concurrent?: true
}

/** In order of their names; applied ones never change. Written by `npm run generate` from the names of the files. */
export const migrations: Record<string, Step> = {
  '0001-initial': initial,
  '0002-notifications': notifications,
  '0003-deactivation': deactivation,
  '0004-scope': scope,
  '0005-transactions': transactions,
  '0006-files': files,
  '0007-alerts': alerts,
  '0008-submissions': submissions,
  '0009-queues': queues,
  '0010-dispute-identity': disputeIdentity,
  '0011-key-rotation': keyRotation,
  '0012-who-paused': whoPaused,
  '0013-further-answers': furtherAnswers,
  '0014-operator-actions': operatorActions,
  '0015-credential-roles': credentialRoles,
  '0016-sealing-keys': sealingKeys,
  '0017-retention': retention,
  '0018-retention-indexes': retentionIndexes,
  '0019-files-counted': filesCounted,
  '0020-row-security': rowSecurity,
  '0021-second-person': secondPerson,
  '0022-scope-of-plans': scopeOfPlans,
  '0026-dispatch': dispatch,
  '0027-dispatch-indexes': dispatchIndexes,
  '0028-list-index': listIndex,
  '0029-list-pages': listPages,
  '0030-files-of-chargebacks': filesOfChargebacks,
  '0031-evidence-playbooks': evidencePlaybooks,
  '0032-evidence-packages': evidencePackages,
  '0033-events': events,
  '0034-webhooks': webhooks,
  '0035-analytics': analytics,
  '0036-pages-by-one-statement': pagesByOneStatement,
  '0037-console-sessions': consoleSessions,
  '0039-setting-events': settingEvents,
  '0040-sweep-indexes': sweepIndexes,
  '0042-package-build': packageBuild,
  '0043-out-of-scope-index': outOfScopeIndex,
  '0044-packages-again': packagesAgain,
  '0045-deliveries-of-accounts': deliveriesOfAccounts,
  '0046-quarantine-by-time': quarantineByTime,
}
