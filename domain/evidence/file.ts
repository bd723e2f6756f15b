/** What a client uploads a file as: a PDF, or a PNG or JPEG picture. */
export type FilePurpose = 'evidence_file' | 'evidence_image'

/** MIME types of files that are accepted, as their bytes say. */
export type FileType = 'application/pdf' | 'image/png' | 'image/jpeg'
