/**
 * Settings of a Postgres that writes each statement with its parameters into a folder, as lines of JSON: what all
 * processes of a test send is there, and no code of the product has to take part.
 */
export function statementLog(folder: string | undefined): Record<string, string> {
  if (!folder) return {}
  return {
    logging_collector: 'on',
    log_destination: 'jsonlog',
    log_directory: folder,
    log_filename: 'postgres',
    log_file_mode: '0644',
    log_rotation_age: '0',
    log_rotation_size: '0',
    log_statement: 'all',
  }
}
