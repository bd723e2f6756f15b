import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { Database } from '../../../db/core/connect.ts'
import { currentAttempt, learn, pass } from './attempt.ts'
import type { AtFaultPoint } from './points.ts'
import { afterStatement, beforeStatement, beforeTurn, type Statement } from './statements.ts'
import {
  afterPage,
  afterTransaction,
  beforeCommit,
  beforePage,
  beforeTransaction,
  whenRefused,
} from './transactions.ts'

/**
 * Fault points around the statements and transactions of that database. Work that is held outside of a transaction
 * holds no connection of the pool, so that other work continues.
 */
export function watchDatabase(db: Database, at: AtFaultPoint): void {
  const executor = db.getExecutor()
  const provideConnection = executor.provideConnection.bind(executor)
  const single = executor.withConnectionProvider({ provideConnection })

  executor.executeQuery = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
    const statement = statementOf(query)
    await pass(at, beforeStatement(statement, currentAttempt()))
    for (const point of beforePage(statement, currentAttempt())) await pass(at, point)
    const result = await single.executeQuery<R>(query).catch(async (error: unknown) => {
      const attempt = currentAttempt()
      if (attempt) await pass(at, whenRefused(error, [statement], attempt))
      throw error
    })
    learn(result.rows)
    await pass(at, afterStatement(statement, result.rows, currentAttempt()))
    await pass(at, afterPage(statement, result.rows, currentAttempt()))
    return result
  }

  // Only transactions get here: `executeQuery` sends single statements.
  executor.provideConnection = async (work) => {
    const attempt = currentAttempt()
    if (!attempt) return provideConnection(work)
    await pass(at, beforeTransaction(attempt))
    const sent: Statement[] = []
    const result = await provideConnection((connection) => work(watched(connection, sent, at))).catch(
      async (error: unknown) => {
        await pass(at, whenRefused(error, sent, attempt))
        throw error
      },
    )
    await pass(at, afterTransaction(sent, attempt))
    return result
  }
}

function watched(connection: DatabaseConnection, sent: Statement[], at: AtFaultPoint): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery) {
      const attempt = currentAttempt()
      if (query.sql === 'commit' && attempt) await pass(at, beforeCommit(sent, attempt))
      const statement = statementOf(query)
      await pass(at, beforeTurn(statement, attempt))
      sent.push(statement)
      const result = await connection.executeQuery<R>(query)
      learn(result.rows)
      return result
    },
    streamQuery: connection.streamQuery.bind(connection),
  }
}

const statementOf = ({ sql, parameters }: CompiledQuery): Statement => ({
  text: sql.replace(/\s+/g, ' ').trim(),
  parameters,
})
