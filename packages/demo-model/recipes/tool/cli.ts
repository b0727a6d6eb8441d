import { readFileSync } from "node:fs"
import { shout } from "./shouting.ts"

const usage = `Sample Project: A project that is an example.

Usage: node cli.ts <phrase>
       node cli.ts < file`

process.exitCode = main(process.argv.slice(2))

function main(args: string[]): number {
  const phrase = args.length > 0 ? args.join(" ") : pipedText()
  if (phrase === "" || phrase === "--help") {
    console.log(usage)
    return 0
  }
  try {
    console.log(String(shout(phrase)))
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
}

/** The text that was piped in, or nothing at a terminal. */
function pipedText(): string {
  return process.stdin.isTTY ? "" : readFileSync(0, "utf8").trimEnd()
}
