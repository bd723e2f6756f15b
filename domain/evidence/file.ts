/** Purposes of an upload: a PDF, or a PNG or JPEG picture. */
export type FilePurpose = 'evidence_file' | 'evidence_image'

/** Accepted MIME types, detected from the content. */
export type FileType = 'application/pdf' | 'image/png' | 'image/jpeg'
