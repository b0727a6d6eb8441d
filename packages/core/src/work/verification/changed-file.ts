/** Contents of a file before and after a change. Null if the file is missing or isn't text. */
export interface ChangedFile {
  path: string
  before: string | null
  after: string | null
}
