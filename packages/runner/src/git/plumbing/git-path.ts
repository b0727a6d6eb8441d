/**
 * Path as stored by git: a string with one character per byte. Decoding a name that isn't valid UTF-8 would change it.
 */
export type GitPath = string

/** Splits the output of a git command with the option `-z`. */
export function fieldsOf(answer: Buffer): GitPath[] {
  const fields = answer.toString("latin1").split("\0")
  fields.pop()
  return fields
}

/** Joins fields into the input of a git command with the option `-z`. */
export function asInput(fields: GitPath[]): Buffer {
  return Buffer.from(fields.map((field) => `${field}\0`).join(""), "latin1")
}

export function toText(path: GitPath): string {
  return Buffer.from(path, "latin1").toString()
}

export function fromText(path: string): GitPath {
  return Buffer.from(path).toString("latin1")
}

/** Returns the path of a file inside a folder, as bytes for the file system. */
export function inFolder(folder: string, path: GitPath): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")])
}
