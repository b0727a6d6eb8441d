import { text } from "node:stream/consumers"
import { UsageError } from "../errors/errors.ts"
import type { Terminal } from "../output/terminal.ts"

/**
 * Reads a secret from stdin, because other users can see the arguments of a program. `name` describes the secret in
 * messages.
 */
export async function readSecret({ terminal }: { terminal: Terminal }, name: string): Promise<string> {
  if (process.stdin.isTTY) terminal.notice(`Paste the ${name}, then press Enter and Ctrl-D.`)
  const secret = (await text(process.stdin)).trim()
  if (!secret) throw new UsageError(`The ${name} is empty. Pass it on stdin.`)
  return secret
}
