import { compelling, fileOf, helpful, type Playbook, required } from './playbook.ts'
import { activity, delivered, downloaded, lastUsed, ordered, payment, shipped, signed } from './shared.ts'

/** Who ordered, from where, and that the cardholder has or uses the purchase. */
export const fraudPlays: readonly Playbook[] = [
  {
    id: 'fraud_cnp',
    version: 6,
    statements: [
      {
        id: 'earlier_purchases',
        text: 'Two earlier payments with the same card, on {{ earlierPurchaseDates | list }}, had the same {{ sharedIdentifiers | list }} as this one; neither is known to be disputed.',
        weight: 3,
      },
      {
        id: 'authenticated',
        text: '{% if authenticated %}The cardholder was authenticated by 3-D Secure{% if eci %} (ECI {{ eci }}){% endif %}.{% endif %}',
        optional: ['eci'],
        weight: 3,
      },
      {
        id: 'authentication_attempted',
        text: '{% if authenticationAttempted %}3-D Secure authentication was attempted{% if eci %} (ECI {{ eci }}){% endif %}.{% endif %}',
        optional: ['eci'],
        weight: 2,
      },
      delivered,
      signed,
      { ...downloaded, weight: 3 },
      { ...lastUsed, weight: 3 },
      { ...activity, weight: 3 },
      {
        id: 'address_matched',
        text: '{% if addressMatched %}The billing address{% if securityCodeMatched %} and the security code of the card{% endif %} matched what the card issuer has on file.{% endif %}',
        optional: ['securityCodeMatched'],
        weight: 2,
      },
      {
        id: 'security_code_matched',
        text: '{% if securityCodeMatched %}The security code of the card was given at the order and matched.{% endif %}',
        weight: 1,
        unless: ['addressMatched'],
      },
      {
        id: 'ordered_from',
        text: 'The order was placed {{ origin | list }}.',
        // By itself it shows nothing about the cardholder.
        weight: 2,
        exhibits: ['usage'],
      },
      {
        id: 'name',
        text: 'The order is in the name of {{ customerName }}{% if email %} ({{ email }}){% endif %}.',
        optional: ['email'],
        weight: 1,
        exhibits: ['receipt'],
      },
      {
        id: 'email',
        text: 'The e-mail address of the order is {{ email }}.',
        weight: 1,
        unless: ['customerName'],
      },
      ordered,
      shipped,
      payment,
    ],
    asks: [
      {
        of: [
          required('ip', 'device'),
          required('goods'),
          compelling('addressMatched'),
          compelling('deliveryDate'),
          compelling('shipTo'),
          compelling('authenticated', 'authenticationAttempted'),
          compelling('account'),
          compelling('earlierPurchaseDates'),
          { facts: ['deliverySignedBy'], files: ['signature'], weight: 1 },
          helpful('customerName'),
          helpful('securityCodeMatched'),
          helpful('descriptor'),
          helpful('email'),
          helpful('agent'),
        ],
      },
      {
        when: ['downloadDate', 'accessActivityLog'],
        of: [
          required('ip', 'device'),
          required('goods'),
          compelling('downloadDate', 'accessActivityLog'),
          compelling('lastUseDate'),
          compelling('authenticated', 'authenticationAttempted'),
          compelling('account'),
          compelling('earlierPurchaseDates'),
          helpful('addressMatched'),
          helpful('securityCodeMatched'),
          helpful('deviceName', 'location'),
          helpful('email'),
          helpful('agent'),
        ],
      },
    ],
  },
  {
    id: 'fraud_cp',
    version: 4,
    statements: [
      {
        id: 'card_read',
        text: 'At the sale{% if transactionCreatedDate %} of {{ transactionCreatedDate | dateTime }}{% endif %} {{ cardRead }}.',
        optional: ['transactionCreatedDate'],
        weight: 3,
        exhibits: ['receipt', 'contract'],
      },
      {
        id: 'signature',
        text: 'The customer signed for the sale.',
        weight: 3,
        exhibits: ['signature'],
        needsExhibit: true,
      },
      {
        id: 'record',
        text: 'The record of the sale{% if transactionCreatedDate %} of {{ transactionCreatedDate | date }}{% endif %} is enclosed.',
        optional: ['transactionCreatedDate'],
        weight: 3,
        exhibits: ['receipt', 'contract'],
        needsExhibit: true,
        unless: ['cardRead'],
      },
      {
        id: 'authorised',
        text: 'The card issuer approved the payment with the authorization code {{ authorizationCode }}.',
        weight: 2,
        exhibits: ['receipt'],
      },
      { ...ordered, text: 'The sale was for: {{ goods }}.' },
      payment,
    ],
    asks: [
      {
        of: [
          fileOf(3, 'receipt', 'contract'),
          compelling('cardEntry'),
          compelling('authorizationCode'),
          fileOf(2, 'signature'),
          helpful('transactionCreatedDate'),
          helpful('goods'),
        ],
      },
    ],
  },
]
