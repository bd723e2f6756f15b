import type { Environment } from '../integration.ts'

const LONGEST = 2_048

/**
 * Where an endpoint receives: https, or http in the sandbox; the scheme's own port or one from 1024 on; no user and no
 * fragment. @returns the address as URL writes it, so that `0x7f.1` reads as 127.0.0.1, or why it is none
 */
export function endpointUrl(text: string, environment: Environment): { url: string } | { fault: string } {
  if (text.length > LONGEST) return { fault: `Must have at most ${LONGEST} characters` }
  if (!URL.canParse(text)) return { fault: 'Must be an absolute address, for example https://example.com/webhooks' }
  const url = new URL(text)
  const isHttp = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !(isHttp && environment === 'sandbox'))
    return { fault: `Must be an https address${environment === 'sandbox' ? '; http is possible in the sandbox' : ''}` }
  if (url.username !== '' || url.password !== '') return { fault: 'Must not contain a user or a password' }
  if (url.hash !== '') return { fault: 'Must not contain a fragment (#)' }
  // Empty: the scheme's own.
  if (url.port !== '' && Number(url.port) < 1024)
    return { fault: `Port ${url.port} is not possible: leave it out, or use one from 1024 on` }
  if (url.href.length > LONGEST) return { fault: `Must have at most ${LONGEST} characters` }
  return { url: url.href }
}
