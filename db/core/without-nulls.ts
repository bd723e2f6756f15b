type WithoutNulls<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>
}

/** Responses omit unknown values. */
export function withoutNulls<T extends object>(value: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) as WithoutNulls<T>
}
