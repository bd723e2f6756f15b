/**
 * Settings with which Postgres logs each statement with its parameters as lines of JSON into a folder: the statements
 * of all processes of a test, without any code in the product.
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
