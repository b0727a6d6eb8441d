/**
 * A path as git has it: bytes, each of them one letter of the string. A file's name need not be text, and what is
 * made of text isn't always the same name again.
 */
export type BytePath = string

/** The fields of an answer in which each ends with a NUL. */
export function fieldsOf(answer: Buffer): BytePath[] {
  const fields = answer.toString("latin1").split("\0")
  fields.pop()
  return fields
}

/** Fields as git reads them with `-z`. */
export function asInput(fields: BytePath[]): Buffer {
  return Buffer.from(fields.map((field) => `${field}\0`).join(""), "latin1")
}

export function toText(path: BytePath): string {
  return Buffer.from(path, "latin1").toString()
}

export function fromText(path: string): BytePath {
  return Buffer.from(path).toString("latin1")
}

/** Where it lies in a folder, for the file system. */
export function inFolder(folder: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")])
}
