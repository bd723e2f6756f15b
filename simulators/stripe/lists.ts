import type { Ordered } from '../engine/contract.ts'
import type { Window } from '../engine/timeline.ts'
import { badParameter, missingReference } from './errors.ts'
import { type Parameters, textOf } from './parameters.ts'

/** `limit`, `created`, `starting_after` and `ending_before` of a list. @throws StripeRefusal 400 */
export function windowOf<T extends Ordered>(
  parameters: Parameters,
  kind: string,
  find: (id: string) => T | undefined,
): Window<T> {
  const limit = Number(textOf(parameters, 'limit') ?? 10)
  if (limit < 1 || limit > 100)
    throw badParameter('limit', 'limit must be between 1 and 100', 'parameter_invalid_integer')
  const after = textOf(parameters, 'starting_after')
  const before = textOf(parameters, 'ending_before')
  if (after !== undefined && before !== undefined) {
    throw badParameter('ending_before', 'Send either starting_after or ending_before, not both')
  }
  return {
    limit,
    ...createdRange(parameters),
    ...(after === undefined ? {} : { after: found(find(after), kind, after, 'starting_after') }),
    ...(before === undefined ? {} : { before: found(find(before), kind, before, 'ending_before') }),
  }
}

function found<T>(item: T | undefined, kind: string, id: string, param: string): T {
  if (item === undefined) throw missingReference(kind, id, param)
  return item
}

/** Inclusive bounds in whole seconds. */
export function createdRange({ created }: Parameters): { from?: number; until?: number } {
  if (created === undefined) return {}
  if (typeof created === 'string') return { from: Number(created), until: Number(created) }
  const bound = (name: string, shift: number): number | undefined => {
    const text = textOf(created, name)
    return text === undefined ? undefined : Number(text) + shift
  }
  const froms = [bound('gte', 0), bound('gt', 1)].filter((value) => value !== undefined)
  const untils = [bound('lte', 0), bound('lt', -1)].filter((value) => value !== undefined)
  return {
    ...(froms.length > 0 ? { from: Math.max(...froms) } : {}),
    ...(untils.length > 0 ? { until: Math.min(...untils) } : {}),
  }
}

/** A list body around items that are JSON text already, so that an odd one reaches the client byte for byte. */
export function listText(url: string, items: readonly string[], hasMore: boolean): string {
  return `{"object":"list","data":[${items.join(',')}],"has_more":${hasMore},"url":${JSON.stringify(url)}}`
}

/** Malformed lists. Other responses stay unchanged. */
export function reshapePage(kind: 'empty_page' | 'repeated_item' | 'endless_pages', body: string): string {
  const page = JSON.parse(body) as { object?: string; data?: unknown[]; has_more?: boolean }
  if (page.object !== 'list' || !Array.isArray(page.data)) return body
  if (kind === 'empty_page') return JSON.stringify({ ...page, data: [], has_more: true })
  if (kind === 'endless_pages') return JSON.stringify({ ...page, has_more: true })
  return JSON.stringify({ ...page, data: [...page.data.slice(0, 1), ...page.data] })
}
