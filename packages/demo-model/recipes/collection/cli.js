import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createSamples } from "./samples.js"

const file = "samples.json"

const usage = `Sample Store

Usage: node cli.js add <caption>
       node cli.js list
       node cli.js flag <id>
       node cli.js remove <id>`

process.exitCode = main(process.argv.slice(2))

function main([command, ...rest]) {
  try {
    const samples = createSamples(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [])
    const lines = run(samples, command, rest.join(" "))
    writeFileSync(file, `${JSON.stringify(samples.list(), null, 2)}\n`)
    console.log(lines.join("\n"))
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
}

/** Does what the command says, and returns the lines to print. */
function run(samples, command, rest) {
  switch (command) {
    case "add":
      return [line(samples.add(rest))]
    case "list":
      return samples.list().length > 0 ? samples.list().map(line) : ["No samples yet."]
    case "flag": {
      const sample = samples.flag(rest)
      if (!sample) throw new Error(`There is no sample "${rest}".`)
      return [line(sample)]
    }
    case "remove":
      if (!samples.remove(rest)) throw new Error(`There is no sample "${rest}".`)
      return [`Removed ${rest}.`]
    default:
      throw new Error(usage)
  }
}

function line(sample) {
  return `${sample.id}  ${sample.flagged ? "[x]" : "[ ]"}  ${sample.caption}`
}
