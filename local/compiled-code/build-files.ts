/** Files and folders that the compiled product reads and the compiler doesn't copy. */
export const BUILD_FILES: readonly string[] = ['files/evidence/template.typ', 'files/evidence/fonts']
