/**
 * A path as git has it: bytes, each of them one letter of the string. A file's name need not be text, and what is
 * made of text isn't always the same name again.
 */
export type GitPath = string

/** The fields of an answer in which each ends with a NUL. */
export function fieldsOf(answer: Buffer): GitPath[] {
  const fields = answer.toString("latin1").split("\0")
  fields.pop()
  return fields
}

/** Fields as git reads them with `-z`. */
export function asInput(fields: GitPath[]): Buffer {
  return Buffer.from(fields.map((field) => `${field}\0`).join(""), "latin1")
}

export function toText(path: GitPath): string {
  return Buffer.from(path, "latin1").toString()
}

export function fromText(path: string): GitPath {
  return Buffer.from(path).toString("latin1")
}

/** Where it lies in a folder, for the file system. */
export function inFolder(folder: string, path: GitPath): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")])
}
