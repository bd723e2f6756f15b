/** The merchant account that the demo key itself belongs to. */
export const DEMO_ACCOUNT = 'RecoupDemoECOM'
/** A second account that the same key can access. */
export const SECOND_ACCOUNT = 'RecoupSecondECOM'

export const DEMO_KEY = 'AQEyhmfxK-recoupdemo-C5Y7Xr2p9Lq4Tz8Vw1Ns6Hd3'
/** Well-formed but unknown: 401. */
export const REFUSED_KEY = 'AQEyhmfxK-refused-C5Y7Xr2p9Lq4Tz8Vw1Ns6Hd3'
/** Known, but without the role to manage disputes: 403 with code 010. */
export const RESTRICTED_KEY = 'AQEyhmfxK-restricted-C5Y7Xr2p9Lq4Tz8Vw1Ns6Hd3'

/** HMAC key of the simulated webhook, hex. */
export const HMAC_KEY = '7D21A0B5C94E43D1F0A6628BD1AA53E81C7F94E26D08B3A15F9E72C480D6B31F'

/** User of Basic authentication; its password is the demo key. */
export const BASIC_USER = 'ws@Company.RecoupDemo'

/** The report user: it can only download reports. */
export const REPORT_USER = 'report_recoup@Company.RecoupDemo'
export const REPORT_PASSWORD = 'recoup-demo-report-9f2c71d4'
