import { type RawBuilder, sql } from 'kysely'
import { ACCOUNT_DEFAULTS, type AccountSettings } from '../../domain/accounts/account-settings.ts'

/** A number set by an account, or its default. @param account the table `account` or its alias */
export const setting = (account: string, name: keyof AccountSettings): RawBuilder<number> => sql<number>`
  case when jsonb_typeof(${sql.ref(account)}.settings -> ${sql.lit(name)}) = 'number'
    then (${sql.ref(account)}.settings ->> ${sql.lit(name)})::float8 else ${sql.lit(Number(ACCOUNT_DEFAULTS[name]))} end`

/** The time before which a row has passed its account's period of that many days. */
export const daysAgo = (account: string, name: keyof AccountSettings): RawBuilder<Date> =>
  sql<Date>`now() - interval '1 day' * ${setting(account, name)}`
