import { stripeSubject } from '../../../simulators/stripe/subject.ts'
import { testAdapter } from './conformance-suite.ts'

testAdapter(stripeSubject)
