import { drawFrom } from '../engine/draw.ts'

const GIVEN = ['Ada', 'Bela', 'Chidi', 'Dorte', 'Emre', 'Fatou', 'Goran', 'Hana', 'Ines', 'Jonas', 'Kaia', 'Lior']
const FAMILY = ['Arden', 'Brandvold', 'Castellan', 'Dunmore', 'Falk', 'Grünwald', 'Haddock', "O'Leary & Sons"]
const STREETS = ['Mill Lane', 'Harbour Road', 'Birch Avenue', 'Station Street', 'Old Post Way']
const PLACES = [
  { locality: 'Portland', region: 'OR', postalCode: '97201', countryCodeAlpha2: 'US', dial: '+1503555' },
  { locality: 'Leeds', region: null, postalCode: 'LS1 4DY', countryCodeAlpha2: 'GB', dial: '+44113496' },
  { locality: 'Münster', region: null, postalCode: '48143', countryCodeAlpha2: 'DE', dial: '+49251' },
  { locality: 'Toronto', region: 'ON', postalCode: 'M5H 2N2', countryCodeAlpha2: 'CA', dial: '+1416555' },
]

/** An invented customer: addresses of example.com, telephone numbers reserved for fiction. */
export function personOf(token: string) {
  const draw = drawFrom(`${token} person`)
  const firstName = draw.one(GIVEN)
  const lastName = draw.one(FAMILY)
  const { dial, ...place } = draw.one(PLACES)
  return {
    firstName,
    lastName,
    email:
      `${firstName}.${lastName.normalize('NFD').replace(/[^A-Za-z]/g, '')}.${draw.digits(4)}@example.com`.toLowerCase(),
    phone: `${dial}${draw.digits(4)}`,
    address: {
      firstName,
      lastName,
      streetAddress: `${draw.between(1, 199)} ${draw.one(STREETS)}`,
      extendedAddress: draw.chance(30) ? `Apt ${draw.between(1, 40)}` : null,
      ...place,
    },
  }
}
