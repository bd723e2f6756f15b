import { useState } from 'preact/hooks'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Copy } from '../parts/copy.tsx'

/** Copies the address of what is shown. It names the merchant where the reader may have several. */
export function CopyLink() {
  const { me, merchant } = useWho()
  const [copied, setCopied] = useState(false)
  const [refused, setRefused] = useState<string>()
  async function copy() {
    const url = new URL(location.href)
    if (merchant !== undefined && me.merchants.length > 1) url.searchParams.set('m', merchant)
    try {
      await navigator.clipboard.writeText(url.href)
      setCopied(true)
      announce('The link is copied')
    } catch {
      setRefused(url.href)
      announce('The browser refuses to copy: the link is shown')
    }
  }
  if (refused !== undefined) return <Copy text={refused} what="Link" />
  return (
    <button type="button" onClick={copy}>
      {copied ? 'Link copied' : 'Copy link'}
    </button>
  )
}
