import { describe, expect, it } from 'vitest'
import { id } from '../../../api/http/shapes.ts'
import { readArguments, UsageError } from '../../../cli/command.ts'

const ID = '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'
const command = { summary: '', argument: 'integrationId', options: { account: '', name: '' }, run: async () => ({}) }

describe('ids', () => {
  it('in paths and bodies are converted to lower case', () => {
    expect(id.parse(ID.toUpperCase())).toBe(ID)
  })

  it('on the command line are too, but other arguments are not', () => {
    const { given } = readArguments(command, [ID.toUpperCase(), '--account', ID.toUpperCase(), '--name', 'ACME'])
    expect(given).toEqual({ integrationId: ID, account: ID, name: 'ACME' })
    expect(() => readArguments(command, ['ACME', '--account', ID, '--name', 'ACME'])).toThrow(UsageError)
  })
})
