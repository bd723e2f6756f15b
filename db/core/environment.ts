import type { Environment } from '../../domain/integration.ts'

/** The database serves another environment than this process is configured for. */
export class OtherEnvironment extends Error {
  override name = 'OtherEnvironment'

  constructor(database: string, process: Environment) {
    super(
      `The database belongs to the environment ${database}, and RECOUP_ENVIRONMENT is ${process}. ` +
        'Set RECOUP_ENVIRONMENT or DATABASE_URL so that they agree.',
    )
  }
}

interface Queryable {
  query(text: string): Promise<{ rows: { environment: string }[] }>
}

const UNDEFINED_TABLE = '42P01'

/**
 * Reads the environment that the database was stamped with.
 * @returns whether it was stamped; false before the first migration
 * @throws OtherEnvironment
 */
export async function refuseOtherEnvironment(database: Queryable, environment: Environment): Promise<boolean> {
  try {
    const { rows } = await database.query('select environment from deployment')
    const stamped = rows[0]?.environment
    if (stamped !== undefined && stamped !== environment) throw new OtherEnvironment(stamped, environment)
    return stamped !== undefined
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return false
    throw error
  }
}
