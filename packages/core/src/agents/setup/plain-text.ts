import { parse as parseToml, stringify as stringifyToml } from "smol-toml"
import { parse as parseYaml } from "yaml"

/** A text without anything that takes effect by itself, and descriptions of the parts that were removed. */
export interface PlainText {
  text: string
  removed: string[]
}

/**
 * Header fields that only describe a document. All others are removed. Some of them would grant permissions, start
 * programs, or choose a model, such as `allowed-tools`, `hooks` and `model`.
 */
const KEPT = new Set([
  ...["name", "description", "when_to_use", "when-to-use", "argument-hint", "arguments", "paths"],
  ...["disable-model-invocation", "user-invocable", "license", "compatibility", "version"],
])
const MAX_FIELD_CHARS = 4000

/**
 * Returns a skill's, command's or rule's text without header fields that take effect, commands that the program would
 * run, and imports. Returns undefined if the header can't be parsed.
 */
export function plainDocument(text: string, name: string): PlainText | undefined {
  const split = splitHeader(text)
  const fields = split && headerFields(split.header)
  if (!fields) return undefined
  const kept = new Map<string, string>([["description", JSON.stringify(name)]])
  const removed: string[] = []
  for (const [key, value] of Object.entries(fields)) {
    const plain = KEPT.has(key) ? fieldText(value) : undefined
    if (plain === undefined) removed.push(`the header's “${key.slice(0, 50)}”`)
    else kept.set(key, plain)
  }
  const body = plainBody(split.body)
  const lines = [...kept].map(([key, value]) => `${key}: ${value}`)
  return { text: `---\n${lines.join("\n")}\n---\n${body.text}`, removed: [...removed, ...body.removed] }
}

/** Returns a command's TOML with only its description and its prompt. Undefined if the file can't be parsed. */
export function plainTomlCommand(text: string): PlainText | undefined {
  const command = tried(() => parseToml(text))
  if (!command || typeof command.prompt !== "string") return undefined
  const { prompt, description } = command
  const plain = plainBody(prompt)
  const kept = { ...(typeof description === "string" && { description }), prompt: plain.text }
  const removed = Object.keys(command).filter((key) => !(key in kept))
  return {
    text: stringifyToml(kept),
    removed: [...removed.map((key) => `“${key.slice(0, 50)}”`), ...plain.removed],
  }
}

/**
 * Returns instructions without imports that can lead out of the agent's own files: absolute paths, and paths with `~`,
 * `..` or escapes. `isTaken` gets an imported path as it is written, and returns true if the agent has that file.
 */
export function plainInstructions(text: string, isTaken: (path: string) => boolean): PlainText {
  const removed: string[] = []
  const plain = text.replace(/\S+/g, (word) => {
    if (!word.includes("@") || !/@[/~]|\.\.|\\/.test(word)) return word
    if (word.startsWith("@") && isTaken(word.slice(1))) return word
    removed.push(`the import ${word.slice(0, 200)}`)
    return word.replaceAll("@", "@ ")
  })
  return { text: plain, removed }
}

/** Returns the paths that a text imports with `@`. */
export function importedPaths(text: string): string[] {
  return text.split(/\s/).flatMap((word) => (word.startsWith("@") && word.length > 1 ? [word.slice(1)] : []))
}

/** Removes commands and imports from a prompt. A space is added after their mark, so that programs ignore them. */
function plainBody(text: string): PlainText {
  const plain = text.replace(/!(?=[`{])/g, "! ").replace(/(?<=[`~]{3})!/g, " !")
  const imports = plainInstructions(plain.replace(/@(?=\{)/g, "@ "), () => false)
  return { text: imports.text, removed: [...(plain === text ? [] : ["commands in its text"]), ...imports.removed] }
}

/** Splits a document into its YAML header and its body. Returns undefined if the header has no end. */
function splitHeader(text: string): { header: string; body: string } | undefined {
  const lines = text
    .replace(/^\uFEFF/, "")
    .trimStart()
    .split("\n")
  if (lines[0]?.trimEnd() !== "---") return { header: "", body: text }
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
  if (end === -1) return undefined
  return { header: lines.slice(1, end).join("\n"), body: lines.slice(end + 1).join("\n") }
}

function headerFields(header: string): Record<string, unknown> | undefined {
  const fields = tried(() => parseYaml(header, { maxAliasCount: 0, schema: "core" }) ?? {})
  return typeof fields === "object" && !Array.isArray(fields) ? (fields as Record<string, unknown>) : undefined
}

/** Returns a field's value on one line of YAML. Undefined if the value isn't a text, a flag, a number or a list. */
function fieldText(value: unknown): string | undefined {
  if (typeof value === "boolean" || typeof value === "number") return JSON.stringify(value)
  if (typeof value === "string") {
    // Some programs end the header at these dashes wherever they are.
    return JSON.stringify(value.slice(0, MAX_FIELD_CHARS).replaceAll("---", "- - -"))
  }
  if (!Array.isArray(value) || value.some((each) => typeof each !== "string")) return undefined
  return `[${value.map(fieldText).join(", ")}]`
}

function tried<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
