import { parse, TomlError } from "smol-toml"
import { type SetupTools, VERSION_FILES, type VersionFile } from "./repository-setup-schema.ts"

/** Version of a language, and the file that names it. */
export interface NamedVersion {
  tool: keyof SetupTools
  version: string
  file: VersionFile
}

type Names = Iterable<readonly [name: string, version: unknown]>

/**
 * Versions that are used. Everything else is skipped, such as a path, an address or another implementation of the
 * language, so that a file can only choose among the language's own releases.
 */
const PLAIN: Record<keyof SetupTools, RegExp> = {
  node: /^v?(\d{1,4}(?:\.\d{1,4}){0,2}|lts(?:-[a-z]{1,20})?)$/,
  python: /^(\d{1,4}(?:\.\d{1,4}){0,2})$/,
  go: /^(?:go)?(\d{1,4}(?:\.\d{1,4}){0,2})$/,
  java: /^((?:[a-z]{1,20}-)?\d{1,4}(?:\.\d{1,4}){0,3}(?:\+\d{1,4})?)$/,
  rust: /^(\d{1,4}(?:\.\d{1,4}){0,2}|(?:stable|beta|nightly)(?:-\d{4}-\d\d-\d\d)?)$/,
  ruby: /^(?:ruby-)?(\d{1,4}(?:\.\d{1,4}){0,2})$/,
}
const ALIASES: Record<string, string> = { nodejs: "node", golang: "go" }

const READERS: Record<VersionFile, (text: string) => Names> = {
  "mise.toml": miseTools,
  ".mise.toml": miseTools,
  ".tool-versions": (text) => linesOf(text).map(([name = "", ...versions]) => [name, versions] as const),
  ".nvmrc": (text) => [
    [
      "node",
      firstWord(text)
        .replace(/^lts\/\*$/, "lts")
        .replace(/^lts\//, "lts-"),
    ],
  ],
  ".node-version": (text) => [["node", firstWord(text)]],
  ".python-version": (text) => [["python", linesOf(text).flat()]],
  "go.mod": goVersions,
  "rust-toolchain": (text) => (text.includes("[") ? rustToolchain(text) : [["rust", firstWord(text)]]),
  "rust-toolchain.toml": rustToolchain,
  ".ruby-version": (text) => [["ruby", firstWord(text)]],
  ".java-version": (text) => [["java", firstWord(text)]],
}

/** Reads the versions that a repository's version files name, from their texts by path. Skips what isn't valid. */
export function readVersions(texts: Record<string, string>): NamedVersion[] {
  const found = new Map<string, NamedVersion>()
  for (const file of VERSION_FILES) {
    for (const [name, versions] of READERS[file](texts[file] ?? "")) {
      const tool = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name
      if (!isTool(tool) || found.has(tool)) continue
      const [version] = [versions].flat().flatMap((one) => PLAIN[tool].exec(versionIn(one))?.[1] ?? [])
      if (version !== undefined) found.set(tool, { tool, version, file })
    }
  }
  return [...found.values()]
}

function isTool(name: string | undefined): name is keyof SetupTools {
  return name !== undefined && Object.hasOwn(PLAIN, name)
}

/** Returns the version of a tool in mise's settings, without its other options. */
function versionIn(value: unknown): string {
  const version = isTable(value) ? value.version : value
  return typeof version === "string" ? version : ""
}

/** Returns the words of each line, without comments. */
function linesOf(text: string): string[][] {
  const lines = text.split("\n").map((line) => line.split("#", 1)[0]?.trim() ?? "")
  return lines.filter((line) => line !== "").map((line) => line.split(/\s+/))
}

function firstWord(text: string): string {
  return linesOf(text)[0]?.[0] ?? ""
}

function miseTools(text: string): Names {
  return Object.entries(tableIn(text, "tools"))
}

function rustToolchain(text: string): Names {
  return [["rust", tableIn(text, "toolchain").channel]]
}

/** Returns the suggested toolchain and the minimum version, which counts without a suggestion. */
function goVersions(text: string): Names {
  const lines = text.split("\n").map(
    (line) =>
      line
        .split("//", 1)[0]
        ?.trimEnd()
        .split(/[ \t]+/) ?? [],
  )
  const named = (directive: string) => lines.find(([first]) => first === directive)?.[1]
  return [["go", [named("toolchain"), named("go")]]]
}

function tableIn(text: string, name: string): Record<string, unknown> {
  try {
    const table = parse(text, { maxDepth: 20 })[name]
    return isTable(table) ? table : {}
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    return {}
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
