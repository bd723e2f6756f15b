/** Endpoints of one merchant, and those of an account for all its merchants. */
export const MOST_ENDPOINTS = 16

export const PAYLOADS = ['full', 'thin'] as const
export type Payload = (typeof PAYLOADS)[number]

/** `ed25519`: such a signature next to the HMAC, for receivers that share no secret. */
export const SIGNATURES = ['hmac', 'ed25519'] as const
export type Signature = (typeof SIGNATURES)[number]

export const ENDPOINT_STATES = ['enabled', 'failing', 'disabled'] as const
export type EndpointState = (typeof ENDPOINT_STATES)[number]

/**
 * Why nothing is sent to an endpoint. `gone`: it answered 410. `unreachable`: no 2xx for five days. `requested`: a client
 * or an operator. `address_erased`: its address held data of a person who was erased.
 */
export const DISABLED_REASONS = ['gone', 'unreachable', 'requested', 'address_erased'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Sent by the operation of that name; it is not in the log. */
export const TEST_EVENT = 'webhook.test'

/** Days that deliveries are kept. */
export const DELIVERY_DAYS = 30

/** Seconds that the old keys also sign after a rotation. */
export const OLD_KEYS = { default: 86_400, most: 604_800 } as const
