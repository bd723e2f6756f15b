/** What a column of the table `chargeback` holds. `Read` is its type in TypeScript when it is read, `Written` in JSON. */
export interface Kind<Read = unknown, Written = never> {
  /** Its type in SQL. */
  readonly sql: string
  /** How clients receive the value in JSON. Kinds without it are internal. */
  readonly json?: 'string' | 'text' | 'time' | 'number' | 'boolean' | 'amount' | 'merchant'
  /** The allowed values, where they are part of the interface. */
  readonly words?: readonly string[]
  /** Smallest and largest number. */
  readonly range?: readonly [number, number]
  /** Never set: carries a type only. */
  readonly reads?: Read
  readonly accepts?: (value: Written) => void
}

const kind = <Read, Written = Read>(sql: string, json?: Kind['json']): Kind<Read, Written> => ({
  sql,
  ...(json && { json }),
})

/** Text of any characters. */
export const TEXT = kind<string>('text', 'text')
export const text = <Value extends string>() => kind<Value>('text', 'text')
/** One of a fixed set of words without quotes, backslashes or control characters. */
export const word = <Value extends string>(words: readonly Value[]): Kind<Value, Value> => ({
  ...kind<Value>('text', 'string'),
  words,
})
export const TEXTS = kind<string[]>('text[]')
export const texts = <Value extends string>() => kind<Value[]>('text[]')
export const json = <Value extends object>() => kind<Value>('jsonb')
/** A number from `min` to `max`, in decimals. */
export const between = (min: number, max: number): Kind<number, number> => ({ ...DECIMAL, range: [min, max] })

export const UUID = kind<string>('uuid', 'string')
/** Shown as the merchant's reference. */
export const MERCHANT = kind<string>('uuid', 'merchant')
/** Written as ISO 8601. */
export const TIME = kind<Date, string>('timestamptz', 'time')
/** Written as text, because an integer may exceed 2^53. */
export const BIGINT = kind<bigint, string>('bigint')
/** Shown in units of the currency, by `amount_exponent`. */
export const MINOR_UNITS = kind<bigint, string>('bigint', 'amount')
export const INTEGER = kind<number>('integer', 'number')
export const SMALLINT = kind<number>('smallint', 'number')
export const DECIMAL = kind<number>('numeric', 'number')
export const BOOLEAN = kind<boolean>('boolean', 'boolean')
/** Written as Postgres prints it: `\x` and hexadecimal digits. */
export const BYTES = kind<Buffer, string>('bytea')
