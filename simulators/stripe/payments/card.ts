import type Stripe from 'stripe'
import type { DisputePlan } from '../../engine/contract.ts'
import { drawFrom, tokenOf } from '../../engine/draw.ts'

type Card = Stripe.Charge.PaymentMethodDetails.Card

/** Issuer identification numbers by network, from the ranges that test cards use. */
const IIN: Readonly<Record<string, string>> = {
  visa: '424242',
  mastercard: '555555',
  amex: '378282',
  discover: '601111',
  diners: '305693',
  jcb: '356600',
  unionpay: '620000',
  cartes_bancaires: '400000',
}

/** Card part of a charge, with everything the pinned version may carry. */
export function buildCard(plan: DisputePlan, network: string, country: string): Card {
  const draw = drawFrom(`${plan.token} card`)
  const authentication = draw.one(['authenticated', 'attempt_acknowledged', null] as const)
  const indicator = authentication === 'authenticated' ? '05' : authentication ? '06' : null
  const iin = IIN[network] ?? '424242'
  return {
    amount_authorized: plan.chargeAmount,
    authorization_code: draw.digits(6),
    brand: network === 'cartes_bancaires' ? 'visa' : network,
    checks: {
      address_line1_check: draw.one(['pass', 'fail', 'unchecked', null]),
      address_postal_code_check: draw.one(['pass', 'fail', null]),
      cvc_check: draw.one(['pass', 'pass', 'unavailable']),
    },
    country,
    electronic_commerce_indicator: indicator,
    exp_month: draw.between(1, 12),
    exp_year: 2027 + draw.between(0, 5),
    extended_authorization: { status: 'disabled' },
    fingerprint: tokenOf(16, plan.token, 'fingerprint'),
    funding: draw.one(['credit', 'credit', 'debit', 'prepaid']),
    // Stripe shows it to few accounts: mostly absent, so that nobody relies on it.
    ...(draw.chance(15) ? { iin, issuer: 'EXAMPLE BANK' } : {}),
    incremental_authorization: { status: 'unavailable' },
    installments: null,
    last4: draw.digits(4),
    mandate: null,
    multicapture: { status: 'unavailable' },
    network,
    network_token: { used: draw.chance(20) },
    network_transaction_id: draw.digits(15),
    overcapture: { maximum_amount_capturable: plan.chargeAmount, status: 'unavailable' },
    regulated_status: draw.one(['regulated', 'unregulated', null]),
    three_d_secure: authentication && {
      authentication_flow: draw.one(['challenge', 'frictionless'] as const),
      electronic_commerce_indicator: indicator,
      exemption_indicator: null,
      result: authentication,
      result_reason: null,
      transaction_id: tokenOf(28, plan.token, '3ds'),
      version: '2.2.0',
    },
    transaction_link_id: null,
    wallet: walletOf(draw.one([null, null, null, 'apple_pay', 'google_pay', 'link'] as const), draw.digits(4)),
  }
}

function walletOf(type: 'apple_pay' | 'google_pay' | 'link' | null, last4: string): Card['wallet'] {
  if (type === null) return null
  if (type === 'link') return { dynamic_last4: null, link: { funding_source_group: null }, type }
  return { dynamic_last4: last4, [type]: {}, type }
}
