import { describe, expect, it } from 'vitest'
import { ApiError, errorBody, toApiError } from '../../../api/http/errors.ts'
import { Refusal } from '../../../db/core/refusal.ts'

const failing = (code: string, message = 'x') => Object.assign(new Error(message), { code })

describe('the shape of an error', () => {
  it('is status, message, errorId, error and code', () => {
    expect(errorBody(new ApiError(404, 'chargeback_not_found', 'There is none.'))).toEqual({
      status: 404,
      message: 'There is none.',
      errorId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      error: 'Not Found',
      code: 'chargeback_not_found',
    })
  })
})

describe('the response to a failure', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', '57P01', '57P03', '53300', '08006'])(
    'is 503 if Postgres is unavailable: %s',
    (code) => {
      expect(toApiError(failing(code))).toMatchObject({ status: 503, code: 'service_unavailable' })
    },
  )

  it.each(['53100', '53200', '58030', 'EMFILE', 'ENOMEM', 'ERR_WORKER_INIT_FAILED'])(
    'is 503 if disk space, memory or file descriptors run out: %s',
    (code) => {
      expect(toApiError(failing(code))).toMatchObject({ status: 503, code: 'service_unavailable' })
    },
  )

  it.each(['57014', '55P03', '40001', '40P01'])('is 503 if another request conflicts: %s', (code) => {
    expect(toApiError(failing(code))).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  })

  it('is 503 if no connection is available, also as one of several errors', () => {
    expect(toApiError(new Error('timeout exceeded when trying to connect')).status).toBe(503)
    expect(toApiError(new Error('Connection terminated unexpectedly')).status).toBe(503)
    expect(toApiError(new AggregateError([failing('ECONNREFUSED')])).status).toBe(503)
  })

  it('is 404 or 400 for a refusal by the database layer, with its code', () => {
    expect(toApiError(new Refusal('missing', 'x_not_found', 'None.'))).toMatchObject({
      status: 404,
      code: 'x_not_found',
    })
    expect(toApiError(new Refusal('invalid', 'not_open', 'No.'))).toMatchObject({ status: 400, code: 'not_open' })
  })

  it.each([failing('42P01', 'relation "secret" does not exist'), new TypeError('undefined.secret'), 'a string', null])(
    'is 500 without details of %s',
    (failure) => {
      expect(toApiError(failure)).toMatchObject({ status: 500, message: 'Internal server error' })
    },
  )
})
