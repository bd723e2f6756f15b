import { FULL_PACKAGES, type PackageCase, REFUSED_REFUND } from './package-cases.ts'
import { thinPackage } from './thin-cases.ts'

/** Every script that the fonts have, one that they don't, emoji, and directions that meet in one line. */
export const SCRIPTS: PackageCase = {
  ...{ play: 'not_received', reasonCode: '13.1', merchantName: 'Schuhhaus Łódź Ελλάς' },
  points: {
    ...{ orderId: 'طلب 7', customerName: '山田 太郎', transactionOrderEmail: 'taro@example.com' },
    transactionOrderItemsProductDescription: 'Schöne Schuhe 鞋子 신발 👟, size 42',
    transactionCustomerDisplayedTransactionDescription: 'ОБУВЬ',
    transactionShippingToFullShippingAddress: '12 شارع الملك فهد، الرياض 11564 (Riyadh)',
    ...{ shippingCarrier: 'חברת משלוחים', shippingTrackingNumber: 'RR123456785', shippingDate: '2026-03-03' },
    ...{ deliveryDate: '2026-03-06T11:42:00+03:00' },
    orderItems: [
      { name: 'รองเท้าผ้าใบ', quantity: 1, amount: '1250 JPY' },
      { name: 'जूते, आकार 42', quantity: 2, amount: '9.90 USD' },
      { name: '運動鞋（藍色）・スニーカー', quantity: 1, amount: '99.00 USD' },
      { name: 'காலணிகள்', quantity: 1, amount: '1.00 USD' },
      { name: 'giày chạy bộ', quantity: 1, amount: '5.00 USD' },
    ],
    customerCommunication: [
      {
        ...{ sent: '2026-03-08T09:30:00Z', from: '山田 太郎 <taro@example.com>', language: 'ja' },
        body: '靴は金曜日に届きました。ありがとうございます。',
        translation: 'The shoes arrived on Friday. Thank you.',
        caption: 'The customer confirms that the shoes arrived.',
      },
    ],
  },
  files: [{ name: 'parcel.jpg', kind: 'photo', caption: 'صورة الطرد عند التسليم (parcel at its delivery) – 送货照片' }],
}

const LONG = 'word '.repeat(20_000)

/** Contradictions, overrides, markup, and more of everything than fits. */
export const BAD_DATA: PackageCase = {
  ...{ play: 'not_received', reasonCode: '13.1', merchantName: '#eval("x") *b* <script>' },
  points: {
    ...{ orderId: 'A-\u202e1001\u0000', customerName: '{{ 7 | times: 7 }}', transactionOrderEmail: 'x'.repeat(5_000) },
    transactionOrderItemsProductDescription: `#eval("x") *b* _c_ $x$ <script>alert(1)</script> @ref ${LONG}`,
    transactionShippingToFullShippingAddress: '12 Mill Lane, card 4242 4242 4242 4242, \ud800 Leeds',
    ...{ shippingCarrier: '{% include "a" %}', shippingTrackingNumber: 'T'.repeat(300) },
    // Delivered before it was shipped, and a use before the purchase.
    ...{ shippingDate: '2026-03-09', deliveryDate: '2026-03-06', lastUseDate: '2025-03-06', refundDate: '2999-01-01' },
    accessActivityLog: LONG,
    orderItems: Array.from({ length: 1_000 }, (_, index) => ({
      name: `Item ${index} ${'x'.repeat(200)}`,
      amount: `${index}.50`,
    })),
    customerCommunication: Array.from({ length: 200 }, (_, index) => ({
      ...{ sent: '2026-03-08', from: 'ada@example.com', subject: `Mail ${index}`, body: `${index} ${LONG}` },
    })),
    timeline: Array.from({ length: 300 }, (_, index) => ({
      when: index % 2 ? 'soon' : '2026-03-02',
      what: `Event ${index}`,
    })),
  },
  files: [
    { name: 'encrypted.pdf', kind: 'receipt', caption: 'Encrypted' },
    { name: 'truncated.jpg', kind: 'photo', caption: 'Half of a photograph' },
    { name: 'animated.png', kind: 'usage', caption: 'Animated' },
    { name: 'fake.png', kind: 'other', caption: 'A picture that is none' },
    { name: 'broken.pdf', kind: 'contract', caption: 'A PDF that is none' },
    { name: 'form.pdf', kind: 'delivery', caption: 'A form of 40 pages, filled in' },
  ],
}

export const PACKAGES: Readonly<Record<string, PackageCase>> = {
  ...Object.fromEntries(Object.values(FULL_PACKAGES).map((one) => [`${one.play}-full`, one])),
  ...Object.fromEntries(Object.values(FULL_PACKAGES).map(({ play }) => [`${play}-thin`, thinPackage(play)])),
  ...{ 'credit-refused': REFUSED_REFUND, scripts: SCRIPTS, 'bad-data': BAD_DATA },
}
