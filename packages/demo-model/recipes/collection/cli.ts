import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Sample, Samples } from "./samples.ts"
import { createSamples } from "./samples.ts"

const file = "samples.json"

const usage = `Sample Store

Usage: node cli.ts add <caption>
       node cli.ts list
       node cli.ts flag <id>
       node cli.ts remove <id>`

process.exitCode = main(process.argv.slice(2))

function main([command, ...rest]: string[]): number {
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
function run(samples: Samples, command: string | undefined, rest: string): string[] {
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

function line(sample: Sample): string {
  return `${sample.id}  ${sample.flagged ? "[x]" : "[ ]"}  ${sample.caption}`
}
