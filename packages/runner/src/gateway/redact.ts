import { Transform } from "node:stream"

/**
 * Masks a secret in a stream without changing the stream's length. Holds back only bytes that may be the start of the
 * secret.
 */
export function redact(secret: string): Transform {
  const sought = Buffer.from(secret)
  const blank = Buffer.alloc(sought.length, "*")
  let held = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = Buffer.concat([held, chunk])
      for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought, at + sought.length))
        blank.copy(bytes, at)
      const end = bytes.length - beginningAtEnd(bytes, sought)
      held = bytes.subarray(end)
      done(null, bytes.subarray(0, end))
    },
    flush(done) {
      done(null, held)
    },
  })
}

/** Returns the length of the longest suffix of `bytes` that is a prefix of `sought`. */
function beginningAtEnd(bytes: Buffer, sought: Buffer): number {
  for (let length = Math.min(bytes.length, sought.length - 1); length > 0; length--) {
    if (bytes.subarray(-length).equals(sought.subarray(0, length))) return length
  }
  return 0
}
