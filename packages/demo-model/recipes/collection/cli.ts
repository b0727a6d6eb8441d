import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createSamples, describe, fields, openSamples, summary } from "./samples.ts"

type Samples = ReturnType<typeof createSamples>

const file = "samples.json"

const [firstField = "", ...otherFields] = Object.keys(fields)

const usage = `Sample Project

Usage: node cli.ts add <${firstField}>${otherFields.map((name) => ` ${name}=<${name}>`).join("")}
       node cli.ts list
       node cli.ts flag <id>
       node cli.ts remove <id>`

process.exitCode = main(process.argv.slice(2))

function main([command = "--help", ...words]: string[]): number {
  try {
    const samples = existsSync(file) ? createSamples(JSON.parse(readFileSync(file, "utf8"))) : openSamples()
    console.log(run(samples, command, words).join("\n"))
    if (command !== "--help") writeFileSync(file, `${JSON.stringify(samples.list(), null, 2)}\n`)
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
}

/** Runs a command, and returns the lines to print. */
function run(samples: Samples, command: string, words: string[]): string[] {
  const id = words.join(" ")
  switch (command) {
    case "--help":
      return [usage]
    case "add":
      return [line(samples.add(valuesIn(words)))]
    case "list":
      return [...samples.list().map(line), summary(samples.list())]
    case "flag": {
      const sample = samples.flag(id)
      if (!sample) throw new Error(`There is no sample "${id}".`)
      return [line(sample)]
    }
    case "remove":
      if (!samples.remove(id)) throw new Error(`There is no sample "${id}".`)
      return [`Removed ${id}.`]
    default:
      throw new Error(usage)
  }
}

/** A word such as "due=2026-12-31" sets that field; the other words are the first field. */
function valuesIn(words: string[]): Record<string, string> {
  const isNamed = (word: string) => otherFields.some((name) => word.startsWith(`${name}=`))
  const named = words.filter(isNamed).map((word) => [word.split("=", 1)[0], word.slice(word.indexOf("=") + 1)])
  return { [firstField]: words.filter((word) => !isNamed(word)).join(" "), ...Object.fromEntries(named) }
}

function line(sample: Parameters<typeof describe>[0]): string {
  return `${sample.id}  ${sample.flagged ? "[x]" : "[ ]"}  ${describe(sample)}`
}
