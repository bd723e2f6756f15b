/** Id of an event for consumers: the same on each attempt, and without a full stop, as the specification asks. */
export const webhookId = (eventId: string): string => `evt_${eventId.replaceAll('-', '')}`
