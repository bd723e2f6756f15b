import { visible } from './visible.ts'

/** Text that a PSP, a client or a buyer wrote. */
export function Foreign({ text }: { text: string }) {
  return <bdi class="foreign">{visible(text)}</bdi>
}
