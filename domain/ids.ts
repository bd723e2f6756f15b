const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Whether the database accepts the text as an id, in either case. */
export const isUuid = (text: string) => UUID.test(text)
