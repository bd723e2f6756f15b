/**
 * Version of everything that makes a package but its data: the playbooks of Recoup, the template, the fonts and the renderer.
 * Packages of open chargebacks that were made by a lower one are built again. Raised whenever a golden package changes;
 * `test/unit/files/evidence/build-version.test.ts` holds it to that.
 */
export const BUILD_VERSION = 9
