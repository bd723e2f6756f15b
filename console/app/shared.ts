/**
 * What several screens share. The bundle has it in one file; else it would have a file for each set of screens that share
 * something, and a page would load nine instead of three.
 */
import '../api/session.ts'
import '../api/use-read.ts'
import '../parts/announce.tsx'
import '../parts/dialog.tsx'
import '../parts/due.ts'
import '../parts/money.ts'
import '../parts/read-before.ts'
import '../parts/reason.tsx'
import '../parts/sign.tsx'
import '../parts/states.tsx'
import '../parts/when.tsx'
import '../parts/words.ts'
import './keys.ts'
import './navigation.ts'
import './order.ts'
import './stored.ts'
import './who.ts'
import './zone.ts'
