import { tenancySuite } from './tenancy-suite.ts'

tenancySuite({ filters: true, policies: true })
