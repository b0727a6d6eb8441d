import { readFileSync } from "node:fs"
import { textStats } from "./text-stats.js"

const usage = `Word Counter: Counts the words, characters, sentences and lines of a text.

Usage: node cli.js <text>
       node cli.js < file`

process.exitCode = main(process.argv.slice(2))

function main(args) {
  const text = args.length > 0 ? args.join(" ") : pipedText()
  if (text === "" || text === "--help") {
    console.log(usage)
    return 0
  }
  try {
    printTable(textStats(text))
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

function printTable(table) {
  for (const [name, value] of Object.entries(table)) console.log(`${name.padEnd(12)}${value}`)
}
