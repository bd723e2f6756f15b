const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Whether the database takes the text for an id, in either case. */
export const isUuid = (text: string) => UUID.test(text)
