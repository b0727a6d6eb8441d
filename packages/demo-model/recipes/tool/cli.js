import { readFileSync } from "node:fs"
import { shout } from "./shouting.js"

const usage = `Sample Tool: Says any phrase in capital letters.

Usage: node cli.js <phrase>
       node cli.js < file`

process.exitCode = main(process.argv.slice(2))

function main(args) {
  const phrase = args.length > 0 ? args.join(" ") : pipedText()
  if (phrase === "" || phrase === "--help") {
    console.log(usage)
    return 0
  }
  try {
    console.log(shout(phrase))
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
}

/** The text that was piped in, or nothing at a terminal. */
function pipedText() {
  return process.stdin.isTTY ? "" : readFileSync(0, "utf8").trimEnd()
}
