import { drawFrom } from '../../engine/draw.ts'

const GIVEN = ['Ada', 'Bela', 'Chidi', 'Dorte', 'Emre', 'Fatou', 'Goran', 'Hana', 'Ines', 'Jonas', 'Kaia', 'Lior']
const FAMILY = [
  'Arden',
  'Brandvold',
  'Castellan',
  'Dunmore',
  'Eriksholm',
  'Falk',
  'Grünwald',
  'Haddock',
  'Ivory',
  "O'Leary",
]
const STREETS = ['Mill Lane', 'Harbour Road', 'Birch Avenue', 'Station Street', 'Old Post Way']
const PLACES = [
  { city: 'Portland', country: 'US', state: 'OR', postal_code: '97201', dial: '+1503555' },
  { city: 'Leeds', country: 'GB', state: null, postal_code: 'LS1 4DY', dial: '+44113496' },
  { city: 'Lyon', country: 'FR', state: null, postal_code: '69002', dial: '+33465' },
  { city: 'Münster', country: 'DE', state: null, postal_code: '48143', dial: '+49251' },
  { city: 'Osaka', country: 'JP', state: '27', postal_code: '530-0001', dial: '+8166' },
  { city: 'Toronto', country: 'CA', state: 'ON', postal_code: 'M5H 2N2', dial: '+1416555' },
]
const PRODUCTS = ['Trail running shoes', 'Annual design plan', 'Espresso grinder', 'Concert ticket', 'Language course']

export interface Person {
  name: string
  email: string
  phone: string
  ip: string
  device: string
  customerNumber: string
  address: {
    city: string
    country: string
    line1: string
    line2: string | null
    postal_code: string
    state: string | null
  }
  product: string
}

/** An invented cardholder: example.com addresses, documentation IP range (RFC 5737), numbers reserved for fiction. */
export function personOf(token: string): Person {
  const draw = drawFrom(`${token} person`)
  const given = draw.one(GIVEN)
  const family = draw.one(FAMILY)
  const { dial, ...place } = draw.one(PLACES)
  return {
    name: `${given} ${family}`,
    email: `${given}.${family.normalize('NFD').replace(/[^A-Za-z]/g, '')}.${draw.digits(4)}@example.com`.toLowerCase(),
    phone: `${dial}${draw.digits(4)}`,
    ip: `203.0.113.${draw.between(1, 254)}`,
    device: `device-${draw.digits(16)}`,
    customerNumber: `C-${draw.digits(6)}`,
    address: {
      ...place,
      line1: `${draw.between(1, 199)} ${draw.one(STREETS)}`,
      line2: draw.chance(30) ? `Apt ${draw.between(1, 40)}` : null,
    },
    product: draw.one(PRODUCTS),
  }
}
