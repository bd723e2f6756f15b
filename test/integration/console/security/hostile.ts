import { transactionBody } from '../../../../api/routes/transactions/transaction-body.ts'

/**
 * Texts that a PSP, a client or a file's name can bring, and that act where they are not treated as text. Each calls `ran()`, so
 * that a test sees whether one was executed.
 */
export const HOSTILE: readonly string[] = [
  '<script>ran(1)</script>',
  '"><script>ran(2)</script>',
  "'><script>ran(3)</script>",
  '</title><script>ran(4)</script>',
  '</textarea><script>ran(5)</script>',
  '</script><script>ran(6)</script>',
  '--><script>ran(7)</script>',
  ']]><script>ran(8)</script>',
  '<img src=x onerror=ran(9)>',
  '"><img src=x onerror=ran(10)>',
  '<img src="/console/nowhere" onerror="ran(11)">',
  '<svg onload=ran(12)>',
  '<svg><script>ran(13)</script></svg>',
  '<svg><animate onbegin=ran(14) attributeName=x dur=1s>',
  '<math><mtext><img src=x onerror=ran(15)></mtext></math>',
  '<body onload=ran(16)>',
  '<iframe src="javascript:ran(17)"></iframe>',
  '<iframe srcdoc="<script>parent.ran(18)</script>"></iframe>',
  '<object data="javascript:ran(19)"></object>',
  '<embed src="javascript:ran(20)">',
  '<a href="javascript:ran(21)">open</a>',
  'javascript:ran(22)',
  'java\tscript:ran(23)',
  'data:text/html,<script>ran(24)</script>',
  '<details open ontoggle=ran(25)>',
  '<input autofocus onfocus=ran(26)>',
  '<video><source onerror=ran(27)></video>',
  '<style>@import "javascript:ran(28)"</style>',
  '<link rel=stylesheet href="javascript:ran(29)">',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=javascript:ran(30)">',
  '<form action="https://evil.example"><button>go</button></form>',
  '" autofocus onfocus="ran(31)',
  '" onmouseover="ran(32)" x="',
  '{{constructor.constructor("ran(33)")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text
  '${ran(34)}',
  '<%= ran(35) %>',
  '#{ran(36)}',
  '&lt;script&gt;ran(37)&lt;/script&gt;',
  '\\u003cscript\\u003eran(38)\\u003c/script\\u003e',
  'a\u2028ran(39)//\u2029',
  '\u202egnp.exe\u202c and \u2066hidden\u2069',
  '=HYPERLINK("https://evil.example")',
  '+ran(40)',
  '@SUM(1)',
  "'; drop table chargeback; --",
  'null',
  '__proto__',
]

/** A text of 100,000 characters without a place to break the line. Of the fields of the API, data points take it. */
export const LONG = '<img/src=x/onerror=ran(41)>'.repeat(4_000).slice(0, 100_000)

/** Fields of a payment that take any text: operation 1, and raw data of this type. The others refuse all of `HOSTILE`. */
export const TEXTS_OF_PAYMENTS: readonly string[] = Object.keys(transactionBody.shape).filter(
  (name) => name !== 'transactionId' && transactionBody.safeParse({ transactionId: 'x', [name]: HOSTILE[0] }).success,
)

/** Texts that do harm only if nothing stands before or after them: addresses, formulas, property names. */
const WHOLE = /^(java|data:|[=+@']|null$|__)/

/**
 * All of `HOSTILE` in 22 groups. A test joins the texts of a group with a space, and opens a screen 22 times instead of 48.
 */
export const HOSTILE_TOGETHER: readonly (readonly string[])[] = [
  ...inThrees(HOSTILE.filter((text) => !WHOLE.test(text))),
  ...HOSTILE.filter((text) => WHOLE.test(text)).map((text) => [text]),
]

function inThrees(texts: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(texts.length / 3) }, (_, index) => texts.slice(3 * index, 3 * index + 3))
}
