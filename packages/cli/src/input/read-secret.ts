import { text } from "node:stream/consumers"
import { UsageError } from "../errors/errors.ts"
import type { Terminal } from "../output/terminal.ts"

/** Reads a secret from stdin, because all users of the machine can read arguments. `name` describes it in messages. */
export async function readSecret({ terminal }: { terminal: Terminal }, name: string): Promise<string> {
  if (process.stdin.isTTY) terminal.notice(`Paste the ${name}, then press Enter and Ctrl-D.`)
  const secret = (await text(process.stdin)).trim()
  if (!secret) throw new UsageError(`The ${name} is empty. It is read from stdin.`)
  return secret
}
