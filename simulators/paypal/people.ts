import { drawFrom } from '../engine/draw.ts'

export interface Person {
  name: string
  given: string
  surname: string
  email: string
  payerId: string
  phone: string
  address: Record<string, string>
}

const GIVEN = ['Ada', 'Bruno', 'Chiara', 'Dmitri', 'Elin', 'Farid', 'Grace', 'Hana', 'Ivo', 'Jun']
const SURNAMES = ['Archer', 'Baumann', 'Costa', 'Duval', 'Eriksen', 'Fischer', 'Grant', 'Horvat', 'Ito', 'Jansen']
const PLACES = [
  ['US', 'CA', 'San Jose', '95131'],
  ['US', 'NY', 'Albany', '12207'],
  ['DE', 'BE', 'Berlin', '10115'],
  ['GB', 'LND', 'London', 'EC1A 1BB'],
  ['FR', 'IDF', 'Paris', '75002'],
] as const

/** The buyer of a dispute, always the same for the same token. Nobody lives there. */
export function personOf(token: string): Person {
  const draw = drawFrom(`${token} person`)
  const given = draw.one(GIVEN)
  const surname = draw.one(SURNAMES)
  const [country, state, city, zip] = draw.one(PLACES)
  return {
    name: `${given} ${surname}`,
    given,
    surname,
    email: `${given}.${surname}.${draw.digits(4)}@example.net`.toLowerCase(),
    payerId: `P${draw.digits(12)}`,
    phone: `555${draw.digits(7)}`,
    address: {
      address_line_1: `${draw.between(1, 99)} Example Street`,
      admin_area_2: city,
      admin_area_1: state,
      postal_code: zip,
      country_code: country,
    },
  }
}
